"""Claims about a density that is normal in some of its letters, given the rest: marginals and means.

In symbols the square is completed. In numbers a mean is read off the moment generating function, as an
exact power series; a marginal is compared at two points. Scripts integrate by the trapezoidal rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.dynamics.coefficients import vanishes
from sgtheory.dynamics.density import marginal
from sgtheory.dynamics.taylor import Exactly, Taylor
from sgtheory.dynamics.walking import walk
from sgtheory.fields import inverse
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.formal import Formal, Line, kind_of, symbols_in, values_of
from verification.claims.functions import (
    functions_in,
    letters_of,
    polynomials,
    positive_at,
    put_in,
    written,
)
from verification.normal_integrals import mean_under
from verification.refuter.jetscript import name_of, python
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding

_CLOSE = 1e-9  # of logarithms of determinants in floating point
_MOVED = "_2"  # a kept state at a second point


@dataclass(frozen=True, kw_only=True)
class _OfDensity(Formal):
    """What both types have in common."""

    log_density: Any

    @property
    def expressions(self) -> tuple[Any, ...]:
        """All formulas."""
        raise NotImplementedError

    @property
    def integrated(self) -> tuple[Any, ...]:
        """The letters in which it is normal."""
        raise NotImplementedError

    @property
    def parameters(self) -> tuple[Any, ...]:
        """All others."""
        return tuple(s for s in symbols_in(self.expressions) if s not in self.integrated)

    def space(self) -> Space:
        """Letters, and the coefficients of polynomials for the functions."""
        scalars = {s.name: kind_of(s) for s in self.parameters}
        return Space({}, {**scalars, **letters_of(functions_in(self.expressions))})

    @property
    def functions(self) -> dict[str, Any]:
        """Unspecified functions, each as it is first applied."""
        return functions_in(self.expressions)

    def known(self, place: Place) -> Exactly | None:
        """The arithmetic of a place; None where what should be positive is not."""
        functions = self.functions
        chosen = polynomials(functions, place)
        for name, f in functions.items():
            point = [place.scalars.get(getattr(a, "name", ""), Fraction(0)) for a in f.args]
            if not positive_at(f, chosen[name], point):
                return None
        return Exactly(values_of(self.parameters, place), chosen)

    def form(self, known: Exactly) -> tuple[list[list[Fraction]], list[Fraction], Fraction]:
        """Hessian of minus the log density, its gradient and its value where the letters are zero."""
        over = self.integrated
        n, zero = len(over), Fraction(0)
        moving = {s: Taylor.variable(k, zero, n, 2) for k, s in enumerate(over)}
        energy = -(Taylor({}, n, 2) + walk(sp.sympify(self.log_density), known.but(moving)))
        unit = [tuple(int(i == k) for i in range(n)) for k in range(n)]
        A = [
            [energy.terms.get(tuple(map(int.__add__, a, b)), zero) * (2 if a == b else 1) for b in unit]
            for a in unit
        ]
        return A, [energy.terms.get(a, zero) for a in unit], energy.constant

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The functions, the letters, and both sides."""
        functions = self.functions
        chosen = polynomials(functions, failure.place)
        shown = {str(f): plain(written(chosen[n], f.args)) for n, f in functions.items()}
        others = {n: str(x) for n, x in failure.place.scalars.items() if "_" not in n}
        left, right = str(failure.sides.left), str(failure.sides.right)
        return Counterexample({**shown, **others}, left, right, "left and right side")

    def text_at(self, expr: Any, place: Place) -> str:
        """An expression with a place's polynomials, as text for a script."""
        functions = self.functions
        return python(put_in(expr, functions, polynomials(functions, place)))


@dataclass(frozen=True, kw_only=True)
class Mean(_OfDensity):
    """``E[f] = value`` under a density that is normal in ``over``, given all other letters."""

    over: tuple[Any, ...]
    f: Any
    value: Any

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Density, f and value."""
        return tuple(map(sp.sympify, (self.log_density, self.f, self.value)))

    @property
    def integrated(self) -> tuple[Any, ...]:
        """All of ``over``."""
        return self.over

    def lines(self) -> tuple[Line, ...]:
        """The density, and the mean."""
        d, f, value = self.expressions
        return (
            Line(rf"\rho \propto \exp\left({latex(d)}\right)", f"rho ~ exp({plain(d)})"),
            Line(
                rf"\mathbb{{E}}\left[{latex(f)}\right] = {latex(value)}",
                f"E[{plain(f)}] = {plain(value)}",
            ),
        )

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced."""
        d, f, value = (e.subs(values) for e in self.expressions)
        return replace(self, log_density=d, f=f, value=value)

    def prove_freely(self, time: str) -> Proof:
        """By completing the square, and integration by parts."""
        true = mean_under(self.log_density, self.over, self.f)
        holds = vanishes(true - self.value, self.parameters)
        shown = Equation(Formula(r"\mathbb{E} f", "E f"), true)
        told = Evidence(
            "symbolic",
            "By completing the square.",
            {"mean": plain(true)},
            Derivation(
                "The mean", (Step("Integration by parts", "", (shown,)),), (Result("mean", shown),)
            ),
        )
        return Proof(holds, f"The mean is {plain(true)}.", (told,))

    def look_freely(self, time: str) -> Look:
        """The mean off the moment generating function, in fractions."""

        def at(place: Place) -> Sides | None:
            known = self.known(place)
            if known is None:
                return None
            A, c, _ = self.form(known)
            C = inverse(A)
            n = len(self.over)
            mu = [-sum(C[i][j] * c[j] for j in range(n)) for i in range(n)]
            left = _off_generating_function(sp.Poly(self.f, *self.over), mu, C, known)
            right = walk(sp.sympify(self.value), known)
            return Sides(left, right, left == right)

        return at

    def correct(self, time: str) -> Correction | None:
        """The mean itself."""
        fixed = replace(self, value=mean_under(self.log_density, self.over, self.f))
        if fixed.find(time).verdict != "proved":
            return None
        line = fixed.lines()[1]
        return Correction(line.latex(), line.text(), "proved", "for all letters", (fixed,))

    def script(self, failure: Failure, time: str) -> str:
        """By the trapezoidal rule."""
        claim, place = self.resolved, failure.place
        known = claim.known(place)
        assert known is not None
        A, c, _ = claim.form(known)
        C = inverse(A)
        n = len(claim.over)
        lines = [f"# {self.heading}", "import numpy as np", "F = lambda a, b=1: float(a) / float(b)"]
        lines += [f"{name_of(s)} = {float(x)!r}" for s, x in values_of(claim.parameters, place).items()]
        for k, s in enumerate(claim.over):
            centre = float(-sum(C[k][j] * c[j] for j in range(n)))
            shape = ", ".join("-1" if j == k else "1" for j in range(n))
            points = f"{centre!r} + {math.sqrt(C[k][k])!r} * np.linspace(-12, 12, 401)"
            lines.append(f"{name_of(s)} = ({points}).reshape({shape})")
        lines.append(f"weight = np.exp({claim.text_at(claim.log_density, place)})")
        lines.append(f"left = (weight * ({claim.text_at(claim.f, place)})).sum() / weight.sum()")
        lines.append(f"right = {claim.text_at(claim.value, place)}")
        lines += ["print(left, right)", "print(bool(abs(left - right) < 1e-8 * (1 + abs(left))))"]
        return "\n".join(lines) + "\n"

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The value, or the density."""
        for name, wrong in corruptions(sp.sympify(self.value)):
            yield f"value: {name}", replace(self, value=wrong)
        if self.value == 0:
            yield "value: one", replace(self, value=sp.Integer(1))


def _off_generating_function(f: Any, mu: list[Fraction], C: Any, known: Exactly) -> Fraction:
    """Moments as coefficients of exp(mu t + t C t/2)."""
    n, most = len(mu), f.total_degree()
    t = [Taylor.variable(k, Fraction(0), n, most) for k in range(n)]
    inside = Taylor({}, n, most)
    for i in range(n):
        inside = inside + t[i] * mu[i]
        for j in range(n):
            inside = inside + t[i] * t[j] * (Fraction(C[i][j]) / 2)
    series = inside.through([Fraction(1, math.factorial(k)) for k in range(most + 1)])
    total = Fraction(0)
    for powers, c in f.terms():
        weight = math.prod(map(math.factorial, powers))
        total += walk(c, known) * weight * series.terms.get(powers, Fraction(0))
    return total


@dataclass(frozen=True, kw_only=True)
class Marginal(_OfDensity):
    """What a density over ``state`` leaves with all but ``kept`` integrated out, up to a constant."""

    state: tuple[Any, ...]
    kept: tuple[Any, ...]
    log_marginal: Any

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Both log densities."""
        return tuple(map(sp.sympify, (self.log_density, self.log_marginal)))

    @property
    def integrated(self) -> tuple[Any, ...]:
        """All but those that are kept."""
        return tuple(s for s in self.state if s not in self.kept)

    def lines(self) -> tuple[Line, ...]:
        """The integral."""
        d, m = self.expressions
        by = "".join(rf"\, d{latex(s)}" for s in self.integrated)
        over = " ".join(f"d{s}" for s in self.integrated)
        return (
            Line(
                rf"\int \exp\left({latex(d)}\right) {by} \propto \exp\left({latex(m)}\right)",
                f"integral of exp({plain(d)}) {over} ~ exp({plain(m)})",
            ),
        )

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced."""
        d, m = (e.subs(values) for e in self.expressions)
        return replace(self, log_density=d, log_marginal=m)

    def space(self) -> Space:
        """As always, with a second point of the kept states."""
        space = super().space()
        more = {f"{s.name}{_MOVED}": "real" for s in self.kept}
        return replace(space, scalars={**space.scalars, **{s.name: "real" for s in self.kept}, **more})

    def prove_freely(self, time: str) -> Proof:
        """By completing the square."""
        true = marginal(self.log_density, self.state, self.kept)
        rest = sp.expand(true - self.log_marginal)
        slopes = [sp.diff(rest, s) for s in self.kept]
        holds = all(vanishes(e, self.kept) for e in slopes)
        shown = Equation(Formula(r"\log \text{marginal}", "log marginal"), true)
        told = Evidence(
            "symbolic",
            "By completing the square, up to a constant.",
            {"marginal": plain(true)},
            Derivation(
                "The marginal", (Step("Integrated", "", (shown,)),), (Result("marginal", shown),)
            ),
        )
        return Proof(
            holds, f"The logarithm of the marginal is {plain(true)}, up to a constant.", (told,)
        )

    def look_freely(self, time: str) -> Look:
        """By how much both logarithms change from one point to another."""

        def at(place: Place) -> Sides | None:
            moved = place.but(**{s.name: place.scalars[f"{s.name}{_MOVED}"] for s in self.kept})
            both = [self._at(p) for p in (place, moved)]
            if any(b is None for b in both):
                return None
            (one, first), (two, second) = (b for b in both if b is not None)
            left, right = two[0] - one[0], second - first
            if two[1] == one[1] and isinstance(right, Fraction):
                return Sides(left, right, left == right)
            value = float(left) - math.log(two[1] / one[1]) / 2
            return Sides(value, float(right), abs(value - float(right)) < _CLOSE)

        return at

    def _at(self, place: Place) -> tuple[tuple[Fraction, Fraction], Any] | None:
        known = self.known(place)
        if known is None:
            return None
        A, c, energy = self.form(known)
        minors = [_determinant([row[:k] for row in A[:k]]) for k in range(1, len(A) + 1)]
        if any(m <= 0 for m in minors):
            return None
        C, n = inverse(A), range(len(A))
        least = energy - sum(c[i] * C[i][j] * c[j] for i in n for j in n) / 2
        claimed = sp.sympify(self.log_marginal)
        if not claimed.has(sp.log):
            return (-least, minors[-1]), walk(claimed, known)
        values = {s: sp.Rational(x.numerator, x.denominator) for s, x in known.values.items()}
        return (-least, minors[-1]), float(put_in(claimed, self.functions, known.functions).subs(values))

    def correct(self, time: str) -> Correction | None:
        """The marginal itself."""
        fixed = replace(self, log_marginal=marginal(self.log_density, self.state, self.kept))
        if fixed.find(time).verdict != "proved":
            return None
        (line,) = fixed.lines()
        return Correction(line.latex(), line.text(), "proved", "for all letters", (fixed,))

    def script(self, failure: Failure, time: str) -> str:
        """By the trapezoidal rule at two points."""
        claim, place = self.resolved, failure.place
        lines = [
            f"# {self.heading}",
            "import numpy as np",
            "from numpy import log",
            "F = lambda a, b=1: float(a) / float(b)",
        ]
        moved = place.but(**{s.name: place.scalars[f"{s.name}{_MOVED}"] for s in claim.kept})
        values = []
        for s, x in values_of(claim.parameters, place).items():
            if s not in claim.kept:
                lines.append(f"{name_of(s)} = {float(x)!r}")
        names = ", ".join(name_of(s) for s in claim.kept)
        lines.append(f"def logarithms({names}, centre, width):")
        for k, s in enumerate(claim.integrated):
            shape = ", ".join("-1" if j == k else "1" for j in range(len(claim.integrated)))
            points = f"centre[{k}] + width[{k}] * np.linspace(-12, 12, 401)"
            lines.append(f"    {name_of(s)} = ({points}).reshape({shape})")
        lines.append(f"    weight = np.exp({claim.text_at(claim.log_density, place)}) * np.prod(width)")
        lines.append(f"    return np.log(weight.sum()), {claim.text_at(claim.log_marginal, place)}")
        for p in (place, moved):
            known = claim.known(p)
            assert known is not None
            A, c, _ = claim.form(known)
            C, n = inverse(A), range(len(A))
            centre = [float(-sum(C[i][j] * c[j] for j in n)) for i in n]
            width = [math.sqrt(C[i][i]) for i in n]
            at = [float(p.scalars[s.name]) for s in claim.kept]
            values.append(f"logarithms(*{at}, {centre}, {width})")
        lines.append(f"(a, b), (c, d) = {values[0]}, {values[1]}")
        lines += ["print(c - a, d - b)", "print(bool(abs((c - a) - (d - b)) < 1e-8))"]
        return "\n".join(lines) + "\n"

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The marginal."""
        for name, wrong in corruptions(sp.sympify(self.log_marginal)):
            yield f"marginal: {name}", replace(self, log_marginal=wrong)


def _determinant(rows: list[list[Fraction]]) -> Fraction:
    return Fraction(
        sp.Matrix([[sp.Rational(x.numerator, x.denominator) for x in r] for r in rows]).det()
    )
