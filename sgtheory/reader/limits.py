"""The stated ranges and sizes of what is read. All are here, and each says why it is where it is."""

from __future__ import annotations

from fractions import Fraction

# A number is 0, or of this size: squares and products of three stay far from where floats end.
LEAST, MOST = Fraction(1, 10**100), Fraction(10**100)
DIGITS = 1000  # as text, above and below a fraction's line: what a float is exactly has up to 767
EXPONENT = 1000  # as text: the power of ten, before the range is looked at
BITS = 13_000  # of a fraction's parts, from Python: Python prints whole numbers up to 4300 digits
LARGEST = 1e100  # of floats in arrays

TEXT = 64 * 2**20  # bytes of a problem or another document
TOML = 4 * 2**20  # characters: it is read in Python, and takes twenty times as long as JSON
ENTRIES = 8_100_000  # numbers and words of a document: two dense matrices of 2000 rows, and some more
LISTS = 1_000_000  # lists, tables and names of a document: each takes as much as some numbers
FRACTIONS = 500_000  # numbers of a document that no float is: each takes ten times as long as a float
NESTING = 32  # lists within lists in a document, and parts of a dotted key
ROWS = 2000  # of a dense matrix: the law of one takes a minute
NUMBERS = 60_000_000  # in the arrays of one file: 480 MB as floats
MEMBERS = 10_000  # of an archive
HEADER = 10_000  # bytes of the header of an array

FORMULA = 1000  # characters
NODES = 500  # numbers, letters and operations of a formula
TOWER = 4  # powers, exponentials and logarithms within one another
POWER = 100  # of a letter

STEPS = 10**12  # of a run, and of a clock
WINDOW = 10**9  # steps that an average is over
COUNT = 10**12  # chains, examples, ...
MEASURED = 100_000  # steps at which ensembles of a million chains are held against a law
JOBS = 1024  # processes
SECONDS = 10**9  # of a time limit: thirty years
MONTH = 31 * 86_400  # seconds that a run may take by a forecast, where no limit is given
FORECAST = 10**13  # chain-steps beyond which a run without a limit is forecast too
