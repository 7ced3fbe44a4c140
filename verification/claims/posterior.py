"""Claims that a printed gain makes a sampler's law the posterior itself."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.fields import Itself, Mod, Rows, inverse, multiply, transpose
from sgtheory.matrixwords import H
from sgtheory.printing import latex, plain
from sgtheory.problem import Problem
from sgtheory.telling.covariance import tidy_matrix
from verification.claims.base import Claim, Printed
from verification.gains import PosteriorEquation, posterior_equation
from verification.notation import N, S
from verification.probes import probes
from verification.rational import (
    Numbers,
    RationalProblem,
    as_strings,
    is_zero,
    matrix_value,
    numbers_of,
    stationary_moments,
)
from verification.twins import corruptions
from verification.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Gap,
    RoutesDisagree,
    Twins,
)


@dataclass(frozen=True)
class SamplesPosterior(Claim):
    """With the printed gain, ``H = right side``, the stationary covariance is (N A)^(-1)."""

    def find(self, time: str | None = None) -> Finding:
        """Put Sigma = (N A)^(-1) and the gain into the equation of the law."""
        time = time or self.time
        equation = posterior_equation(self.setting, time)
        gain = self.printed[0].right
        holds = equation.solved_by(gain)
        rest = sp.Integer(0) if holds else equation.at(gain)
        exact = _exact_residual(equation, gain, self.id)
        if exact != holds:
            raise RoutesDisagree(f"{self.id}: symbols say {holds}, exact matrices say {exact}")
        counterexample = None if holds else self.counterexample(time)
        if not holds and counterexample is None:
            raise RoutesDisagree(f"{self.id}: refuted in symbols, but every exact probe satisfies it")
        evidence = (_told(equation, gain, rest), _exact_words(exact))
        if holds:
            reason = (
                "Put into the equation of the law, the gain leaves nothing over, and it has one"
                " solution because H A has positive eigenvalues."
            )
            return Finding("proved", reason, evidence)
        where = "discrete algorithm" if time == "discrete" else "continuous-time process"
        order = _order_in_batch(rest, [t.subs(H, gain) for t in sp.Add.make_args(equation.residual)])
        true = Printed(H, equation.solution)
        corrected = Correction(
            true.latex(), true.text(), "proved", "in every dimension, zero divergence"
        )
        if not _exact_residual(equation, equation.solution, self.id):
            raise RoutesDisagree(f"{self.id}: the corrected gain does not solve the equation")
        size = rf"O\left((S/N)^{{{order}}}\right)" if order > 1 else r"O\left(S/N\right)"
        gap = Gap("S/N", str(order), Formula(size, f"O((S/N)^{order})")) if order else None
        return Finding(
            "limit-only" if gap else "refuted",
            f"For the {where} the equation of the law is not solved"
            + (" exactly; it is when minibatches are small against the data." if gap else "."),
            evidence,
            gap=gap,
            corrected=corrected,
            counterexample=counterexample,
        )

    def counterexample(self, time: str, gain: Any = None) -> Counterexample | None:
        """The first small problem on which the law is not the posterior."""
        gain = self.printed[0].right if gain is None else gain
        for problem in probes(self.setting):
            placed = with_gain(problem, gain)
            moments = stationary_moments(self.setting, placed, time) if placed else None
            if placed is None or moments is None:
                continue
            wanted = inverse([[placed.scalars["N"] * x for x in row] for row in placed.A])
            if moments["theta,theta"] != wanted:
                return Counterexample(
                    placed.to_json(),
                    as_strings(moments["theta,theta"]),
                    as_strings(wanted),
                    "stationary covariance and posterior covariance",
                )
        return None

    def printed_covariance(self, problem: Any) -> Any:
        """The posterior's."""
        return posterior_covariance(problem)

    def usual_problem(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """A problem with the gain set as printed."""
        return usual_with_gain(content, self.printed[0].right)

    def twins(self, finding: Finding) -> Twins:
        """Corrupt the gain; every corruption must miss the posterior."""
        equation = posterior_equation(self.setting, self.time)
        base = self.printed[0].right if finding.verdict == "proved" else equation.solution
        tried = rejected = 0
        survivors = []
        for name, twin in corruptions(base):
            if twin == 0:
                continue
            tried += 1
            if not equation.solved_by(twin) and not _exact_residual(equation, twin, name):
                rejected += 1
            else:
                survivors.append(name)
        return Twins(tried, rejected, tuple(survivors))


def posterior_covariance(problem: Any) -> Any:
    """(N A)^(-1) in floating point."""
    import numpy as np

    from sgtheory.exact import floats

    return np.linalg.inv(float(problem.sizes["N"]) * floats(problem.matrices["A"]))


def usual_with_gain(content: Mapping[str, Any], gain: Any) -> dict[str, Any]:
    """A usual problem with eps = 1 and H set to a printed gain, minibatches small against the data."""
    problem = Problem.of({**content, "N": 16})
    A, C = (problem.matrices[name] for name in "AC")
    zero = [[Fraction(0)] * problem.D for _ in range(problem.D)]
    sizes = {name: Itself(value) for name, value in problem.sizes.items()}
    numbers = Numbers(Fraction, {"A": _lists(A), "C": _lists(C), "Sigma": zero}, sizes)
    value = as_strings(matrix_value(gain, numbers))
    return {**problem.to_json(), "params": {"eps": 1, "H": value}}


def _lists(m: Any) -> Rows:
    return [list(row) for row in m]


def with_gain(problem: RationalProblem, gain: Any) -> RationalProblem | None:
    """The problem with eps = 1 and H set to a printed gain; None where that is not positive definite."""
    from sgtheory import exact

    scalars = {k: v for k, v in problem.scalars.items() if k != "eps"} | {
        "eps": type(problem.A[0][0])(1)
    }
    bare = RationalProblem(problem.A, problem.B, scalars)
    nothing = [[x * 0 for x in row] for row in problem.A]
    try:
        value = matrix_value(gain, numbers_of(bare, {"theta,theta": nothing}))
    except (ZeroDivisionError, StopIteration, TypeError):
        return None
    H_value = tuple(tuple(row) for row in value)
    symmetric = all(H_value[i][j] == H_value[j][i] for i in range(bare.D) for j in range(i))
    if not symmetric or not exact._is_definite(H_value, strictly=True):
        return None
    return RationalProblem(problem.A, problem.B, scalars, H_value)


def _exact_residual(equation: PosteriorEquation, gain: Any, seed: str) -> bool:
    """The other route: random 3 x 3 matrices modulo a prime, put into the update's own law."""
    source = random.Random(seed)
    for _ in range(2):
        numbers = _random_matrices(source)
        H_value = matrix_value(gain, numbers)
        placed = Numbers(Mod, {**numbers.matrices, "H": H_value}, numbers.roots)
        if not is_zero(matrix_value(equation.residual, placed), Mod):
            return False
    return True


def _random_matrices(source: random.Random) -> Numbers:
    def full() -> Rows:
        return [[Mod(source.randrange(2**60)) for _ in range(3)] for _ in range(3)]

    def symmetric() -> Rows:
        m = full()
        return multiply(m, transpose(m))

    roots = {name: Itself(Mod(source.randrange(2**60))) for name in ("N", "S")}
    return Numbers(Mod, {"A": symmetric(), "C": symmetric()}, roots)


def _exact_words(holds: bool) -> Evidence:
    words = "satisfy" if holds else "violate"
    return Evidence(
        "exact", f"Random 3 x 3 matrices modulo 2^61 - 1 {words} it.", {"problems": 2, "holds": holds}
    )


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
    condition = Equation(_written(equation.residual), zero)
    steps = (
        Step(
            "The law at the posterior",
            "Sigma = A^(-1)/N put into the equation of the law (left minus right):",
            (condition,),
        ),
        Step("The printed gain", "Substituted:", (Equation(Formula("H", "H"), _written(gain)),)),
        Step(
            "What is left",
            "Multiplied out:",
            (Equation(Formula(r"\text{left} - \text{right}", "left - right"), _written(rest)),),
        ),
        Step(
            "The only solution",
            "The condition is alpha H + H W H = 0; H = -alpha W^(-1) solves it and no other H does:",
            (Equation(Formula("H", "H"), _written(equation.solution)),),
        ),
    )
    result = Result("gain", Equation(Formula("H", "H"), _written(equation.solution)))
    return Evidence(
        "symbolic",
        "In non-commuting matrices, for every dimension.",
        {"dimensions": "every"},
        Derivation("The gain that samples the posterior", steps, (result,)),
    )


def _written(expr: Any) -> Formula:
    shown = tidy_matrix(expr)
    return Formula(latex(shown), plain(shown))
