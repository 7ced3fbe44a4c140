"""What letters are declared to be, in words: a reader sees it among what is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sgtheory.notation.sentence import Sentence, say, sentence
from verification.terms.term import Applied, Letter

SEQUENCES = {
    "positive sequence": "the ${}$ are positive",
    "decreasing sequence": "the ${}$ are positive and decrease",
    "Robbins-Monro sequence": (
        "the ${}$ are positive and decrease, their sum is infinite, that of their squares finite"
    ),
    "bounded sequence": "the ${}$ are at most 1 in size",
    "differences": "${}$ has mean zero given all that came before",
    "signs": "the ${}$ are 1 or -1, independent, each with chance one half",
    "noises": "the ${}$ are independent and standard normal",
}
BELOW_ONE = "unit below one"  # of a number from zero to one that is given to be less
# what is true of numbers and matrices of a kind that a statement sets for a letter of its problem
_OTHERS = {
    "fraction": "0 < {0} < 1",
    "up to one": "0 < {0} <= 1",
    "unit": "0 <= {0} <= 1",
    BELOW_ONE: "0 <= {0} < 1",
    "nonnegative": "{0} >= 0",
    "within one": "-1 <= {0} <= 1",
    "count": "{0} is a whole number",
    "square count": "{0} is a whole number",
    "diagonal": "{0} is diagonal",
    "positive semidefinite": "{0} is positive semidefinite",
    "antisymmetric": "{0} is antisymmetric",
}


def declared(kinds: Iterable[tuple[str, str]]) -> Iterator[Sentence]:
    """What letters of some kinds are, a sentence each.

    >>> [str(one) for one in declared([("a", "positive"), ("r", "bounded sequence"), ("b", "unit")])]
    ['the r[t] are at most 1 in size', '0 <= b <= 1']
    """
    step = Letter("t", "index")
    for name, kind in kinds:
        if kind in SEQUENCES:
            yield say(SEQUENCES[kind], Applied("at", (Letter(name, kind), step)))
        elif kind in _OTHERS:
            told = _OTHERS[kind]
            yield sentence(told.format(f"${name}$") if " is " in told else f"${told.format(name)}$")
