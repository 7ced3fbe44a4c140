"""What averaging makes of a chain: windows, and how many samples are worth one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.errors import Absent
from sgtheory.independent.recheck import check_identity, check_long_run
from sgtheory.modepairs.longrun import correlation_time, long_run, steps_per_pass, window_sums
from sgtheory.notation.derivation import Equation, Formula, Result, Step
from sgtheory.notation.sentence import say
from sgtheory.onestep.affine import LAMBDA

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw

_UNLIKE = "its steps are not all alike, so ask for the covariance at the end of a period"


def ess(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """The integrated autocorrelation time, and what it makes of a pass over the data."""
    if law.setting.unrolled is not None:
        raise Absent("ess", law.setting.sampler.name, _UNLIKE)
    check = check_long_run(law.pairs, long_run(law.pairs))
    if not check.passed:
        raise ArithmeticError(check.words())
    total = Equation(Formula(r"L_{ij}", "L_ij"), long_run(law.pairs))
    tau = Equation(Formula(r"\tau_i", "tau_i"), correlation_time(law.pairs))
    unit = "steps" if law.time == "discrete" else "units of time"
    words = (
        "Autocovariances are summed over all lags by one inverse; divided by the variance that is"
        f" the integrated autocorrelation time of mode $i$, in {unit}:"
    )
    steps = [
        Step("Effective samples", words, (total, tau)),
        Step("Check", say("By another route, {}.", check.words())),
    ]
    results = [Result("long_run", total), Result("tau", tau)]
    passes = steps_per_pass(law.setting)
    if passes is not None and law.time == "discrete":
        samples = Equation(
            Formula(r"\mathrm{ESS}_i / \text{pass}", "ESS_i per pass"), passes / tau.right
        )
        steps.insert(1, Step("Per pass", "Effective samples that one pass gives:", (samples,)))
        results.append(Result("ess", samples))
    return steps, results


def average(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """The covariance of the mean over a window, and that of two neighbouring windows."""
    if law.setting.unrolled is not None:
        raise Absent("average", law.setting.sampler.name, _UNLIKE)
    if len(law.form.states) == 1:
        return _one_state(law)
    return _general(law)


def _one_state(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    T = sp.Symbol("T", positive=True)
    a_i, a_j = sp.Symbol("a_i", real=True), sp.Symbol("a_j", real=True)
    sigma = sp.Symbol("Sigma_ij", real=True)
    (weighted, plain), (other, _) = (window_sums(a, law.time, T) for a in (a_i, a_j))
    start = T if law.time == "discrete" else sp.Integer(0)
    within = Equation(Formula(r"D_{ij}(T)", "D_ij(T)"), sigma / T**2 * (start + weighted + other))
    factor = a_i if law.time == "discrete" else sp.Integer(1)
    # written in a_i on purpose: the later window is that of mode i
    across = Equation(Formula(r"N_{ij}(T)", "N_ij(T)"), sigma / T**2 * factor * plain**2)
    rate = Equation(a_i, law.form.M[0, 0].subs(LAMBDA, sp.Symbol("lambda_i", positive=True)))
    words = (
        "The covariance of the mean over a window of length $T$ sums the autocovariances; that with"
        " the mean over the next window, which is the later one, is $N$:"
    )
    steps = [Step("Average", words, (rate, within, across))]
    if law.time == "discrete":
        steps.append(_summed_out(within.right, across.right, a_i, a_j, sigma, T))
    return steps, [Result("average", within), Result("neighbour", across)]


def _summed_out(within: Any, across: Any, a_i: Any, a_j: Any, sigma: Any, T: Any) -> Step:
    """Held against sums over all pairs of steps, for some windows."""
    for length in (1, 2, 5):
        pairs = [(k, m) for k in range(length) for m in range(length)]
        lags = [a_i ** (k - m) if k >= m else a_j ** (m - k) for k, m in pairs]
        later = [a_i ** (length + k - m) for k, m in pairs]
        for formula, terms in ((within, lags), (across, later)):
            check = check_identity(
                formula.subs(T, length), sigma * sp.Add(*terms) / length**2, "the sum over lags"
            )
            if not check.passed:
                raise ArithmeticError(check.words())
    return Step("Check", say("For windows of 1, 2 and 5 steps, {}.", check.words()))


def _general(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    if law.time == "discrete":
        weight = Equation(
            Formula("G_i", "G_i"),
            Formula(
                r"\sum_{k=1}^{T-1} (T-k) M(\lambda_i)^k = M (I-M)^{-1}"
                r" \left(T I - (I - M^{(T)})(I-M)^{-1}\right), \quad M^{(T)} = M \cdots M",
                "sum_{k=1}^{T-1} (T-k) M(lambda_i)^k",
            ),
        )
        plain = Equation(
            Formula("S_i", "S_i"),
            Formula(r"\sum_{k=0}^{T-1} M(\lambda_i)^k", "sum_{k=0}^{T-1} M(lambda_i)^k"),
        )
        total = Formula(
            r"\frac{1}{T^2} \left(T P_{ij} + G_i P_{ij} + P_{ij} G_j^{\top}\right)",
            "(T P_ij + G_i P_ij + P_ij G_j^T)/T^2",
        )
        later = Formula(r"\frac{1}{T^2} M(\lambda_i) S_i^2 P_{ij}", "M(lambda_i) S_i^2 P_ij/T^2")
    else:
        weight = Equation(
            Formula("G_i", "G_i"),
            Formula(
                r"\int_0^T (T-s) e^{F(\lambda_i) s} ds = F^{-2}\left(e^{F T} - I - F T\right)",
                "integral_0^T (T-s) exp(F(lambda_i) s) ds",
            ),
        )
        plain = Equation(
            Formula("S_i", "S_i"),
            Formula(
                r"\int_0^T e^{F(\lambda_i) s} ds = F^{-1}\left(e^{F T} - I\right)",
                "integral_0^T exp(F(lambda_i) s) ds",
            ),
        )
        total = Formula(
            r"\frac{1}{T^2} \left(G_i P_{ij} + P_{ij} G_j^{\top}\right)",
            "(G_i P_ij + P_ij G_j^T)/T^2",
        )
        later = Formula(r"\frac{1}{T^2} S_i^2 P_{ij}", "S_i^2 P_ij/T^2")
    within = Equation(Formula(r"D_{ij}(T)", "D_ij(T)"), total)
    across = Equation(Formula(r"N_{ij}(T)", "N_ij(T)"), later)
    words = (
        "The covariance of the mean over a window of length $T$ sums the autocovariances; that with"
        " the mean over the next window, which is the later one, is $N$:"
    )
    results = [
        Result("weighted powers", weight),
        Result("plain powers", plain),
        Result("average", within),
        Result("neighbour", across),
    ]
    return [Step("Average", words, (weight, plain, within, across))], results
