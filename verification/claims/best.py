"""The parameter at which the divergence from law to posterior is smallest, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.language import STEP
from sgtheory.matrixform import law_equation
from sgtheory.matrixwords import SIGMA, A, C, H
from sgtheory.pairs import LI, LJ, stationary
from sgtheory.printing import plain
from sgtheory.setting import Setting
from verification.claims.posterior import written
from verification.gains import PosteriorEquation, posterior_equation
from verification.notation import D, N, eps, trace
from verification.pairform import NOISE
from verification.verdict import Evidence

STEP_OVER, GAIN_OVER, DIAGONAL_OVER = "step", "gain", "diagonal gain"
SHARE = sp.Symbol("s", positive=True)  # Sigma = s H
MULTIPLE = sp.Symbol("k", positive=True)  # B B^T = k A


@dataclass(frozen=True)
class Best:
    """The best value, or None where it is no formula in the trace of B B^T; and what shows it."""

    value: Any
    reason: str
    otherwise: str  # said of another value
    shown: Any  # what is told: a StepBalance or a PosteriorEquation

    def is_solved_by(self, printed: Any) -> bool:
        """Whether a printed value is the best one."""
        if isinstance(self.shown, PosteriorEquation):
            return self.shown.solved_by(printed)
        return bool(sp.simplify(self.value - printed) == 0)


@dataclass(frozen=True)
class StepBalance:
    """The divergence as a function of the step, where the covariance is proportional to the step."""

    entry: Any  # the covariance at a pair of modes
    slope: Any  # of N Tr(A Sigma)/2, or None where it is not proportional to the step

    @property
    def divergence(self) -> Any:
        """Up to terms without the step."""
        return self.slope * eps - D * sp.log(eps) / 2

    @property
    def curvature(self) -> Any:
        """Its second derivative."""
        return sp.diff(self.divergence, eps, 2)


def best_value(setting: Setting, time: str, over: str) -> Best:
    """The best step, or the best gain.

    >>> from sgtheory import registry
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> best_value(sgd, "continuous", STEP_OVER).value
    2*D*S/(N*Trace(C))
    >>> best_value(sgd, "continuous", GAIN_OVER).value
    2*S*C**(-1)/N
    """
    return _best_step(setting, time) if over == STEP_OVER else _best_gain(setting, time)


def _best_step(setting: Setting, time: str) -> Best:
    entry = stationary(setting, time).entry("theta", "theta")
    rate = sp.cancel(entry / STEP)
    share = sp.cancel((LI * entry).subs(LJ, LI).coeff(NOISE) / STEP) if not rate.has(STEP) else None
    if share is None or share.has(LI):
        why = (
            "The covariance is not proportional to the step, so the divergence has no minimum at a value"
            " that depends on B B^T by its trace alone."
        )
        return Best(None, why, why, StepBalance(entry, None))
    balance = StepBalance(entry, N * share * trace(C) / 2)
    (best,) = sp.solve(sp.diff(balance.divergence, eps), eps)
    if not balance.curvature.is_positive:
        raise ArithmeticError("the divergence is not convex in the step")
    reason = (
        "The covariance is proportional to the step, so the divergence is a linear function of it minus"
        " (D/2) log: strictly convex, with its one minimum at this value, in every dimension."
    )
    return Best(best, reason, "It is strictly convex in the step.", balance)


def _best_gain(setting: Setting, time: str) -> Best:
    equation = posterior_equation(setting, time)
    return Best(
        equation.solution,
        "At this gain the law is the posterior: the divergence is zero, as it is nowhere else.",
        "The full gain below makes it zero.",
        equation,
    )


def share_of_gain(setting: Setting, time: str) -> Any:
    """The number s with Sigma = s H where A is a multiple of B B^T, if there is one for every gain.

    Then the divergence is N s Tr(A H)/2 - log det(H)/2 and a constant: convex in H, and for a
    diagonal H a sum over its entries, smallest at H_kk = 1/(N s A_kk).

    >>> from sgtheory import registry
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> share_of_gain(sgd, "continuous")
    k/(2*S)
    >>> share_of_gain(sgd, "discrete") is None
    True
    """
    law = law_equation(stationary(setting, time))
    residual = (law.left - law.right).subs(STEP, 1).subs(SIGMA, SHARE * H).subs(C, MULTIPLE * A)
    found = [sp.solve(c, SHARE) for c in _coefficients(sp.expand(residual))]
    values = {sp.cancel(v[0]) for v in found if len(v) == 1}
    return values.pop() if len(values) == 1 and all(found) else None


def _coefficients(expr: Any) -> list[Any]:
    """The scalar in front of each word."""
    words: dict[Any, Any] = {}
    for term in sp.Add.make_args(expr):
        scalars, letters = term.args_cnc()
        words[tuple(letters)] = words.get(tuple(letters), 0) + sp.Mul(*scalars)
    return [c for c in words.values() if sp.cancel(c) != 0]


def told_proportional(share: Any, value: Any) -> Evidence:
    """The derivation under the condition that A is a multiple of B B^T."""
    kl = Formula(r"\mathrm{KL}_{k}", "KL_k")
    h, a = sp.symbols("H_kk A_kk", positive=True)
    each = N * share * a * h / 2 - sp.log(h) / 2
    steps = (
        Step(
            "The law",
            "With B B^T = k A the covariance is a multiple of the gain, whatever the gain:",
            (Equation(Formula(r"\Sigma", "Sigma"), share * H),),
        ),
        Step(
            "The divergence",
            "Up to a constant it is a sum over the diagonal of H of terms that are convex:",
            (Equation(kl, each),),
        ),
        Step(
            "The minimum",
            "Entry by entry, with k A_kk = (B B^T)_kk:",
            (Equation(Formula("H^{*}", "H*"), value),),
        ),
    )
    result = Result("gain", Equation(Formula("H^{*}", "H*"), value))
    return Evidence(
        "symbolic",
        "In closed form, for every dimension.",
        {"dimensions": "every"},
        Derivation("The best diagonal gain", steps, (result,)),
    )


def told(best: Best, over: str) -> Evidence:
    """The derivation, for a page."""
    if over != STEP_OVER:
        return _told_gain(best.shown, best.value)
    if best.value is None:
        return Evidence(
            "symbolic", "The covariance at a pair of modes.", {"covariance": plain(best.shown.entry)}
        )
    balance = best.shown
    return _told_step(balance.entry, balance.slope, balance.divergence, best.value, balance.curvature)


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


def _told_gain(equation: Any, best: Any) -> Evidence:
    steps = (
        Step(
            "Zero divergence",
            "KL(q || f) = 0 exactly where q = f, that is where Sigma = A^(-1)/N solves the law:",
            (Equation(written(equation.residual), sp.Integer(0)),),
        ),
        Step(
            "The only gain",
            "This is alpha H + H W H = 0; multiplied by H^(-1) on both sides it fixes H:",
            (Equation(Formula("H", "H"), written(best)),),
        ),
    )
    result = Result("gain", Equation(Formula("H^{*}", "H*"), written(best)))
    return Evidence(
        "symbolic",
        "In non-commuting matrices, for every dimension.",
        {"dimensions": "every"},
        Derivation("The best gain", steps, (result,)),
    )
