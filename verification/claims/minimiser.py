"""Claims that a printed parameter minimises KL(law || posterior)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.fields import Itself, Rows, inverse, multiply
from sgtheory.language import STEP
from sgtheory.matrixwords import C, H
from sgtheory.pairs import LI, LJ, stationary
from sgtheory.printing import plain
from sgtheory.problem import Problem
from verification.claims.base import Claim, Printed
from verification.claims.posterior import posterior_covariance, usual_with_gain, with_gain
from verification.gains import posterior_equation
from verification.notation import D, Diagonal, N, eps, trace
from verification.pairform import NOISE
from verification.probes import probes
from verification.rational import (
    Numbers,
    RationalProblem,
    numbers_of,
    scalar_value,
    stationary_moments,
)
from verification.twins import corruptions
from verification.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    RoutesDisagree,
    Twins,
)

STEP_OVER, GAIN_OVER, DIAGONAL_OVER = "step", "gain", "diagonal gain"
DIAGONAL_NOISE = "B B^T is diagonal"


@dataclass(frozen=True)
class Minimiser(Claim):
    """``parameter = right side`` minimises the divergence from the law to the posterior."""

    over: str = STEP_OVER

    def find(self, time: str | None = None) -> Finding:
        """Prove by a closed form of the divergence; refute by its exact derivative."""
        time = time or self.time
        proof = self._prove(time)
        counterexample = self.counterexample(time)
        if (proof.verdict == "proved") != (counterexample is None):
            raise RoutesDisagree(
                f"{self.id}: the proof says {proof.verdict}, the exact derivative"
                f" {'finds nothing' if counterexample is None else 'is not zero'}"
            )
        exact = Evidence(
            "exact",
            "The exact derivative of the divergence at the printed value "
            + (
                "vanishes on every small rational problem." if counterexample is None else "is not zero."
            ),
            {"holds": counterexample is None},
        )
        return Finding(
            proof.verdict,
            proof.reason,
            (*proof.evidence, exact),
            condition=proof.condition,
            corrected=proof.corrected,
            counterexample=counterexample,
        )

    def counterexample(
        self, time: str, value: Any = None, diagonal_noise: bool = False
    ) -> Counterexample | None:
        """The first small problem at which the derivative of the divergence is not zero."""
        value = self.printed[0].right if value is None else value
        for problem in probes(self.setting):
            if diagonal_noise and any(problem.C[i][j] for i in range(problem.D) for j in range(i)):
                continue
            placed = self._place(problem, value)
            slopes = self._slopes(placed, time) if placed else None
            if placed is None or slopes is None:
                continue
            if any(slopes.values()):
                return Counterexample(
                    placed.to_json(),
                    {k: str(v) for k, v in slopes.items()},
                    dict.fromkeys(slopes, "0"),
                    "derivative of KL(law || posterior) at the printed value, and at a minimum",
                )
        return None

    def twins(self, finding: Finding) -> Twins:
        """Corrupt the printed value; the exact derivative must notice."""
        tried = rejected = 0
        survivors = []
        only_diagonal = finding.verdict == "proved-if"
        for name, twin in corruptions(self.printed[0].right):
            if twin == 0 or "sign flipped" in name:
                continue  # no positive step or gain at all
            tried += 1
            if self.counterexample(self.time, twin, only_diagonal) is not None:
                rejected += 1
            else:
                survivors.append(name)
        return Twins(tried, rejected, tuple(survivors))

    def printed_covariance(self, problem: Any) -> Any:
        """The posterior's, where the printed minimum is zero."""
        return posterior_covariance(problem) if self.over == GAIN_OVER else None

    def usual_problem(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """A problem with the parameter set as printed."""
        if self.over != STEP_OVER:
            return usual_with_gain(content, self.printed[0].right)
        problem = Problem.of({**content, "N": 16})
        roots = {k: Itself(v) for k, v in {**problem.sizes, "D": Fraction(problem.D)}.items()}
        noise = [list(row) for row in problem.matrices["C"]]
        step = scalar_value(self.printed[0].right, Numbers(Fraction, {"C": noise}, roots))
        return {**problem.to_json(), "params": {"eps": str(step)}}

    def _place(self, problem: RationalProblem, value: Any) -> RationalProblem | None:
        """The problem with the parameter set to the printed value."""
        if self.over != STEP_OVER:
            return with_gain(problem, value)
        nothing = {"theta,theta": [[x * 0 for x in row] for row in problem.A]}
        step = scalar_value(value, numbers_of(problem, nothing))
        return (
            RationalProblem(problem.A, problem.B, {**problem.scalars, "eps": step}) if step > 0 else None
        )

    def _slopes(self, problem: RationalProblem, time: str) -> dict[str, Fraction] | None:
        """The exact derivatives of the divergence along every free direction."""
        d = problem.D
        directions: dict[str, Any] = {}
        if self.over == STEP_OVER:
            directions["eps"] = {"eps": 1}
        else:
            for i in range(d):
                for j in range(i, d if self.over == GAIN_OVER else i + 1):
                    directions[f"H[{i}][{j}]"] = {"H": _unit(d, i, j)}
        slopes = {}
        for name, along in directions.items():
            slope = divergence_slope(self.setting, problem, time, along)
            if slope is None:
                return None
            slopes[name] = slope
        return slopes

    def _prove(self, time: str) -> Finding:
        if self.over == STEP_OVER:
            return _prove_step(self, time)
        return _prove_gain(self, time)


def divergence_slope(
    setting: Any, problem: RationalProblem, time: str, along: dict[str, Any]
) -> Fraction | None:
    """d/dx KL(law || posterior) as an exact fraction: (N Tr(A S') - Tr(S^-1 S'))/2."""
    moments = stationary_moments(setting, problem, time, along)
    if moments is None:
        return None
    value = [[x.value for x in row] for row in moments["theta,theta"]]
    slope = [[x.slope for x in row] for row in moments["theta,theta"]]
    try:
        entropy = _trace(multiply(inverse(value), slope))
    except StopIteration:  # singular: the divergence is infinite
        return None
    A = [list(row) for row in problem.A]
    return (problem.scalars["N"] * _trace(multiply(A, slope)) - entropy) / 2


def _trace(rows: Rows) -> Fraction:
    return sum((rows[k][k] for k in range(len(rows))), Fraction(0))


def _unit(d: int, i: int, j: int) -> list[list[int]]:
    return [[int((a, b) in ((i, j), (j, i))) for b in range(d)] for a in range(d)]


def _prove_step(claim: Minimiser, time: str) -> Finding:
    """A law that is linear in the step has its divergence in closed form, and so its minimum."""
    entry = stationary(claim.setting, time).entry("theta", "theta")
    rate = sp.cancel(entry / STEP)
    share = sp.cancel((LI * entry).subs(LJ, LI).coeff(NOISE) / STEP) if not rate.has(STEP) else None
    printed = claim.printed[0].right
    if share is None or share.has(LI):
        return Finding(
            "refuted",
            "The covariance is not proportional to the step, so the divergence has no minimum at a value"
            " that depends on B B^T by its trace alone.",
            (Evidence("symbolic", "The covariance at a pair of modes.", {"covariance": plain(entry)}),),
        )
    slope = N * share * trace(C) / 2
    divergence = slope * eps - D * sp.log(eps) / 2
    best = sp.solve(sp.diff(divergence, eps), eps)
    curvature = sp.diff(divergence, eps, 2)
    ok = len(best) == 1 and curvature.is_positive and sp.simplify(best[0] - printed) == 0
    told = _told_step(entry, slope, divergence, best[0], curvature)
    if not ok:
        true = Printed(eps, best[0])
        return Finding(
            "refuted",
            "The divergence has its minimum elsewhere.",
            (told,),
            corrected=Correction(true.latex(), true.text(), "proved", "in every dimension"),
        )
    reason = (
        "The covariance is proportional to the step, so the divergence is a linear function of it minus"
        " (D/2) log: strictly convex, with its one minimum at the printed value, in every dimension."
    )
    return Finding("proved", reason, (told,))


def _told_step(entry: Any, slope: Any, divergence: Any, best: Any, curvature: Any) -> Evidence:
    kl = Formula(r"\mathrm{KL}(q \| f)", "KL(q || f)")
    steps = (
        Step(
            "The law",
            "Linear in the step, so log det Sigma = D log eps + a constant:",
            (Equation(Formula(r"\Sigma_{ij}", "Sigma_ij"), entry),),
        ),
        Step(
            "The trace",
            "Summed over equal modes the eigenvalues cancel:",
            (
                Equation(
                    Formula(r"\tfrac{N}{2} \operatorname{Tr}(A \Sigma)", "N/2 Tr(A Sigma)"), slope * eps
                ),
            ),
        ),
        Step("The divergence", "Up to terms without the step:", (Equation(kl, divergence),)),
        Step(
            "The minimum",
            "The second derivative is positive; the first vanishes at one step only:",
            (
                Equation(Formula(r"\mathrm{KL}''", "KL''"), curvature),
                Equation(Formula(r"\epsilon^{*}", "eps*"), best),
            ),
        ),
    )
    result = Result("minimiser", Equation(Formula(r"\epsilon^{*}", "eps*"), best))
    return Evidence(
        "symbolic",
        "In closed form, for every dimension.",
        {"dimensions": "every"},
        Derivation("The best step", steps, (result,)),
    )


def _prove_gain(claim: Minimiser, time: str) -> Finding:
    """A gain with zero divergence is the global minimum, and the only one."""
    equation = posterior_equation(claim.setting, time)
    printed = claim.printed[0].right
    best = equation.solution
    evidence = (_told_gain(equation, best),)
    if claim.over == GAIN_OVER and equation.solved_by(printed):
        return Finding(
            "proved",
            "At this gain the law is the posterior: the divergence is zero, as it is nowhere else.",
            evidence,
        )
    if claim.over == DIAGONAL_OVER:
        # where B B^T is diagonal, diag(B B^T) is B B^T itself
        under = printed.replace(Diagonal, lambda m: m)
        if sp.expand(under - best) == 0:
            true = Printed(H, best)
            return Finding(
                "proved-if",
                "It holds when B B^T is diagonal: the unconstrained optimum is then itself diagonal."
                " In general the determinant of the covariance depends on the gain in a way that the"
                " printed argument leaves out, and another diagonal gain is better.",
                evidence,
                condition=DIAGONAL_NOISE,
                corrected=Correction(
                    rf"{true.latex()} \quad (B B^{{\top}} \text{{ diagonal}})",
                    f"{true.text()} (B B^T diagonal)",
                    "proved",
                    "zero divergence",
                ),
            )
    true = Printed(H, best)
    word = "discrete algorithm" if time == "discrete" else "continuous-time process"
    return Finding(
        "refuted",
        f"For the {word} another gain has a smaller divergence; the full gain below makes it zero.",
        evidence,
        corrected=Correction(true.latex(), true.text(), "proved", "in every dimension, zero divergence"),
    )


def _told_gain(equation: Any, best: Any) -> Evidence:
    from verification.claims.posterior import _written

    steps = (
        Step(
            "Zero divergence",
            "KL(q || f) = 0 exactly where q = f, that is where Sigma = A^(-1)/N solves the law:",
            (Equation(_written(equation.residual), sp.Integer(0)),),
        ),
        Step(
            "The only gain",
            "This is alpha H + H W H = 0; multiplied by H^(-1) on both sides it fixes H:",
            (Equation(Formula("H", "H"), _written(best)),),
        ),
    )
    result = Result("gain", Equation(Formula("H^{*}", "H*"), _written(best)))
    return Evidence(
        "symbolic",
        "In non-commuting matrices, for every dimension.",
        {"dimensions": "every"},
        Derivation("The best gain", steps, (result,)),
    )
