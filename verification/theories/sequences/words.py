"""The words of sequences: an entry, a sum over steps, means over paths. Values are made by step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from verification.terms.printing import Written, subscripted
from verification.terms.term import Applied, Letter, Term, number, term
from verification.terms.walking import Unable
from verification.terms.words import PRODUCT, WHOLE, Word

_MOST = 1_000  # terms that are added up one by one
# kinds of sequences, and those of their entries
ENTRIES = {
    "sequence": "real",
    "positive sequence": "positive",
    "decreasing sequence": "positive",
    "Robbins-Monro sequence": "positive",  # decreasing, its sum infinite, that of its squares finite
    "bounded sequence": "within one",
    "autocovariances": "real",  # by lags; zero beyond all pairs of steps that are looked at
    "random sequence": "real",
    "differences": "real",  # random, of mean zero given all that came before
    "signs": "real",  # independent, 1 or -1
    "noises": "real",  # independent, standard normal
}
ROBBINS_MONRO = "Robbins-Monro sequence"
DOWN = ("decreasing sequence", ROBBINS_MONRO)
CHANCE = ("random", "centred", "sign", "random sequence", "differences", "signs", "noises")
ENDLESS, FINITE, VANISHING = "without end", "to a finite sum", "o"  # what is known of falling sequences
MEANS = ("mean", "mean_before")


def _entry_latex(a: Written, i: Written) -> tuple[str, int]:
    return subscripted(a.within(WHOLE), i.form), WHOLE


def _added_up(o: Any, body: Any, index: str, first: Any, last: Any) -> Any:
    if "loop" in o.operations:
        return o.loop(body, index, first, last)
    start, stop = o.whole(first), o.whole(last) + 1
    if stop - start > _MOST:
        raise Unable("a sum of so many terms")
    return reduce(o.add, (body(o.number(k)) for k in range(start, stop)), o.number(0))


mean = Word(
    "mean",
    lambda o, a: o.mean_over_paths(a),
    lambda a: (rf"\mathbb{{E}}\left[{a.form}\right]", WHOLE),
    lambda a: (f"E({a.form})", WHOLE),
    "the mean of {0}",
    is_told=True,
)
mean_given_past = Word(
    "mean_before",
    lambda o, a: o.mean_given_the_past(a),
    lambda a: (rf"\mathbb{{E}}\left[{a.form} \mid \text{{past}}\right]", WHOLE),
    lambda a: (f"E({a.form} | past)", WHOLE),
    "the mean of {0} given all that came before",
    is_told=True,
)
WORDS = (
    Word(
        "at",
        lambda o, a, i: o.entry_of_a_sequence(a, i),
        _entry_latex,
        lambda a, i: (f"{a.form}[{i.form}]", WHOLE),
        "the entry of {0} at step {1}",
        is_told=True,
    ),
    Word(
        "sum",
        lambda o, body, index, first, last: _added_up(o, body, index, first, last),
        lambda body, index, first, last: (
            rf"\sum_{{{index.form} = {first.form}}}^{{{last.form}}} {body.within(PRODUCT)}",
            PRODUCT,
        ),
        lambda body, index, first, last: (
            f"Sum({body.form}, ({index.form}, {first.form}, {last.form}))",
            WHOLE,
        ),
        "the sum of {0} for {1} from {2} to {3}",
        binds=True,
    ),
    mean,
    mean_given_past,
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


def size(of: Term) -> Term:
    """The size of a term, by the word for numbers."""
    return Applied("abs", (of,))


def sizes_inside(side: Term) -> Term:
    """Sums under a square or an absolute value, with absolute values in them."""
    if isinstance(side, Applied) and side.head == "sum":
        return side.with_parts((size(side.of[0]), *side.of[1:]))
    if isinstance(side, Applied) and side.head == "abs" and isinstance(side.of[0], Applied):
        inner = sizes_inside(side.of[0])
        return inner if side.of[0].head == "sum" else side.with_parts((inner,))
    even = isinstance(side, Applied) and side.head == "**" and side.of[1] == number(2)
    if even:
        return side.with_parts((sizes_inside(side.parts[0]), side.parts[1]))
    if isinstance(side, Applied) and side.head in ("+", "-", "*", "/"):
        kept = (p if isinstance(p, Applied) and p.head == "sum" else sizes_inside(p) for p in side.of)
        return side.with_parts(tuple(kept))
    return side


def as_rule(one: Any) -> tuple[Letter, Letter, Term]:
    """What the entry at a running letter is; of the entry after it, at the step before."""
    sequence, at = one.left.of
    if isinstance(at, Letter):
        return sequence, at, one.right
    (running,) = at.letters
    return sequence, running, one.right.put({running: running - (at.put({running: number(0)}))})


def mean_square(mean: Term) -> Term | None:
    """What is squared in the mean of a square; None of others."""
    square = mean.of[0] if isinstance(mean, Applied) and mean.head == "mean" else None
    is_square = isinstance(square, Applied) and square.head == "**" and square.of[1] == number(2)
    return square.parts[0] if square is not None and is_square else None


def variance(side: Applied) -> Term | None:
    """What E(a^2) - E(a)^2 is the variance of; None of others."""
    body = mean_square(side.of[0]) if side.head == "-" else None
    return None if body is None or side.of[1] != Applied("mean", (body,)) ** 2 else body


def is_start(of: Term) -> bool:
    """Whether a mean is of one entry with a number, at which a chain begins."""
    entries = [t for t in of.subterms() if isinstance(t, Applied) and t.head == "at"]
    return len(entries) == 1 and not entries[0].of[1].letters
