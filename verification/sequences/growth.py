"""Bounds with a constant that nothing may change: families along which no constant is enough.

A family puts formulas for all letters, in a letter s that vanishes or in the number of steps, which
grows. The ratio of both sides is then one formula, and its limit decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from verification.sequences.values import Reading, Sample
from verification.sequences.words import E, T, t

s = sp.Symbol("s", positive=True)
_LONG = (4, 16, 64)
_SHORT = (Fraction(1, 16), Fraction(1, 4**6), Fraction(1, 4**12))
_GROWS = 1.2  # from one member of a family to the next
_MOST, _STAYS = 1_500, 0.8
# formulas for entries at step t, by kind: along T, then along s
_ALONG_T: Mapping[str, tuple[Any, ...]] = {
    "real": (sp.Integer(0), sp.Integer(1), (-1) ** t, t / T),
    "at most one": (sp.Integer(0), sp.Integer(1), (-1) ** t, t / T),
    "positive": (sp.Integer(1), t / T),
    "nonnegative": (sp.Integer(1),),
    "decreasing": (1 / t, 1 + 1 / t),
    "steps": (1 / t,),
    "fraction": (sp.Rational(1, 2),),
    "differences": (sp.Integer(0),),
    "signs": (),
}
_ALONG_S: Mapping[str, tuple[Any, ...]] = {
    "real": (sp.Integer(1), s, 1 / s),
    "at most one": (sp.Integer(1), s),
    "positive": (sp.Integer(1), s, 1 / s),
    "nonnegative": (sp.Integer(1), s, sp.Integer(0)),
    "decreasing": (1 / t, s / t, 1 / (s * t)),
    "steps": (1 / t, s / t, 1 / (s * t)),
    "fraction": (sp.Rational(1, 2), s, 1 - s),
    "differences": (sp.Integer(0),),
    "signs": (),
}


@dataclass(frozen=True)
class Family:
    """Formulas for all letters, along T with s = 1, or along s with so many steps."""

    formulas: tuple[tuple[Any, Any], ...]
    steps: int | None  # None where it is their number that grows

    @property
    def along(self) -> str:
        """What moves, in words."""
        return "T grows" if self.steps is None else "s vanishes"

    def sample(self, place: int) -> Sample:
        """One of three members."""
        steps = self.steps or _LONG[place]
        small = _SHORT[place] if self.steps else Fraction(1)
        single, rows = {}, {}
        for letter, formula in self.formulas:
            if isinstance(letter, sp.IndexedBase):
                entries = [_number(formula, n, steps, small) for n in range(1, steps + 2)]
                first = 2 * entries[0] - entries[1] if formula.has(t) else entries[0]
                rows[str(letter)] = (first, *entries)
            else:
                single[str(letter)] = _number(formula, 1, steps, small)
        return Sample(steps, single, rows, {})

    def text(self) -> str:
        """The formulas in words."""
        shown = [f"{letter}{'[t]' if isinstance(letter, sp.IndexedBase) else ''} = {formula}"
                 for letter, formula in self.formulas]  # fmt: skip
        return ", ".join([*([f"T = {self.steps}"] if self.steps else []), *shown])


def _number(formula: Any, n: int, steps: int, small: Fraction) -> Fraction:
    value = sp.sympify(formula).subs(
        {t: n, T: steps, s: sp.Rational(small.numerator, small.denominator)}
    )
    return Fraction(int(value.p), int(value.q))


def families(kinds: Mapping[Any, str]) -> Iterator[Family]:
    """All combinations: along s with one step and with two, then along T."""
    names = list(kinds)
    for steps, table in ((1, _ALONG_S), (2, _ALONG_S), (None, _ALONG_T)):
        options = []
        for name in names:
            given = table["real" if kinds[name] == "random" else kinds[name]]
            if steps is None and not isinstance(name, sp.IndexedBase):
                given = tuple(f for f in given if not f.has(t))
            options.append(given)
        for chosen in sorted(product(*options), key=lambda c: sum(f != 0 for f in c)):
            constant = [f.subs(t, 1) if not isinstance(n, sp.IndexedBase) else f
                        for n, f in zip(names, chosen, strict=True)]  # fmt: skip
            yield Family(tuple(zip(names, constant, strict=True)), steps)


def ratios(
    left: Any, right: Any, family: Family, reading: Reading, least: float = _GROWS
) -> list[float] | None:
    """Left over right at the members of a family, as long as each is larger than the last."""
    found: list[float] = []
    for place in range(3):
        sample = family.sample(place)
        try:
            b = reading.value(right, sample)
            if b <= 0:
                return None
            a = reading.value(left, sample)
        except (ZeroDivisionError, TypeError):
            return None
        found.append(float(a / b))
        if found[-1] <= 0 or (place and found[-1] <= least * found[-2]):
            return None
    return found


def unbounded(
    left: Any, right: Any, kinds: Mapping[Any, str], reading: Reading
) -> tuple[Family, list[float], Any] | None:
    """A family along which left over right grows, and its formula there, whose limit is infinite.

    >>> from verification.sequences.words import numbers, over
    >>> x = numbers("x")
    >>> family, _, ratio = unbounded(over(x[t]) ** 2, over(x[t] ** 2), {x: "real"}, Reading())
    >>> family.text(), ratio
    ('x[t] = 1', T)
    """
    for count, family in enumerate(families(kinds)):
        if count > _MOST:
            return None
        found = ratios(left, right, family, reading)
        if found is None:
            continue
        ratio = formula(left, right, family, reading)
        if ratio is None:
            continue
        if limit_of(ratio, family) == sp.oo:
            return family, found, ratio
    return None


def grows_with_a_letter(
    left: Any, right: Any, sample: Sample, reading: Reading, bounded: tuple[str, ...] = ()
) -> bool:
    """Whether left over right grows as one letter of a sample is made larger, or smaller."""
    for name in (*sample.single, *sample.rows, *sample.paths):
        for step in (Fraction(1, 256),) if name in bounded else (Fraction(256), Fraction(1, 256)):
            found: list[float] = []
            for power in range(3):
                moved = _scaled(sample, name, step**power)
                try:
                    a, b = (reading.value(side, moved) for side in (left, right))
                except (ZeroDivisionError, TypeError):
                    break
                if b <= 0 or a <= 0 or (found and a / b <= 4 * found[-1]):
                    break
                found.append(a / b)
            if len(found) == 3:
                return True
    return False


def _scaled(sample: Sample, name: str, by: Fraction) -> Sample:
    def row(x: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return tuple(by * y for y in x)

    return Sample(
        sample.steps,
        {n: by * x if n == name else x for n, x in sample.single.items()},
        {n: row(r) if n == name else r for n, r in sample.rows.items()},
        {n: tuple(map(row, p)) if n == name else p for n, p in sample.paths.items()},
    )


def lasting(
    value: Any, kinds: Mapping[Any, str], reading: Reading
) -> tuple[Family, list[float], Any] | None:
    """A family along which a value does not vanish as the number of steps grows."""
    for family in families(kinds):
        if family.steps is not None:
            continue
        found = ratios(value, sp.Integer(1), family, reading, _STAYS)
        if found is None:
            continue
        shown = formula(value, sp.Integer(1), family, reading)
        if shown is not None and limit_of(shown, family) != 0:
            return family, found, shown
    return None


def limit_of(ratio: Any, family: Family) -> Any:
    """As s vanishes, or T grows: harmonic numbers then grow, but slower than every power of T.

    >>> limit_of(T / sp.harmonic(T), Family((), None)), limit_of(sp.harmonic(T, 2) / T, Family((), None))
    (oo, 0)
    """
    if family.steps is not None:
        return sp.limit(ratio, s, 0, "+")
    slow = sp.Symbol("slow", positive=True)

    def number(e: Any) -> Any:
        return slow if len(e.args) == 1 or e.args[1] == 1 else sp.Symbol(f"z{e.args[1]}", positive=True)

    plain = ratio.replace(lambda e: isinstance(e, sp.harmonic), number)
    first = sp.limit(plain, T, sp.oo)
    return sp.limit(first, slow, sp.oo) if first.has(slow) else first


def formula(left: Any, right: Any, family: Family, reading: Reading) -> Any:
    """The ratio as a formula in s or T; None where a sum has none."""
    sides = []
    known = dict(family.formulas)
    for side in (left, right):
        e = sp.sympify(side).replace(lambda x: isinstance(x, E), lambda x: x.args[0])  # all is fixed
        if family.steps is not None:
            e = e.subs(T, family.steps).doit()
        for sequence, rule, start in reading.defined if family.steps is not None else ():
            e = _unrolled(e, sequence, rule, start, family.steps or 1)
        e = e.replace(lambda x: isinstance(x, sp.Indexed), lambda x: _entry(x, known))
        e = e.subs({letter: f for letter, f in known.items() if not isinstance(letter, sp.IndexedBase)})
        e = sp.simplify(e.doit())
        if e.has(sp.Sum) or e.has(sp.Indexed):
            return None
        sides.append(e)
    return sp.simplify(sides[0] / sides[1])


def _entry(x: Any, known: Mapping[Any, Any]) -> Any:
    if x.base not in known:
        return x
    f = sp.sympify(known[x.base])
    return f.subs(t, x.indices[0])


def _unrolled(e: Any, sequence: Any, rule: Any, start: Any, steps: int) -> Any:
    from verification.sequences.values import sequence_index

    (index,) = sequence_index(rule, start)
    for step in range(steps, 0, -1):
        e = e.subs(sequence[step], sp.sympify(rule).subs(index, step))
    return e.subs(sequence[0], start)
