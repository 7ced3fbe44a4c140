"""How far the stationary law of an integrator on quadratics is off, as a power of its step size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import sympy as sp

from sgtheory.declare import MatrixName, N
from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.dynamics.leading import leading
from sgtheory.dynamics.surds import Rooted
from sgtheory.dynamics.taylor import approximate_exp, approximate_root
from sgtheory.fields import Rows, inverse, multiply, transpose
from sgtheory.language import step_in
from sgtheory.pairs import LI, LJ, stationary
from sgtheory.printing import latex, plain
from sgtheory.running import linear_map
from sgtheory.setting import Setting
from verification.claims.base import Proof
from verification.claims.formal import Formal, kind_of, symbols_in
from verification.miner.relations import scalar
from verification.pairform import DELTA, NOISE
from verification.rational import point_of
from verification.refuter.places import Place, Space
from verification.refuter.script import array
from verification.refuter.search import Failure, Look, Sides
from verification.terms.printing import Line
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap

_SIZES = (Fraction(1, 4**16), Fraction(1, 4**17))  # so small that one term of the error is left
_DIGITS = 80
_TERMS = 10  # of the series of an exponential
_NOTHING = Fraction(1, 10**65)
EXACT = sp.oo  # the order of a law that is what it should be at every step size


@dataclass(frozen=True, kw_only=True)
class StationaryOrder(Formal):
    """Without gradient noise, E[a b] of one mode is ``target`` up to a relative O(h^order).

    ``entry`` names a and b; ``target`` is written in lambda_i and parameters. The order may be
    infinite: then the law is exact.
    """

    entry: tuple[str, str]
    target: Any
    order: Any = EXACT
    time: str = "discrete"

    @cached_property
    def setting(self) -> Setting:
        """The sampler on the quadratic model, found once."""
        return super().setting

    @property
    def h(self) -> Any:
        """The step size."""
        return step_in(sp.Add(*self._scalars))

    @cached_property
    def formula(self) -> Any:
        """The law's entry, with abbreviations written out."""
        return self.short_formula.subs(dict(self.setting.sampler.where))

    @property
    def short_formula(self) -> Any:
        """The law's entry of one mode, without gradient noise."""
        entry = stationary(self.setting, "discrete").entry(*self.entry)
        return sp.cancel(entry.subs({NOISE: 0, DELTA: 1, LJ: LI}))

    @property
    def parameters(self) -> tuple[Any, ...]:
        """All but the step size and what is short for something in it."""
        found = {*self.formula.free_symbols, *symbols_in([self.target]), N, *self._scalars}
        short = {c for c, _ in self.setting.sampler.where}
        return tuple(sorted(found - short - {self.h, LI}, key=lambda s: s.name))

    @property
    def _scalars(self) -> list[Any]:
        return [p for p in self.setting.sampler.parameters if not isinstance(p, MatrixName)]

    def lines(self) -> tuple[Line, ...]:
        """The entry and its order."""
        a, b = self.entry
        left, right = rf"\mathbb{{E}}[{latex(sp.Symbol(a))} {latex(sp.Symbol(b))}]", f"E[{a} {b}]"
        target = sp.sympify(self.target)
        if self.order == EXACT:
            return (Line(rf"{left} = {latex(target)}", f"{right} = {plain(target)}"),)
        error = rf"\left(1 + O(h^{{{self.order}}})\right)"
        return (
            Line(
                rf"{left} = {latex(target)} {error}",
                f"{right} = {plain(target)} (1 + O(h**{self.order}))",
            ),
        )

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced in the target."""
        return replace(self, target=sp.sympify(self.target).subs(values))

    def space(self) -> Space:
        """One eigenvalue and the parameters."""
        scalars = {s.name: "square count" if s.name in "NS" else kind_of(s) for s in self.parameters}
        return Space({}, {**scalars, LI.name: "positive"})

    @cached_property
    def error(self) -> tuple[Any, Any] | None:
        """The relative error: its order in the step and first coefficient; None where there is none."""
        relative = sp.cancel(self.short_formula / self.target - 1)
        if relative == 0:
            return None
        series = {
            c: sp.Add(*(meaning.args[0] ** k / sp.factorial(k) for k in range(_TERMS)))
            for c, meaning in self.setting.sampler.where
        }
        found = leading(relative.subs(series), self.h)
        if found is None or found[0] > _TERMS / 2:
            raise ArithmeticError("the error is smaller than any power that is looked at")
        return found[0], sp.factor(found[1])

    def prove_freely(self, time: str) -> Proof:
        """The pair formula, expanded in the step."""
        error = self.error
        shown = Equation(Formula(r"\text{law}", "law"), self.formula)
        told = Evidence(
            "symbolic",
            "The exact law of one mode, valid in every dimension.",
            {"order": "exact" if error is None else str(error[0])},
            Derivation(
                "The law",
                (Step("One mode", "Without gradient noise:", (shown,)),),
                (Result("law", shown),),
            ),
        )
        if error is None:
            return Proof(True, "The law has it exactly, at every step size.", (told,))
        first = f"{plain(error[1])} {self.h}^{error[0]}"
        holds = self.order != EXACT and error[0] >= self.order
        more = f" It is of order {error[0]}." if holds and error[0] > self.order else ""
        return Proof(bool(holds), f"Its relative error is {first} to leading order.{more}", (told,))

    def look_freely(self, time: str) -> Look:
        """The error at two small steps, from the declared updates and elimination."""

        def at(place: Place) -> Sides | None:
            errors = [self.error_at(place, h) for h in _SIZES]
            slope = _slope(*errors)
            needed = math.inf if self.order == EXACT else float(self.order)
            return Sides(f"{slope:.3f}", str(self.order), slope >= needed - 0.25)

        return at

    def error_at(self, place: Place, h: Fraction) -> Any:
        """The relative error at one step size."""
        _, _, P = self.law_at(place, h)
        names = [s.name for s in self.setting.state]
        i, j = (names.index(n) for n in self.entry)
        return P[i][j] / self.target_at(place) - 1

    def target_at(self, place: Place) -> Any:
        """What is claimed, in numbers."""
        return scalar(sp.sympify(self.target), place.scalars)

    def law_at(self, place: Place, h: Fraction) -> tuple[Rows, Rows, Rows]:
        """The step of one mode, its noise, its second moments."""
        numbers = {**place.scalars, self.h.name: h}
        for c, meaning in self.setting.sampler.where:
            numbers[c.name] = _cosine(scalar(meaning.args[0], numbers))
        zero, scalars = ((Fraction(0),),), {n: x for n, x in numbers.items() if n != LI.name}
        problem = Place({"A": ((numbers[LI.name],),), "B": zero}, scalars)
        point = replace(point_of(self.setting, problem), field=Rooted())
        M, noise = linear_map(self.setting, "discrete", point)
        Q = multiply(noise, transpose(noise))
        return M, Q, _stationary(M, Q)

    def gap(self, time: str) -> Gap | None:
        """The first term, where exactness is claimed."""
        if self.order != EXACT or self.error is None or self.error[0] <= 0:
            return None
        order, coefficient = self.error
        term = coefficient * self.h**order
        return Gap(self.h.name, str(order), Formula(latex(term), plain(term)))

    def correct(self, time: str) -> Correction | None:
        """The true order."""
        if self.error is None or self.error[0] <= 0:
            return None
        fixed = replace(self, order=self.error[0])
        (line,) = fixed.lines()
        return Correction(line.latex(), line.text(), "proved", "in every dimension", (fixed,))

    def script(self, failure: Failure, time: str) -> str:
        """Steps, noises and moments at two step sizes, checked against each other; the slope."""
        claim, place = self.resolved, failure.place
        names = [s.name for s in claim.setting.state]
        i, j = (names.index(n) for n in claim.entry)
        needed = "10**9" if claim.order == EXACT else str(float(claim.order))
        lines = [
            f"# {self.heading}",
            "import numpy as np",
            "from math import log",
            "from fractions import Fraction as F",
        ]
        lines.append('rows = lambda t: np.array([[F(x) for x in row.split()] for row in t.split(";")])')
        lines.append("errors = []")
        for h in _SIZES:
            M, Q, P = claim.law_at(place, h)
            lines += [f"M = {array(M)}  # {claim.h} = {h}", f"Q = {array(Q)}", f"P = {array(P)}"]
            lines.append("assert (M @ P @ M.T + Q == P).all()")
            lines.append(f"errors.append(P[{i}, {j}] / F('{claim.target_at(place)}') - 1)")
        lines.append("e, f = map(abs, errors)")
        lines.append("slope = log(e / f) / log(4) if f > F(1, 10**65) else float('inf')")
        lines += [
            "print('relative error goes with the power', round(slope, 3))",
            f"print(slope > {needed} - 0.25)",
        ]
        return "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The slope and what it should be."""
        shown = failure.place.to_json()
        return Counterexample(
            shown,
            failure.sides.left,
            failure.sides.right,
            "the power of the step with which it is off, and as claimed",
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Another target, or an order one higher."""
        for name, wrong in corruptions(sp.sympify(self.target)):
            if wrong != 0:
                yield f"target: {name}", replace(self, target=wrong)
        if self.order != EXACT:
            yield "order one higher", replace(self, order=self.order + 1)


def _slope(first: Any, second: Any) -> float:
    if abs(second) <= _NOTHING:
        return math.inf
    return math.log(abs(first / second)) / math.log(4)


def _cosine(exponent: Fraction) -> Fraction:
    """exp of it, to many digits, with a rational sine: (1 - t^2)/(1 + t^2)."""
    e = approximate_exp(exponent, _DIGITS)
    t = approximate_root((1 - e) / (1 + e), _DIGITS)
    return (1 - t**2) / (1 + t**2)


def _stationary(M: Rows, Q: Rows) -> Rows:
    """P = M P M^T + Q."""
    n = len(M)
    pairs = [(i, j) for i in range(n) for j in range(n)]
    system = [[Fraction(int((i, j) == (k, m))) - M[i][k] * M[j][m] for k, m in pairs] for i, j in pairs]
    solved = multiply(inverse(system), [[Q[i][j]] for i, j in pairs])
    return [[solved[i * n + j][0] for j in range(n)] for i in range(n)]
