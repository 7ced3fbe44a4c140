"""Claims that a printed gain makes a sampler's law the posterior itself."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.independent.fields import Itself, Mod, Rows, inverse, multiply, transpose
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.matrixwords import SIGMA, A, H
from sgtheory.problem import Problem
from verification.claims.base import Claim, Printed, Proof
from verification.laws.gains import PosteriorEquation, posterior_equation, written
from verification.laws.rational import (
    Numbers,
    as_strings,
    is_zero,
    matrix_value,
    problem_space,
    stationary_moments,
)
from verification.miner.conditions import Condition
from verification.notation import N, S
from verification.refuter.lawscript import law_script
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.theories.matrices.freedom import with_gain
from verification.verdicts.verdict import (
    Answer,
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Gap,
    RoutesDisagree,
)


@dataclass(frozen=True)
class SamplesPosterior(Claim):
    """With the printed gain, ``H = right side``, the stationary covariance is (N A)^(-1)."""

    nearly = "minibatches are small against the data"  # where what is left over is small

    def equation(self, time: str) -> PosteriorEquation:
        """The condition on the gain."""
        return posterior_equation(self.setting, time)

    def placed(self, place: Place) -> Place | None:
        """The place with the printed gain; None where that is none."""
        return with_gain(self.setting, place, self.printed[0].right)

    def drawn(self, source: random.Random, under: tuple[Condition, ...]) -> Numbers:
        """Random letters of the equation."""
        return _random_matrices(source, under)

    def space(self) -> Space:
        """Small problems; the gain goes in as printed."""
        return problem_space(self.setting)

    def look(self, time: str) -> Look:
        """The stationary covariance with the printed gain, against the posterior's."""

        def at(place: Place) -> Sides | None:
            placed = self.placed(place)
            moments = stationary_moments(self.setting, placed, time) if placed else None
            if placed is None or moments is None:
                return None
            wanted = inverse([[placed.scalars["N"] * x for x in row] for row in placed.A])
            return Sides(moments["theta,theta"], wanted, moments["theta,theta"] == wanted)

        return at

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """Random 3 x 3 matrices modulo a prime, put into the equation of the law."""
        residual = self.equation(time).residual
        numbers = self.drawn(source, (*self.conditions, *([under] if under else [])))
        H_value = matrix_value(self.printed[0].right, numbers)
        placed = Numbers(Mod, {**numbers.matrices, "H": H_value}, numbers.roots)
        return is_zero(matrix_value(residual, placed), Mod)

    def prove(self, time: str) -> Proof:
        """Put Sigma = (N A)^(-1) and the gain into the equation of the law."""
        equation = self.equation(time)
        gain = self.printed[0].right
        holds = equation.solved_by(gain)
        rest = sp.Integer(0) if holds else equation.at(gain)
        where = "discrete algorithm" if time == "discrete" else "continuous-time process"
        reason = (
            "Put into the equation of the law, the gain leaves nothing over, and it has one"
            " solution because H A has positive eigenvalues."
            if holds
            else f"For the {where} the equation of the law is not solved"
            + (f" exactly; it is when {self.nearly}." if self.gap(time) else ".")
        )
        return Proof(holds, reason, (_told(equation, gain, rest),))

    def gap(self, time: str) -> Gap | None:
        """By which power of S/N what is left over is smaller than the equation's own terms."""
        equation, gain = self.equation(time), self.printed[0].right
        whole = [t.subs(H, gain) for t in sp.Add.make_args(equation.residual)]
        order = 0 if equation.solved_by(gain) else _order_in_batch(equation.at(gain), whole)
        size = rf"O\left((S/N)^{{{order}}}\right)" if order > 1 else r"O\left(S/N\right)"
        return Gap("S/N", str(order), Formula(size, f"O((S/N)^{order})")) if order > 0 else None

    def correct(self, time: str) -> Correction | None:
        """The one gain that solves the equation."""
        true = Printed(H, self.equation(time).solution)
        verdict = replace(self, printed=(true,)).find(time).verdict
        if verdict == "inconclusive":
            return None
        if verdict != "proved":
            solved = Answer("the equation in symbols", true.text())
            raise RoutesDisagree(self.id, solved, Answer("its own check", f"that is {verdict}"))
        return Correction(
            true.latex(), true.text(), "proved", "in every dimension, zero divergence", (true,)
        )

    def script(self, failure: Failure, time: str) -> str:
        """The covariance with the printed gain, against the posterior's."""
        placed = self.placed(failure.place)
        assert placed is not None
        relation = (N * SIGMA, A**-1, "=")
        return law_script(self.heading, self.setting, placed, time, relation)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The problem with the gain in it, and both covariances."""
        placed = self.placed(failure.place)
        assert placed is not None
        return Counterexample(
            placed.to_json(),
            as_strings(failure.sides.left),
            as_strings(failure.sides.right),
            "stationary covariance and posterior covariance",
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Only values that can be a gain at all."""
        for name, twin in super().corrupted(finding):
            right = twin.printed[0].right
            if name.startswith("right") and right != 0 and "sign flipped" not in name:
                yield name, twin

    def printed_covariance(self, problem: Any) -> Any:
        """The posterior's."""
        return posterior_covariance(problem)

    def usual_problem(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """A problem with the gain set as printed, minibatches small against the data."""
        problem = Problem.of({**content, "N": 16})
        return {**problem.to_json(), "params": self.printed_params(problem)}

    def printed_params(self, problem: Any) -> dict[str, Any]:
        """The gain."""
        return {"eps": 1, "H": gain_at(problem, self.printed[0].right)}


def posterior_covariance(problem: Any) -> Any:
    """(N A)^(-1) in floating point."""
    import numpy as np

    from sgtheory.reader.exact import floats

    return np.linalg.inv(float(problem.sizes["N"]) * floats(problem.matrices["A"]))


def gain_at(problem: Problem, gain: Any) -> Any:
    """A printed gain in exact numbers."""
    A, C = (problem.matrices[name] for name in "AC")
    zero = [[Fraction(0)] * problem.D for _ in range(problem.D)]
    sizes = {name: Itself(value) for name, value in problem.sizes.items()}
    numbers = Numbers(Fraction, {"A": _lists(A), "C": _lists(C), "Sigma": zero}, sizes)
    return as_strings(matrix_value(gain, numbers))


def _lists(m: Any) -> Rows:
    return [list(row) for row in m]


def _random_matrices(source: random.Random, under: tuple[Condition, ...]) -> Numbers:
    def full() -> Rows:
        return [[Mod(source.randrange(2**60)) for _ in range(3)] for _ in range(3)]

    def symmetric() -> Rows:
        m = full()
        return multiply(m, transpose(m))

    matrices = {"A": symmetric(), "C": symmetric()}
    for condition in under:
        matrices = condition.impose(matrices)
    roots = {name: Itself(Mod(source.randrange(2**60))) for name in ("N", "S")}
    return Numbers(Mod, matrices, roots)


def _order_in_batch(rest: Any, whole: list[Any]) -> int:
    """The power of S/N by which what is left over is smaller than the equation's own terms."""

    def powers(expr: Any) -> set[int]:
        found = set()
        for term in sp.Add.make_args(expr):
            scalar = sp.Mul(*term.args_cnc()[0])
            found.add(int(sp.Poly(sp.fraction(sp.cancel(scalar.subs(S, S * N)))[0], S).degree()))
        return found

    return min(powers(rest)) - min(min(powers(sp.expand(t))) for t in whole)


def _told(equation: PosteriorEquation, gain: Any, rest: Any) -> Evidence:
    zero = sp.Integer(0)
    condition = Equation(written(equation.residual), zero)
    steps = (
        Step(
            "The law at the posterior",
            "Sigma = A^(-1)/N put into the equation of the law (left minus right):",
            (condition,),
        ),
        Step("The printed gain", "Substituted:", (Equation(Formula("H", "H"), written(gain)),)),
        Step(
            "What is left",
            "Multiplied out:",
            (Equation(Formula(r"\text{left} - \text{right}", "left - right"), written(rest)),),
        ),
        Step(
            "The only solution",
            "The condition is alpha H + H W H = 0; H = -alpha W^(-1) solves it and no other H does:",
            (Equation(Formula("H", "H"), written(equation.solution)),),
        ),
    )
    result = Result("gain", Equation(Formula("H", "H"), written(equation.solution)))
    return Evidence(
        "symbolic",
        "In non-commuting matrices, for every dimension.",
        {"dimensions": "every"},
        Derivation("The gain that samples the posterior", steps, (result,)),
    )
