"""The words of sequences: an entry, and a sum over steps. What they are worth is worked out by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verification.terms.printing import Written
from verification.terms.term import Applied, Letter, Term, term
from verification.terms.words import PRODUCT, WHOLE, Word

ENTRIES = {"sequence": "real", "positive sequence": "positive"}  # kinds, and those of the entries


def _entry_latex(a: Written, i: Written) -> tuple[str, int]:
    of = a.within(WHOLE)
    if of.endswith("}") and "_{" in of:  # a letter has one subscript
        return rf"{of[:-1]}, {i.form}}}", WHOLE
    return rf"{of}_{{{i.form}}}", WHOLE


WORDS = (
    Word(
        "at",
        lambda o, a, i: o.entry_of_a_sequence(a, i),
        _entry_latex,
        lambda a, i: (f"{a.form}[{i.form}]", WHOLE),
        "the entry of {0} at step {1}",
    ),
    Word(
        "sum",
        lambda o, body, index, first, last: o.sum_over_steps(body, index, first, last),
        lambda body, index, first, last: (
            rf"\sum_{{{index.form} = {first.form}}}^{{{last.form}}} {body.within(PRODUCT)}",
            PRODUCT,
        ),
        lambda body, index, first, last: (
            f"Sum({body.form}, ({index.form}, {first.form}, {last.form}))",
            WHOLE,
        ),
        "the sum of {0} for {1} from {2} to {3}",
    ),
)


@dataclass(frozen=True)
class Sequence:
    """A letter for each step.

    >>> (x,) = sequences("x")
    >>> t = index("t")
    >>> print(over(x[t] - x[t - 1], t, 1, 5))
    Sum(x[t] - x[t - 1], (t, 1, 5))
    """

    letter: Letter

    def __getitem__(self, at: Any) -> Term:
        """The entry at a step."""
        return Applied("at", (self.letter, term(at)))


def sequences(names: str, kind: str = "sequence") -> tuple[Sequence, ...]:
    """Several sequences of real numbers, or of positive ones, their names with spaces between."""
    return tuple(Sequence(Letter(name, kind)) for name in names.split())


def index(name: str) -> Letter:
    """A letter that runs over steps."""
    return Letter(name, "index")


def over(body: Any, running: Letter, first: Any, last: Any) -> Term:
    """A sum over steps, from the first to the last."""
    return Applied("sum", (term(body), running, term(first), term(last)))
