"""Where a sum over the eigenvalues of A is smallest in a number, in closed form for every dimension.

Along the logarithm of x the slope is a sum of powers of x, each with a sum over the eigenvalues beside
it. Where the lower ones have a sum below zero and the higher ones a sum above it, the slope has one zero
and rises through it (Descartes); with two powers that is a quotient of two sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.pairs import LI
from sgtheory.polynomials import is_zero
from verification.laws.pair_form import function_of_A
from verification.laws.per_mode import left_at_one_mode
from verification.notation import D
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Term, term
from verification.theories.answers import Answer, Chosen, Disproved, Proved
from verification.theories.matrices import by_modes, spectral
from verification.theories.matrices.reader import Modes
from verification.theories.matrices.reader import summand as sum_of_modes

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_LEMMA = (
    "Each eigenvalue of $A$ adds powers of it to the slope, the lower ones negative and the higher ones"
    " positive: it falls up to there, and rises from there on, in every dimension."
)


_ONE, _OTHER = sp.Rational(1, 97), sp.Rational(2, 97)


@dataclass(frozen=True)
class _Slope:
    """Two powers of a number, and what one eigenvalue adds to the factor of each."""

    low: tuple[Any, Any]
    high: tuple[Any, Any]
    single: bool  # whether there is one eigenvalue


def is_best(law: Law, chosen: Chosen) -> Answer | None:
    """Whether a value is where the slope vanishes; None of what is no such sum."""
    found = _slope(law, chosen)
    value = None if found is None else spectral.read(law, chosen.value)
    if found is None or value is None:
        return None
    (p, a), (q, b) = found.low, found.high
    rest = (Modes(-a) / Modes(b)) ** (1 / (q - p)) - value
    if found.single:
        rest = rest.replace(Modes, lambda one: one)
    if _is_elsewhere(rest):
        return Disproved("Its slope does not vanish there.")
    alike = is_zero(rest.replace(Modes, _summed))
    return Proved(_LEMMA, facts={"dimensions": "every"}) if alike else None


def instead(law: Law, chosen: Chosen) -> Iterator[Term]:
    """Where it is smallest, in traces."""
    found = _slope(law, chosen)
    if found is None or found.single:
        return
    (p, a), (q, b) = found.low, found.high
    if left_at_one_mode(a) or left_at_one_mode(b):
        return  # entries of a noise are no functions of A
    quotient = _in_traces(law, (-a, b))
    power = 1 / (q - p)
    yield quotient if power == 1 else quotient ** term(str(power))


def _slope(law: Law, chosen: Chosen) -> _Slope | None:
    """The slope of a sum over the eigenvalues along the logarithm, where it has two powers."""
    if chosen.largest or law.setting is None or law.sets or chosen.letter.kind != "positive":
        return None
    found = spectral.read(law, chosen.of)
    if found is None:
        return None
    single = spectral.single(law)
    summand = found if single else sum_of_modes(found)
    under = summand is None and spectral.is_root(found)  # a root is smallest where its square is
    summand = sum_of_modes(sp.expand(found**2)) if under else summand
    x, root = law.symbols(chosen.letter), sp.Symbol("_root", positive=True)
    if summand is None or not summand.has(x):
        return None
    slope = sp.expand(root * sp.diff(summand.subs(x, root**2), root) / 2)
    powers: dict[Any, Any] = {}
    for part in sp.Add.make_args(sp.expand(sp.expand_log(slope, force=True))):
        factor, twice = part.as_coeff_exponent(root)
        power = twice / 2
        if factor.has(root) or not power.is_Rational:
            return None
        powers[power] = powers.get(power, 0) + factor
    each = sorted((p, sp.simplify(a)) for p, a in powers.items() if not is_zero(a))
    if len(each) != 2:
        return None
    (low, high), bounds = each, by_modes.bounds_at_a_mode(law, chosen.of, chosen.given)
    if any((small - large).has(x) for small, large, _ in bounds):
        return None  # where it may be is not all of the numbers above zero
    signs = (by_modes.is_certain(law, one, bounds) for one in (-low[1], high[1]))
    return _Slope(low, high, single) if all(signs) else None


def _is_elsewhere(rest: Any) -> bool:
    """Whether it is not zero at two small eigenvalues."""
    put = rest.replace(Modes, lambda one: one.subs(LI, _ONE) + one.subs(LI, _OTHER))
    letters = sorted(put.free_symbols - {LI}, key=str)
    there = {x: sp.Rational(3 + k, 7) for k, x in enumerate(letters)} | {LI: _ONE}
    return bool(abs(sp.N(put.subs(there), 30)) > 1e-20)


def _summed(of: Any) -> Any:
    """The sum over the eigenvalues of a function, by a letter for each function without a factor."""
    total = sp.Integer(0)
    for part in sp.Add.make_args(sp.expand(sp.apart(sp.together(of), LI) if _plain(of) else of)):
        factor, own = sp.factor(part).as_independent(LI, as_Add=False)
        square = sp.factor(sp.cancel(own**2))
        if not _plain(own) and _plain(square):  # a root is one function however it is taken apart
            number, own = square.as_independent(LI, as_Add=False)
            sign = -1 if sp.sign(number.subs(dict.fromkeys(number.free_symbols, 1))) < 0 else 1
            factor, own = factor * sp.sqrt(sign * number), sp.sqrt(sp.factor(sign * own))
        total += factor * sp.Symbol(f"sum({sp.factor(own)})", positive=True)
    return total


def _plain(of: Any) -> bool:
    return bool(sp.sympify(of).is_rational_function(LI))


def _in_traces(law: Law, of: Any) -> Term:
    """A quotient of sums over the eigenvalues as one of traces."""
    known: dict[Any, Any] = {}

    def total(one: Any) -> Any:
        parts = (p.as_independent(LI, as_Add=False) for p in sp.Add.make_args(sp.expand(one)))
        return sp.Add(*(factor * letter(own) for factor, own in parts))

    def letter(own: Any) -> Any:
        sign = -1 if own.subs(LI, 0).is_negative else 1
        trace = Applied("tr", (function_of_A(sign * own, roots=True),))
        known[found := sp.Symbol(f"_{trace}", positive=True)] = D if own == 1 else law.symbols(trace)
        return sign * found

    above, below = of
    return from_sympy(sp.cancel(total(above) / total(below)).xreplace(known))
