"""Claims that a gain makes the law of a sampler with injected noise the posterior itself."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Itself, Mod, multiply, transpose
from sgtheory.notation.derivation import Formula
from sgtheory.notation.matrixwords import H
from sgtheory.reader import exact
from verification.claims.posterior import SamplesPosterior
from verification.laws.gains import PosteriorEquation, inverted, posterior_equation
from verification.laws.rational import Numbers, as_strings, matrix_value
from verification.miner.conditions import Condition
from verification.miner.scalars import ONE, Equal
from verification.notation import N, S, eps
from verification.refuter.places import Place
from verification.theories.matrices.freedom import with_gain
from verification.verdicts.verdict import Gap


@dataclass(frozen=True)
class SamplesPosteriorWithNoise(SamplesPosterior):
    """As ``SamplesPosterior``, where the step size and the factor E of injected noise stay letters."""

    nearly = "there are many examples"

    def equation(self, time: str) -> PosteriorEquation:
        """With the step size, and what is given of scalars."""
        return posterior_equation(self.setting, time, self.conditions)

    def placed(self, place: Place) -> Place | None:
        """With the printed gain, where it is positive definite."""
        admitted = all(c.holds(place) for c in self.conditions)
        return with_gain(self.setting, place, self.printed[0].right) if admitted else None

    def drawn(self, source: random.Random, under: tuple[Condition, ...]) -> Numbers:
        """Random 3 x 3 letters modulo a prime."""

        def full() -> list[list[Mod]]:
            return [[Mod(source.randrange(2**60)) for _ in range(3)] for _ in range(3)]

        matrices = {name: multiply(m, transpose(m)) for name in ("A", "C", "EE^T") for m in [full()]}
        for condition in under:
            matrices = condition.impose(matrices)
        given = {c.letters[0] for c in self.conditions if isinstance(c, Equal) and c.letters[1] == ONE}
        # the square roots of the scalars, so that they have some
        roots = {s.name: Mod(1 if s.name in given else source.randrange(2**60)) for s in (eps, N, S)}
        return Numbers(Mod, matrices, roots)

    def letters(self) -> tuple[str, ...]:
        """Curvature and gradient noise: injected noise is any."""
        return ("A", "C")

    def gap(self, time: str) -> Gap | None:
        """By which power of 1/N what is left over is smaller than the inverse gain."""
        equation, gain = self.equation(time), self.printed[0].right
        if equation.solved_by(gain):
            return None
        wanted = sp.expand(equation.alpha * inverted(gain))
        rest = sp.expand(wanted + equation.W)  # H^-1 (alpha H + H W H) H^-1
        order = _highest(wanted) - _highest(rest)
        return Gap("1/N", str(order), _of_order(order)) if order > 0 else None

    def printed_params(self, problem: Any) -> dict[str, Any]:
        """A step, injected noise in all coordinates alike, and the gain for them."""
        from fractions import Fraction

        one = exact.identity(problem.D)
        matrices = {n: [list(row) for row in problem.matrices[n]] for n in "AC"}
        matrices["EE^T"] = [list(row) for row in one]
        step = Fraction(1, 4)
        roots = {n: Itself(x) for n, x in problem.sizes.items()} | {"eps": Itself(step)}
        gain = matrix_value(sp.expand(self.printed[0].right), Numbers(Fraction, matrices, roots))
        return {"eps": str(step), "E": as_strings([list(r) for r in one]), H.name: as_strings(gain)}


def _highest(expr: Any) -> Any:
    """The highest power of N in a sum of matrices."""
    powers = [
        sp.Mul(*term.args_cnc()[0]).as_powers_dict().get(N, sp.Integer(0))
        for term in sp.Add.make_args(expr)
    ]
    return max(powers)


def _of_order(order: Any) -> Formula:
    power = "N" if order == 1 else f"N^{order}"
    return Formula(rf"O\left(1/{power}\right)", f"O(1/{power})")
