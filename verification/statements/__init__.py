"""The language of statements: letters, terms that stay as they are written, relations, claims.

A statement is made of terms and relations; nothing in it says whether it is true. A theory knows the
words of its terms, a relation knows what it asks of its sides.

>>> from verification.statements import Equal, exp, letter
>>> x = letter("x", "positive")
>>> statement = Equal(exp(-x) / exp(-x), 1)
>>> statement.text()
'exp(-x)/exp(-x) = 1'
"""

from verification.relations import (
    Adds,
    All,
    Best,
    Bounded,
    Compare,
    Equal,
    Exists,
    FreeOf,
    InLaw,
    Moves,
    Not,
    OneBest,
    Order,
    Preserves,
    Solves,
    Stable,
    WeakOrder,
    expanded,
    growing,
    vanishing,
)
from verification.relations.iff import Iff
from verification.statements.algorithms import averages_within, same, samples_posterior
from verification.statements.claim import Stated, claim
from verification.statements.entry import Assumption
from verification.statements.section import Section, at
from verification.terms.dynamics import partial, solution
from verification.terms.printed import Printed
from verification.terms.term import (
    INFINITY,
    MINUS_INFINITY,
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
from verification.theories.operators import density, function, log_integral, mean_under
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
from verification.theories.sequences.words import index, mean, over, sequences, size

__all__ = [
    "INFINITY",
    "MINUS_INFINITY",
    "Adds",
    "All",
    "Assumption",
    "Best",
    "Bounded",
    "Compare",
    "E",
    "Equal",
    "Exists",
    "FreeOf",
    "Iff",
    "InLaw",
    "Letter",
    "Moves",
    "Not",
    "Number",
    "OneBest",
    "Order",
    "Preserves",
    "Printed",
    "Section",
    "Solves",
    "Stable",
    "Stated",
    "Term",
    "WeakOrder",
    "at",
    "averages_within",
    "claim",
    "cosh",
    "density",
    "exp",
    "expanded",
    "function",
    "growing",
    "index",
    "largest",
    "letter",
    "letters",
    "log",
    "log_integral",
    "mean",
    "mean_under",
    "number",
    "over",
    "partial",
    "pi",
    "product",
    "same",
    "samples_posterior",
    "sequences",
    "sinh",
    "size",
    "smallest",
    "solution",
    "sqrt",
    "tanh",
    "term",
    "total",
    "vanishing",
]
