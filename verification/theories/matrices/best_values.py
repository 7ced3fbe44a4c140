"""The parameter at which the divergence from law to posterior is smallest, in closed form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from sgtheory.language import STEP
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.matrixwords import EE, SIGMA, A, C, H, identity
from sgtheory.notation.printing import plain
from sgtheory.setting import Setting
from verification.laws.gains import PosteriorEquation, posterior_equation, written
from verification.laws.pair_form import LETTERS, pair_symbol, to_pair
from verification.notation import D, N, trace
from verification.refuter.conditions import Commute, Condition, implies
from verification.refuter.parameters import OnScalars, written_under
from verification.theories.matrices.freedom import MULTIPLE_OVER, STEP_OVER, Freedom
from verification.verdicts.verdict import Evidence

SHARE = sp.Symbol("s", positive=True)  # Sigma = s H
MULTIPLE = sp.Symbol("k", positive=True)  # B B^T = k A
SCALE = sp.Symbol("h", positive=True)  # H = h I
_COMMUTING = Commute(("A", "C"))

Given = tuple[Condition, ...]


@dataclass(frozen=True)
class Best:
    """The best value, or None where it is no formula in the noise alone; and what shows it."""

    value: Any
    reason: str
    otherwise: str  # said of another value
    shown: Any  # what is told: a Balance or a PosteriorEquation

    def is_solved_by(self, printed: Any) -> bool:
        """Whether a printed value is the best one."""
        if isinstance(self.shown, PosteriorEquation):
            return self.shown.solved_by(printed)
        return bool(sp.simplify((self.value - printed).subs(identity, 1)) == 0)


@dataclass(frozen=True)
class Balance:
    """The divergence as a function of one positive number, a step or the h of a gain h I."""

    parameter: Any
    entry: Any  # the covariance at a pair of modes
    tied: Any = None  # what the trace is: times the parameter, or divided by it where it is reverse
    reverse: bool = False
    commuting: bool = False
    size: Any = N  # the posterior is that of so many examples

    @property
    def divergence(self) -> Any:
        """Up to terms without the parameter, where the covariance is proportional to it."""
        p = self.parameter
        return self.tied / p + D * sp.log(p) / 2 if self.reverse else self.tied * p - D * sp.log(p) / 2

    @property
    def curvature(self) -> Any:
        """Its second derivative in the logarithm of the parameter."""
        p = self.parameter
        return sp.expand(p * sp.diff(p * sp.diff(self.divergence, p), p))


def best_value(setting: Setting, time: str, freedom: Freedom, given: Given = ()) -> Best:
    """The best step, or the best gain.

    >>> from sgtheory import registry
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> best_value(sgd, "continuous", Freedom("step")).value
    2*D*S/(N*Trace(C))
    >>> best_value(sgd, "continuous", Freedom("gain")).value
    2*S*C**(-1)/N
    """
    if freedom.over in (STEP_OVER, MULTIPLE_OVER):
        return best_number(balance(setting, time, freedom, given), freedom)
    return _best_gain(setting, time, given)


def balance(setting: Setting, time: str, freedom: Freedom, given: Given = ()) -> Balance:
    """The covariance as a function of the free number, and the trace where that is a formula."""
    p, entry = _entry(setting, time, freedom)
    for condition in given:
        entry = condition.written(entry) if isinstance(condition, OnScalars) else entry
    commuting = freedom.gain is None and any(implies(c, _COMMUTING, ("A", "C")) for c in given)
    size = written_under(N, given)
    return tied(Balance(p, entry, None, freedom.reverse, commuting, size), freedom.gain)


def tied(bare: Balance, gain: Any = None) -> Balance:
    """The same with its trace, where the covariance is proportional to the parameter."""
    p, diagonal = bare.parameter, sp.cancel(bare.entry.subs(LJ, LI) / bare.parameter)
    if (diagonal if bare.commuting else sp.cancel(bare.entry / p)).has(p):
        return bare
    shares = {s: sp.cancel(LI * sp.diff(diagonal, s)) for s in noises(diagonal)}
    if any(share.has(LI) for share in shares.values()) or (bare.reverse and not bare.commuting):
        return bare
    if bare.reverse:
        ((noise, share),) = shares.items()
        return replace(bare, tied=trace(LETTERS[noise.name] ** -1) / (2 * bare.size * share))
    turned = sp.Integer(1) if gain is None else gain
    terms = (bare.size * share * trace(LETTERS[s.name] * turned) / 2 for s, share in shares.items())
    return replace(bare, tied=sp.Add(*terms))


def noises(expr: Any) -> list[Any]:
    """The symbols in a formula at a pair of modes that stand for noise."""
    return sorted((s for s in expr.free_symbols if s.name in LETTERS), key=str)


def _entry(setting: Setting, time: str, freedom: Freedom) -> tuple[Any, Any]:
    if freedom.over == STEP_OVER:
        return STEP, stationary(setting, time).entry("theta", "theta")
    law = law_equation(stationary(setting, time))
    left, right = (to_pair(sp.expand(side).subs(H, SCALE)) for side in (law.left, law.right))
    right = right.subs(pair_symbol(EE), sp.Symbol("EE_ij", real=True))
    return SCALE, sp.factor(right / sp.expand(left).coeff(pair_symbol(SIGMA)))


def best_number(found: Balance, freedom: Freedom) -> Best:
    """The best step, or the best h of a gain h I."""
    p, what = found.parameter, "step" if freedom.over == STEP_OVER else "gain"
    if found.tied is None:
        apart = "" if freedom.reverse else " by its trace alone"
        why = f"The covariance is not proportional to the {what}"
        if freedom.reverse and not sp.cancel(found.entry / p).has(p):
            why = "The trace of (A Sigma)^(-1) is not that of a multiple of (B B^T)^(-1)"
        why += f", so the divergence has no minimum at a value that depends on B B^T{apart or ' alone'}."
        return Best(None, why, why, found)
    (best,) = sp.solve(sp.diff(found.divergence, p), p)
    if not found.curvature.is_positive:
        raise ArithmeticError("the divergence is not convex in the logarithm of its parameter")
    shape = "the inverse of it plus" if freedom.reverse else "a linear function of it minus"
    reason = (
        f"The covariance is proportional to the {what}, so the divergence is {shape} (D/2) log, up to"
        " constants: convex in the logarithm, with its one minimum at this value, in every dimension."
    )
    one = identity if freedom.over == MULTIPLE_OVER else sp.Integer(1)
    return Best(best * one, reason, f"It is strictly convex in the logarithm of the {what}.", found)


def _best_gain(setting: Setting, time: str, given: Given) -> Best:
    equation = posterior_equation(setting, time, given)
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


def told(best: Best) -> Evidence:
    """The derivation, for a page."""
    if isinstance(best.shown, PosteriorEquation):
        return _told_gain(best.shown, best.value)
    if best.value is None:
        return Evidence(
            "symbolic", "The covariance at a pair of modes.", {"covariance": plain(best.shown.entry)}
        )
    return _told_number(best.shown, best.value)


def _told_number(found: Balance, best: Any) -> Evidence:
    step = found.parameter == STEP
    what, name = ("step", plain(STEP)) if step else ("gain", "h")
    star = Formula(r"\epsilon^{*}", "eps*") if step else Formula("H^{*}", "H*")
    kl, left, words = _written_trace(found)
    inside = found.tied / found.parameter if found.reverse else found.tied * found.parameter
    steps = (
        Step(
            "The law",
            f"Linear in the {what}, so log det Sigma = D log {name} + a constant:",
            (Equation(Formula(r"\Sigma_{ij}", "Sigma_ij"), found.entry),),
        ),
        Step("The trace", words, (Equation(left, inside),)),
        Step("The divergence", f"Up to terms without the {what}:", (Equation(kl, found.divergence),)),
        Step(
            "The minimum",
            "The second derivative in the logarithm is positive; the first vanishes once:",
            (
                Equation(Formula(r"\mathrm{KL}''", "KL''"), found.curvature),
                Equation(star, best),
            ),
        ),
    )
    return Evidence(
        "symbolic",
        "In closed form, for every dimension.",
        {"dimensions": "every"},
        Derivation(f"The best {what}", steps, (Result("minimiser", Equation(star, best)),)),
    )


def _written_trace(found: Balance) -> tuple[Formula, Formula, str]:
    """The divergence and its trace as they are written, and what happens to the trace."""
    size, less = ("1", "2") if found.size == 1 else (f"{found.size}", f"2 {found.size}")
    if not found.reverse:
        return (
            Formula(r"\mathrm{KL}(q \| f)", "KL(q || f)"),
            Formula(rf"\tfrac{{{size}}}{{2}} \operatorname{{Tr}}(A \Sigma)", f"{size}/2 Tr(A Sigma)"),
            "Summed over equal modes the eigenvalues cancel:",
        )
    return (
        Formula(r"\mathrm{KL}(f \| q)", "KL(f || q)"),
        Formula(
            rf"\tfrac{{1}}{{{less}}} \operatorname{{Tr}}(A^{{-1}} \Sigma^{{-1}})",
            f"1/({less}) Tr(A^(-1) Sigma^(-1))",
        ),
        "Where A and B B^T commute, Sigma is diagonal with them and the eigenvalues of A cancel:",
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
