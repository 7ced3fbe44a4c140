"""Limits and orders of what a law has in time: first terms at a pair of modes, different or alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import say
from verification.laws.pair_form import DELTA, NotInPairForm, function_of_A
from verification.notation import eps
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term
from verification.terms.ways import Way
from verification.theories import noncommuting
from verification.theories.answers import Answer, Disproved, Proved
from verification.theories.time.expansion import expanded, first
from verification.theories.time.gaps import S, long_run, of_modes
from verification.theories.time.mending import A, Sigma
from verification.theories.time.mending import eps as STEP
from verification.theories.time.modes import ELL_I, ELL_J
from verification.theories.time.spelling import slope
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.theories.time.laws import Law

_ORDERS = 6  # of exponentials, as their exponents vanish
First = tuple[Any, Any]  # a power, and the coefficient
_ALIKE = {LJ: LI, ELL_J: ELL_I}


def _terms(law: Law, side: Term, way: Way, alike: bool = False) -> dict[Any, First]:
    """The first term of each entry."""
    x, found = law.reading.symbol(way.letter), {}
    entries = law.entries(side, single=True) if alike else law.entries(side)
    for letter, value in entries.items():
        value = expanded(value, x, _ORDERS) if way.to == "0" else value
        rooted = any(p.base == x and not p.exp.is_Integer for p in value.atoms(sp.Pow))
        one = first(value.subs(x, x**2) if rooted else value, x, way.to)
        if one is not None:
            found[letter] = (one[0] / sp.Integer(2), one[1]) if rooted else one
    return found


def _size(one: First | None, way: Way) -> Any:
    """Larger for what vanishes faster."""
    return sp.oo if one is None else one[0] * way.sign


def has_order(law: Law, left: Term, word: str, right: Term, way: Way, given: tuple[Any, ...]) -> Answer:
    """Whether left is of the order of right, smaller, or asymptotically equal to it, entry by entry."""
    try:
        held = [_held(law, left, word, right, way, alike) for alike in (False, True)]
        told = _told(law, left - right if word == "~" else left, word, way)
    except (NotInPairForm, ZeroDivisionError):
        if word == "o" and way.letter not in right.letters and _decays(law, left, way):
            return Proved(say("Exponentials of positive definite matrices decay, as {}.", way))
        return noncommuting.has_order(law, left, word, right, way)
    words = say("as {}{}", way, law.scope)
    if all(held):
        return Proved(say("The first terms at every pair of modes agree with it, {}.", words), told)
    return Disproved(say("The first terms at a pair of modes are others, {}.", words), told)


def _held(law: Law, left: Term, word: str, right: Term, way: Way, alike: bool) -> bool:
    below = _terms(law, right, way, alike)
    if word == "~":
        rest = _terms(law, left - right, way, alike)
        return bool(below) and all(_size(t, way) > _size(below.get(k), way) for k, t in rest.items())
    wanted = min(_size(t, way) for t in below.values())
    size = min((_size(t, way) for t in _terms(law, left, way, alike).values()), default=sp.oo)
    held = {"o": size > wanted, "O": size >= wanted, "Omega": size <= wanted, "Theta": size == wanted}
    return bool(held[word])


def _decays(law: Law, side: Term, way: Way) -> bool:
    """Whether a side is a product in which what moves are decaying exponentials, of any matrices."""
    if isinstance(side, Applied) and side.head == "*":
        return any(_decays(law, part, way) for part in side.of) and all(
            _decays(law, part, way) or way.letter not in part.letters for part in side.of
        )
    if not isinstance(side, Applied) or side.head != "expm" or way.to != "oo":
        return False
    (inside,) = side.of
    rate = slope(inside, way.letter)
    matrices = {a: A for a in inside.letters if a.kind == "matrix"}
    found = None if rate is None or len(matrices) != 1 else law.reading.of(rate.put(dict(matrices)))
    return found is not None and set(found) == {DELTA} and bool(found[DELTA].is_negative)


def _told(law: Law, side: Term, word: str, way: Way) -> Derivation:
    name = ("left - right", r"\text{left} - \text{right}") if word == "~" else ("left", r"\text{left}")
    x = law.reading.symbol(way.letter)
    total = sp.Add(*(k * c * x**p for k, (p, c) in _terms(law, side, way).items()))
    shown = Equation(Formula(rf"({name[1]})_{{ij}}", f"({name[0]})_ij"), total, "->")
    step = Step("First terms", say("At a pair of modes, as {}:", way), (shown,))
    return Derivation("Limits at a pair of modes", (step,), ())


def first_term(
    law: Law, left: Term, way: Way, given: tuple[Any, ...]
) -> tuple[tuple[Term, ...], Term | None]:
    """The first term of a side, as far as matrix formulas say it; and its power."""
    try:
        found = _terms(law, left, way)
    except NotInPairForm:
        return (), noncommuting.power(law, left, way)
    x = law.reading.symbol(way.letter)
    power = max(found.values(), key=lambda t: -_size(t, way), default=(0, 0))[0]
    return tuple(_formulas(law, left, way, found)), _power(way, x**power)


def _formulas(law: Law, left: Term, way: Way, found: dict[Any, First]) -> Iterator[Term]:
    x = law.reading.symbol(way.letter)
    if set(found) == {DELTA}:
        power, coefficient = found[DELTA]
        right = function_of_A(coefficient)
        if right is not None:
            yield right if power == 0 else _power(way, x**power) * right
    windows = {t.of[0] for t in left.subterms() if isinstance(t, Applied) and t.head == "averaged"}
    if windows and (law.time == "discrete" or len(windows) > 1):
        for value in (long_run, _of_posterior, _of_sums):
            yield _with_averages(left, value)


def _power(way: Way, power: Any) -> Term:
    """A power of the letter that moves."""
    return from_sympy(power).put({Letter(way.letter.name): way.letter})


def _of_posterior(window: Term) -> Term:
    return A**-1 / (window * S)


def _of_sums(window: Term) -> Term:
    return (A**-1 * Sigma + Sigma * A**-1) / (STEP * window) - Sigma / window


def _with_averages(side: Term, value: Callable[[Term], Term]) -> Term:
    """With a formula of each window for the average over it."""
    if isinstance(side, Applied) and side.head == "averaged":
        return value(side.of[0])
    return side.with_parts(tuple(_with_averages(part, value) for part in side.parts))


def relative_gap(law: Law, left: Term, right: Term, way: Way, given: tuple[Any, ...]) -> Gap | None:
    """How fast the ratio comes to be one; of the algorithm, how near it comes as the step vanishes."""
    try:
        return _speed(law, left, right, way) or _left_over(law, left, right, way)
    except (NotInPairForm, ZeroDivisionError):
        return None


def _speed(law: Law, left: Term, right: Term, way: Way) -> Gap | None:
    """Left over right minus one, to first order, for a mode with itself."""
    x = law.reading.symbol(way.letter)
    rest, below = _terms(law, left - right, way, True), _terms(law, right, way, True)
    if len(rest) != 1 or not set(rest) <= set(below):
        return None
    ((letter, (power, c)),) = rest.items()
    power, c = power - below[letter][0], sp.factor(c / below[letter][1])
    small, power = (1 / x, -power) if way.to == "oo" else (x, power)
    if power <= 0:
        return None
    return of_modes(Gap.of(small, power, sp.factor(c.subs(_ALIKE)) * small**power), law)


def _left_over(law: Law, left: Term, right: Term, way: Way) -> Gap | None:
    """What the ratio of the limits is off one, to first order in the step."""
    if law.time != "discrete" or way.letter.name == eps.name:
        return None
    generic, alike = (
        _worst(*(_terms(law, side, way, one) for side in (left, right))) for one in (False, True)
    )
    if generic is None or generic[0] <= 0:
        return None
    power, c = alike if alike is not None and alike[0] == generic[0] else generic
    return of_modes(Gap.of(eps, power, sp.factor(c) * eps**power), law)


def _worst(left: dict[Any, First], right: dict[Any, First]) -> First | None:
    if set(left) != set(right) or any(left[k][0] != right[k][0] for k in left):
        return sp.Integer(0), sp.Integer(1)
    ratios = [sp.together(left[k][1] / right[k][1] - 1) for k in left]
    found = [t for t in (first(r, eps) for r in ratios) if t is not None]
    return min(found, key=lambda t: t[0], default=None)
