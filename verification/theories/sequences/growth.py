"""Sequences along which no constant is enough: formulas for all letters, in a step and their number.

A quotient along them is one formula, whose limit decides; numbers say first where it may be infinite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import sympy as sp

from verification.terms.comparing import compared
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.ways import LENGTHS, grows
from verification.theories.sequences.symbols import T
from verification.theories.sequences.words import CHANCE, DOWN, ENTRIES

_MOST = 1_500


@dataclass(frozen=True)
class Family:
    """A formula for each letter, of a sequence in ``step``; all of them in the number of steps.

    Other sequences follow from these by ``rules``: a letter, the step in its rule, the rule.
    """

    formulas: tuple[tuple[Letter, Term], ...]
    rules: tuple[tuple[Letter, Letter, Term], ...]
    step: Letter

    def along(self, side: Term) -> Term:
        """A side with the formulas in the place of letters; what is fixed is its own mean."""
        known = dict(self.formulas)
        if isinstance(side, Letter):
            return known.get(side, side)
        if not isinstance(side, Applied):
            return side
        if side.head == "mean":
            return self.along(side.of[0])
        if side.head == "at":
            sequence, at = side.of
            for _, i, rule in (one for one in self.rules if one[0] == sequence):
                return self.along(rule.put({i: at}))
            if isinstance(sequence, Letter) and sequence in known:
                return known[sequence].put({self.step: at})
        return side.with_parts(tuple(map(self.along, side.of)))

    def told(self) -> tuple[tuple[str, str], ...]:
        """What each letter is, such as ``x[t]`` and ``1/t``."""
        shown = (f"{a}[{self.step}]" if a.kind in ENTRIES else str(a) for a, _ in self.formulas)
        return tuple((a, str(f)) for a, (_, f) in zip(shown, self.formulas, strict=True))


def families(letters: Sequence[Letter], rules: Any, count: Letter) -> Iterator[Family]:
    """All combinations of simple formulas, those with the fewest that are not zero first."""
    step = Letter("t", "index")
    options = [_formulas(a, step, count) for a in letters]
    for chosen in sorted(product(*options), key=lambda c: sum(f != number(0) for f in c)):
        yield Family(tuple(zip(letters, chosen, strict=True)), rules, step)


def _formulas(letter: Letter, step: Letter, count: Letter) -> tuple[Term, ...]:
    zero, one = number(0), number(1)
    if letter.kind in DOWN:
        return (1 / step,)
    if letter.kind in ("sign", "signs"):
        return ()  # which are nowhere fixed
    if letter.kind in ENTRIES and letter.kind not in CHANCE:
        positive = ENTRIES[letter.kind] == "positive"
        return (one, step / count, 1 / step) if positive else (zero, one, step / count)
    if letter.kind == "fraction":
        return (number("1/2"),)
    if letter.kind == "positive":
        return (one,)
    return (zero, one) if letter.kind in ("real", "random", "random sequence") else (zero,)


@cache
def outgrown(
    left: Term,
    right: Term,
    letters: tuple[Letter, ...],
    rules: tuple[tuple[Letter, Letter, Term], ...],
    count: Letter,
    symbolic: Any,
    endless: bool,
) -> tuple[Family, Term, Term] | None:
    """A family along which left over right grows without end; or does not, where it is said to.

    Where none contradicts what is said to be ``endless``, the first of all.
    """
    first = None
    for family, _ in zip(families(letters, rules, count), range(_MOST), strict=False):
        sides = family.along(left), family.along(right)
        found = [compared(*sides, {count.name: n}) for n in LENGTHS]
        if any(one is None or one.right <= 0 for one in found):
            continue
        first = first or (family, *sides)
        if grows([one.left / one.right for one in found if one is not None]) is endless:
            continue
        a, b = map(symbolic, sides)
        if (_limit(sp.simplify(a.doit() / b.doit())) == sp.oo) is not endless:
            return family, *sides
    return first if endless else None


def _limit(ratio: Any) -> Any:
    """As the number of steps grows: harmonic numbers then grow, but slower than all its powers.

    >>> _limit(T / sp.harmonic(T)), _limit(sp.harmonic(T, 2) / T)
    (oo, 0)
    """
    slow = sp.Symbol("slow", positive=True)

    def value(e: Any) -> Any:
        return slow if len(e.args) == 1 or e.args[1] == 1 else sp.Symbol(f"z{e.args[1]}", positive=True)

    first = sp.limit(ratio.replace(lambda e: isinstance(e, sp.harmonic), value), T, sp.oo)
    return sp.limit(first, slow, sp.oo) if first.has(slow) else first
