"""The language of statements: letters, terms that stay as they are written, relations, claims.

A statement is made of terms and relations; nothing in it says whether it is true. A theory knows the
words of its terms, a relation knows what it asks of its sides.

>>> from verification.statements import Equal, exp, letter
>>> x = letter("x", "positive")
>>> statement = Equal(exp(-x) / exp(-x), 1)
>>> statement.text()
'exp(-x)/exp(-x) = 1'
"""

from verification.relations import Adds, All, Bounded, Compare, Equal, Moves, Order, growing, vanishing
from verification.statements.claim import Stated, claim
from verification.terms.term import (
    Letter,
    Number,
    Term,
    letter,
    letters,
    number,
    product,
    term,
    total,
)
from verification.theories.scalars.words import (
    E,
    cosh,
    exp,
    largest,
    log,
    pi,
    sinh,
    smallest,
    sqrt,
    tanh,
)
from verification.theories.sequences.words import index, over, sequences

__all__ = [
    "Adds",
    "All",
    "Bounded",
    "Compare",
    "E",
    "Equal",
    "Letter",
    "Moves",
    "Number",
    "Order",
    "Stated",
    "Term",
    "claim",
    "cosh",
    "exp",
    "growing",
    "index",
    "largest",
    "letter",
    "letters",
    "log",
    "number",
    "over",
    "pi",
    "product",
    "sequences",
    "sinh",
    "smallest",
    "sqrt",
    "tanh",
    "term",
    "total",
    "vanishing",
]
