"""The stationary law of a chain on a line to first order in its step, whatever its functions are.

A step is x' = F(x, xi), or x' = F(x, x', xi), and stays where it is as h vanishes. Its law is
that of its limit times 1 + h g + ...; the slope of g follows from moments of one step, by parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.noises import NORMAL, NoiseLaw
from sgtheory.errors import UnusableInput

_ORDERS = 4  # half powers of the step that are kept


@dataclass(frozen=True)
class LineStep:
    """One step on a line: ``after`` in the place, perhaps the place after it, and noises.

    Noises are standard normal numbers, where ``laws`` says nothing else of them.

    >>> x, h, xi = sp.symbols("x h xi", real=True)
    >>> T, U = sp.Symbol("T", positive=True), sp.Function("U")
    >>> after = x - h * U(x).diff(x) + sp.sqrt(2 * T * h) * xi
    >>> euler = LineStep(after, x, (xi,))
    >>> euler.limit(h)
    (-Derivative(U(x), x), 2*T)
    >>> whole(euler.slope(h), x)
    -Derivative(U(x), (x, 2))/2 + Derivative(U(x), x)**2/(4*T)
    """

    after: Any
    place: Any
    noises: tuple[Any, ...]
    new: Any = None
    laws: tuple[NoiseLaw, ...] = ()

    def law(self, noise: Any) -> NoiseLaw:
        """That of a noise."""
        return self.laws[self.noises.index(noise)] if self.laws else NORMAL

    @property
    def drawn(self) -> tuple[tuple[Any, NoiseLaw], ...]:
        """Its noises with their laws."""
        return tuple((one, self.law(one)) for one in self.noises)

    @property
    def is_normal(self) -> bool:
        """Whether all of its noises are normal."""
        return all(one == NORMAL for one in self.laws)

    def put(self, change: Any) -> LineStep:
        """With numbers for letters, in the laws of its noises too."""
        laws = tuple(NoiseLaw(one.name, tuple(map(change, one.of))) for one in self.laws)
        return LineStep(change(self.after), self.place, self.noises, self.new, laws)

    def moments(self, h: Any) -> dict[tuple[int, int], Any]:
        """The mean of (x' - x)^k / k! by k and the power of h, up to h^2."""
        return _moments(self, h)

    def worked_out(self, h: Any) -> dict[tuple[int, int], Any]:
        """The same, worked out."""
        s = sp.Dummy("s", positive=True)
        away = self._away(h, s)
        found: dict[tuple[int, int], Any] = {}
        power: dict[int, Any] = {0: sp.Integer(1)}
        for k in range(1, _ORDERS + 1):
            power = _times(power, away)
            for order, coefficient in power.items():
                mean = self.mean(coefficient)
                if mean == 0:
                    continue
                if order % 2:
                    raise UnusableInput("means in whole powers of the step", f"h^({order}/2)", "mend it")
                found[k, order // 2] = sp.expand(mean / math.factorial(k))
        return found

    def _away(self, h: Any, s: Any) -> dict[int, Any]:
        """x' - x by powers of the root of h."""
        expr = self.after.subs(h, s**2)
        if self.new is None:
            return _coefficients(expr - self.place, s)
        slopes, one = [], expr - self.place  # by Taylor's formula in the new place
        for k in range(_ORDERS + 1):
            at_place = one.subs(self.new, self.place).doit() / math.factorial(k)
            slopes.append(_coefficients(at_place, s))
            one = sp.diff(one, self.new)
        found: dict[int, Any] = {}
        for _ in range(_ORDERS):
            total, power = dict(slopes[0]), found
            for slope in slopes[1:]:
                for order, x in _times(slope, power).items():
                    total[order] = total.get(order, sp.Integer(0)) + x
                power = _times(power, found)
            found = {k: sp.expand(c) for k, c in total.items()}
        return found

    def mean(self, expr: Any) -> Any:
        """Over the noises, of a polynomial in them."""
        for noise in self.noises:
            expr = sp.expand(expr)
            if not expr.has(noise):
                continue
            if not expr.is_polynomial(noise):
                raise UnusableInput("a polynomial in the noise", str(noise), "let it enter as a sum")
            terms = sp.Poly(expr, noise).terms()
            expr = sp.Add(*(c * self.law(noise).moment(k) for (k,), c in terms))
        return expr

    def limit(self, h: Any) -> tuple[Any, Any]:
        """The drift and the squared noise of the equation that the step follows."""
        known = self.moments(h)
        if any(order == 0 for _, order in known) or any(k > 2 and o == 1 for k, o in known):
            raise UnusableInput(
                "a step that stays where it is as h vanishes", str(self.after), "mend it"
            )
        return known.get((1, 1), sp.Integer(0)), 2 * known.get((2, 1), sp.Integer(0))

    def score(self, h: Any) -> Any:
        """The slope of the logarithm of the density that the limit keeps."""
        drift, square = self.limit(h)
        if square == 0:
            raise UnusableInput("noise in the limit", "none", "scale a noise with sqrt(h)")
        return sp.expand((2 * drift - sp.diff(square, self.place)) / square)

    def slope(self, h: Any) -> Any:
        """The slope of g: a g'/2 = -sum_k (-1)^k D^(k-1) c_k, where D is d/dx plus the score."""
        known, score, x = self.moments(h), self.score(h), self.place
        square, total = self.limit(h)[1], sp.Integer(0)
        for k in range(1, _ORDERS + 1):
            part = known.get((k, 2), sp.Integer(0))
            for _ in range(k - 1):
                part = sp.expand(sp.diff(part, x) + score * part)
            total -= (-1) ** k * part
        return sp.expand(2 * total / square)


@lru_cache(maxsize=200)
def _moments(step: LineStep, h: Any) -> dict[tuple[int, int], Any]:
    return step.worked_out(h)


def _coefficients(expr: Any, s: Any) -> dict[int, Any]:
    """By Taylor's formula at zero."""
    found, one = {}, expr
    for k in range(_ORDERS + 1):
        value = sp.expand(one.subs(s, 0).doit()) / math.factorial(k)
        if value.has(sp.nan, sp.zoo, sp.oo):
            raise UnusableInput("a step that is smooth in the root of h", str(expr), "mend it")
        if value != 0:
            found[k] = value
        one = sp.diff(one, s)
    return found


def _times(a: dict[int, Any], b: dict[int, Any]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for i, x in a.items():
        for j, y in b.items():
            if i + j <= _ORDERS:
                found[i + j] = found.get(i + j, sp.Integer(0)) + x * y
    return found


def whole(slope: Any, x: Any) -> Any:
    """What has this slope, whatever the open functions are; None where there is no such formula.

    The highest derivative of a slope stands there to the first power.
    """
    total, rest = sp.Integer(0), sp.expand(slope)
    while rest != 0:
        highest = max(_derivatives(rest, x), key=lambda pair: pair[1], default=None)
        if highest is None:
            found = sp.integrate(rest, x)
            return None if found.has(sp.Integral) else sp.expand(total + found)
        f, n = highest
        top = f.diff(x, n)
        if n == 0 or not rest.is_polynomial(top) or sp.degree(rest, top) != 1:
            return None
        below, y = f.diff(x, n - 1), sp.Dummy("y")
        factor = sp.Poly(rest, top).coeff_monomial(top)
        if any(m >= n for g, m in _derivatives(factor, x) if g == f):
            return None
        part = sp.integrate(factor.subs(below, y) if n > 1 else factor.xreplace({f: y}), y)
        if part.has(sp.Integral):
            return None
        part = part.subs(y, below)
        total, before = total + part, rest
        rest = sp.expand(rest - sp.diff(part, x).doit())
        if rest == before:
            return None
    return sp.expand(total)


def _derivatives(expr: Any, x: Any) -> set[tuple[Any, int]]:
    """The open functions of the place in an expression, each with how often it is derived."""
    found = {(f, 0) for f in expr.atoms(AppliedUndef) if f.has(x)}
    found |= {(d.expr, int(d.derivative_count)) for d in expr.atoms(sp.Derivative)}
    return {(f, n) for f, n in found if n == max(m for g, m in found if g == f)}


@dataclass(frozen=True)
class Parts:
    """Means under exp(-V), up to a constant, by parts: E[V' m] = E[m'], whatever m is.

    An open V leaves nothing with V' in it; of a polynomial V nothing is left from the power of V' on.

    >>> x, T = sp.symbols("x T", positive=True)
    >>> U = sp.Function("U")(x)
    >>> Parts(U / T, x).normal(x**2 * U.diff(x) ** 2 / T)
    2*T + m(x**2*Derivative(U(x), (x, 2)))
    >>> Parts(x**4 / (4 * T), x).normal(x**6)
    3*T*m(x**2)
    """

    potential: Any
    place: Any

    @cached_property
    def _leading(self) -> tuple[Any, int, Any] | None:
        """What is replaced (a derivative or the place), its power in V', and its factor."""
        slope = sp.expand(sp.diff(self.potential, self.place))
        opened = sorted(_derivatives(slope, self.place), key=lambda pair: -pair[1])
        if opened:
            top = opened[0][0].diff(self.place, opened[0][1])
            linear = opened[0][1] > 0 and len(opened) == 1 and slope.is_polynomial(top)
            factor = sp.Poly(slope, top).coeff_monomial(top) if linear else sp.Integer(0)
            usable = linear and sp.degree(slope, top) == 1 and not factor.has(self.place)
            return (top, 1, factor) if usable and factor != 0 else None
        if not slope.is_polynomial(self.place):
            return None
        poly = sp.Poly(slope, self.place)
        return self.place, poly.degree(), poly.LC()

    def normal(self, expr: Any) -> Any:
        """A mean, in means of what is not taken apart by parts."""
        return self._normal(sp.expand(expr), sp.Integer(0))

    def _normal(self, expr: Any, known: Any) -> Any:
        slope, led = sp.expand(sp.diff(self.potential, self.place)), self._leading
        for _ in range(200):
            found = None if led is None else self._reducible(expr, led)
            if found is None:
                return sp.expand(known + sp.Add(*(self._mean(t) for t in sp.Add.make_args(expr))))
            term, rest = found  # term = factor lead^n rest, and lead^n = V'/factor - lower
            top, power, factor = led  # type: ignore[misc]
            lower = sp.expand(factor * top**power - slope)
            expr = sp.expand(expr - term + rest * lower / factor + sp.diff(rest, self.place) / factor)
        raise UnusableInput("a mean that parts take apart", str(expr), "take a lower power")

    def _reducible(self, expr: Any, led: tuple[Any, int, Any]) -> tuple[Any, Any] | None:
        top, power, _ = led
        for term in sp.Add.make_args(expr):
            if not term.has(top) or not term.is_polynomial(top):
                continue
            n = sp.degree(term, top)
            if n >= power:
                return term, sp.expand(term / top**power)
        return None

    def _mean(self, term: Any) -> Any:
        outside, inside = term.as_independent(self.place, *_functions(term), as_Add=False)
        return outside if inside == 1 else outside * MEAN(inside)


MEAN = sp.Function("m")


def _functions(expr: Any) -> tuple[Any, ...]:
    return tuple(expr.atoms(AppliedUndef))
