"""Letters of a place whose values follow from those of the others: c = exp(-gamma h), beta = 1 - s^2.

Powers, sums and products of fractions are exact. An exponential of a fraction is none: a fraction next
to it stands for it, and all exponentials of one claim are made of the same few such fractions, so that
what is so between them, exp(-2 h) = exp(-h)^2, is exactly so between their values too. Exponentials
of letters fulfil no other equation with rational coefficients, so a claimed equation that holds of these
values, at places drawn at random, holds of the exponentials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache, reduce
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Itself, evaluate, square_root
from sgtheory.language import Parameter
from sgtheory.setting import Setting

_BITS = 160  # of the root of an exponential
# What differs in the eighth term of the series of exp(x) alone is still told apart by so many bits.
_NEAR, _FAR = Fraction(1, 2**14), 24  # its exponent, in absolute value
_PERIODIC = (sp.cos, sp.sin, sp.tan)
_HYPERBOLIC = (sp.sinh, sp.cosh, sp.tanh, sp.coth, sp.sech, sp.csch)
Pairs = tuple[tuple[Any, Any], ...]


class RootLetter(Parameter):
    """A letter for a root, from which the parameter under the root follows."""


class Freed(Parameter):
    """A parameter that follows from a letter for its root; the user sets it all the same."""


@dataclass(frozen=True)
class Followers:
    """Letters with their formulas in others.

    >>> h, c = sp.symbols("h c", positive=True)
    >>> found = Followers(((c, sp.exp(-h)),)).values({"h": Fraction(1, 2)})
    >>> round(float(found["c"]), 6)
    0.606531
    """

    pairs: Pairs

    @cached_property
    def hidden(self) -> frozenset[str]:
        """Abbreviations, and letters for roots: no parameters that a user sets."""
        roots = {s.name for _, m in self.pairs for s in m.free_symbols if isinstance(s, RootLetter)}
        return frozenset(c.name for c, _ in self.pairs if not isinstance(c, Freed)) | roots

    @cached_property
    def names(self) -> frozenset[str]:
        """The letters that follow."""
        return frozenset(letter.name for letter, _ in self.pairs)

    @cached_property
    def squares(self) -> dict[Any, Any]:
        """The squares of letters for roots, in the parameters that follow from them and in others."""
        found: dict[Any, Any] = {}
        for letter, meaning in self.pairs:
            roots = [s for s in meaning.free_symbols if isinstance(s, RootLetter)]
            if isinstance(letter, Freed) and len(roots) == 1:
                square = sp.Dummy(positive=True)
                solved = sp.solve(sp.expand(meaning).subs(roots[0], sp.sqrt(square)) - letter, square)
                found |= {roots[0]: solved[0]} if len(solved) == 1 else {}
        return found

    def roots_at(self, scalars: Mapping[str, Fraction]) -> dict[str, Fraction] | None:
        """The letters for roots where parameters have these values; None where one is no fraction."""
        found = {}
        for root, square in self.squares.items():
            try:
                value = evaluate(
                    square, {s: Itself(scalars[s.name]) for s in square.free_symbols}, Fraction
                )
                found[root.name] = square_root(Fraction(value), Fraction)
            except (KeyError, TypeError, ValueError, ZeroDivisionError):
                return None
        return found

    def values(self, scalars: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """What follows; a letter whose value is no fraction, or does not exist, is left out."""
        own = tuple((n, x) for n, x in sorted(scalars.items()) if n in self.leads)
        return dict(_values(self, own))

    @cached_property
    def leads(self) -> frozenset[str]:
        """The letters from which they follow, and which do not follow themselves."""
        every = {s.name for _, meaning in self.pairs for s in meaning.free_symbols}
        return frozenset(every - self.names)

    @cached_property
    def _written(self) -> tuple[Pairs, Pairs]:
        """The formulas in leading letters and in letters for exponentials; and what is exponentiated."""
        known: dict[Any, Any] = {}
        for letter, meaning in self.pairs:
            known[letter] = sp.sympify(meaning).subs(known)
        plain = [_without_hyperbolas(m) for m in known.values()]
        return _in_units(tuple(known), plain)


@cache
def following(setting: Setting) -> Followers | None:
    """The letters of a sampler's places whose values are made of those of its parameters."""
    return Followers(setting.sampler.where) if setting.sampler.where else None


@lru_cache(maxsize=50_000)
def _values(of: Followers, leads: tuple[tuple[str, Fraction], ...]) -> tuple[tuple[str, Fraction], ...]:
    written, units = of._written
    given, found = dict(leads), []
    try:
        roots: dict[Any, Any] = {u: _root_of(e, given) for u, e in units}
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return ()
    for letter, meaning in written:
        try:
            found.append((letter.name, _value(meaning, given, roots)))
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            continue
    return tuple(found)


def _value(meaning: Any, given: Mapping[str, Fraction], roots: Mapping[Any, Any]) -> Fraction:
    from verification.laws.rational import rooted

    if meaning.atoms(sp.Function):
        return _near(meaning.subs({s: _exact(given[s.name]) for s in meaning.free_symbols}))
    every = {s: roots[s] if s in roots else rooted(given[s.name]) for s in meaning.free_symbols}
    value: Fraction = evaluate(meaning, every, Fraction)
    return value


def _root_of(unit: Any, given: Mapping[str, Fraction]) -> Any:
    """What a letter for an exponential is the square of; the tangent of half a turn, as it is."""
    argument = _value(unit.args[0] if isinstance(unit, sp.tan) else unit / 2, given, {})
    return Itself(_tangent(argument)) if isinstance(unit, sp.tan) else _exponential(argument)


@lru_cache(maxsize=20_000)
def _exponential(x: Fraction) -> Fraction:
    if x != 0 and not _NEAR < abs(x) < _FAR:
        raise TypeError("an exponential that takes more digits")
    return _rounded("exp", x)


@lru_cache(maxsize=20_000)
def _tangent(x: Fraction) -> Fraction:
    return _rounded("tan", x)


def _rounded(function: str, x: Fraction) -> Fraction:
    """A value of a function, to so many bits."""
    import mpmath

    with mpmath.workprec(_BITS):
        found = getattr(mpmath, function)(mpmath.mpf(x.numerator) / x.denominator)
        return Fraction(int(found.man)) * Fraction(2) ** int(found.exp) * (-1 if found < 0 else 1)


def _exact(x: Fraction) -> Any:
    return sp.Rational(x.numerator, x.denominator)


def _near(value: Any) -> Fraction:
    """A fraction next to a number that is made of other functions."""
    found = sp.N(value, 40)
    if not found.is_real or not found.is_finite:
        raise TypeError(f"no real number: {found}")
    top, bottom = sp.Rational(found).limit_denominator(2**_BITS).as_numer_denom()
    return Fraction(int(top), int(bottom))


def _without_hyperbolas(meaning: Any) -> Any:
    return sp.sympify(meaning).replace(lambda e: isinstance(e, _HYPERBOLIC), lambda e: e.rewrite(sp.exp))


def _in_units(letters: tuple[Any, ...], meanings: list[Any]) -> tuple[Pairs, Pairs]:
    """Formulas with a letter for the exponential of each monomial; also for tangents of half a turn."""
    exponents = {t for m in meanings for e in m.atoms(sp.exp) for t in _terms(e.args[0])}
    grouped: dict[Any, list[Any]] = {}
    for term in exponents:
        factor, monomial = term.as_coeff_Mul()
        grouped.setdefault(monomial, []).append(abs(factor))
    units: dict[Any, tuple[Any, Any]] = {}
    for k, (monomial, factors) in enumerate(sorted(grouped.items(), key=lambda g: str(g[0]))):
        measure = reduce(_common, factors)
        units[monomial] = (sp.Symbol(f"_unit_{k}", positive=True), measure)

    def power(exponent: Any) -> Any:
        parts = (t.as_coeff_Mul() for t in _terms(exponent))
        return sp.Mul(*(units[m][0] ** (c / units[m][1]) for c, m in parts))

    plain = [m.replace(lambda e: isinstance(e, sp.exp), lambda e: power(e.args[0])) for m in meanings]
    turns = sorted({f.args[0] for m in plain for f in m.atoms(*_PERIODIC)}, key=str)
    halves = {u: sp.Symbol(f"_turn_{k}", real=True) for k, u in enumerate(turns)}
    put: dict[Any, Any] = {}
    for u, t in halves.items():
        sine, cosine = 2 * t / (1 + t**2), (1 - t**2) / (1 + t**2)
        put |= {sp.cos(u): cosine, sp.sin(u): sine, sp.tan(u): sine / cosine}
    plain = [m.xreplace(put) for m in plain]
    found = [(unit, monomial * measure) for monomial, (unit, measure) in units.items()]
    found += [(t, sp.tan(u / 2)) for u, t in halves.items()]
    return tuple(zip(letters, plain, strict=True)), tuple(found)


def _terms(exponent: Any) -> tuple[Any, ...]:
    return sp.Add.make_args(sp.expand(exponent))


def _common(a: Any, b: Any) -> Any:
    if not (a.is_Rational and b.is_Rational):
        return a
    return sp.Rational(sp.igcd(a.p * b.q, b.p * a.q), a.q * b.q)
