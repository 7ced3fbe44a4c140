"""The step or gain at which the divergence between law and posterior is smallest, in closed form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from sgtheory.language import STEP
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.matrixwords import EE, SIGMA, A, H, identity
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import say
from sgtheory.polynomials import is_zero
from sgtheory.setting import Setting
from verification.laws.gains import PosteriorEquation, posterior_equation, with_default_step, written
from verification.laws.pair_form import LETTERS, by_word, pair_symbol, to_pair
from verification.notation import D, N, trace
from verification.refuter.conditions import Commute, Condition
from verification.refuter.lattice import implies
from verification.refuter.parameters import written_under
from verification.theories.matrices.freedom import MULTIPLE_OVER, STEP_OVER, Freedom

_MULTIPLE = sp.Symbol("k", positive=True)  # the noise is k A
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
        return is_zero((self.value - printed).subs(identity, 1))

    def told(self) -> Derivation | None:
        """The derivation, for a page."""
        if isinstance(self.shown, PosteriorEquation):
            return _told_gain(self.shown, self.value)
        return None if self.value is None else _told_number(self.shown, self.value)


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
    def noises(self) -> list[Any]:
        """The symbols in the covariance that stand for noise."""
        return noises(self.entry)

    @property
    def is_proportional(self) -> bool:
        """Whether the covariance is the parameter times what does not depend on it."""
        return not sp.cancel(self.entry / self.parameter).has(self.parameter)

    @property
    def trace(self) -> Any:
        """N Tr(A Sigma)/2, or Tr((N A Sigma)^(-1))/2 where it is reverse."""
        return self.tied / self.parameter if self.reverse else self.tied * self.parameter

    @property
    def divergence(self) -> Any:
        """Up to terms without the parameter, where the covariance is proportional to it."""
        logs = D * sp.log(self.parameter) / 2
        return self.trace + logs if self.reverse else self.trace - logs

    @property
    def curvature(self) -> Any:
        """Its second derivative in the logarithm of the parameter."""
        p = self.parameter
        return sp.expand(p * sp.diff(p * sp.diff(self.divergence, p), p))


def noises(expr: Any) -> list[Any]:
    """The symbols in a formula at a pair of modes that stand for noise."""
    return sorted((s for s in expr.free_symbols if s.name in LETTERS), key=str)


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
    equation = posterior_equation(setting, time, given)
    reason = "At this gain the law is the posterior: the divergence is zero, as it is nowhere else."
    return Best(equation.solution, reason, "The full gain below makes it zero.", equation)


def balance(setting: Setting, time: str, freedom: Freedom, given: Given = ()) -> Balance:
    """The covariance as a function of the free number, and the trace where that is a formula."""
    p, entry = _entry(setting, time, freedom)
    commuting = freedom.gain is None and any(implies(c, _COMMUTING, ("A", "C")) for c in given)
    size = written_under(N, given)
    bare = Balance(p, written_under(entry, given), None, freedom.reverse, commuting, size)
    return tied(bare, freedom.gain)


def tied(bare: Balance, gain: Any = None) -> Balance:
    """The same with its trace, where the covariance is proportional to the parameter."""
    p, diagonal = bare.parameter, sp.cancel(bare.entry.subs(LJ, LI) / bare.parameter)
    if diagonal.has(p) if bare.commuting else not bare.is_proportional:
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
        why = f"The covariance is not proportional to the {what}"
        if freedom.reverse and found.is_proportional:
            why = "The trace of $(A Sigma)^(-1)$ is not that of a multiple of $(B B^T)^(-1)$"
        why += ", so the curvature stays in the divergence, and in the value at which it is smallest."
        return Best(None, why, why, found)
    (best,) = sp.solve(sp.diff(found.divergence, p), p)
    if not found.curvature.is_positive:
        raise ArithmeticError("the divergence is not convex in the logarithm of its parameter")
    shape = "the inverse of it plus" if freedom.reverse else "a linear function of it minus"
    reason = (
        f"The covariance is proportional to the {what}, so the divergence is {shape} $(D/2)$ log, up to"
        " constants: convex in the logarithm, with its one minimum at this value, in every dimension."
    )
    one = identity if freedom.over == MULTIPLE_OVER else sp.Integer(1)
    return Best(best * one, reason, f"It is strictly convex in the logarithm of the {what}.", found)


def share_of_gain(setting: Setting, time: str) -> tuple[Any, Any] | None:
    """The noise W of a law, and the number s with Sigma = s k H where W is k A, if every gain has it.

    Then the divergence is N s k Tr(A H)/2 - log det(H)/2 and a constant: convex in H, and for a diagonal
    H a sum over its entries, smallest at H_kk = 1/(N s k A_kk).

    >>> from sgtheory import registry
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> share_of_gain(sgd, "continuous")
    (C/S, 1/2)
    >>> share_of_gain(sgd, "discrete") is None
    True
    """
    law = law_equation(stationary(setting, time))
    left, right = (with_default_step(setting, side) for side in (law.left.subs(SIGMA, H), law.right))
    moved = {w: c for w, c in by_word(left).items() if sp.cancel(c) != 0}
    noise = sp.Add(*(c * (H**-1 * w * H**-1) for w, c in by_word(right).items()))
    return (noise, 1 / moved[H * A * H]) if set(moved) == {H * A * H} and not noise.has(H) else None


_NO_DIVERGENCE = Formula(r"\mathrm{KL}(q \,\|\, f) = 0", "KL(q || f) = 0")


def told_proportional(share: Any, value: Any, noise: Any) -> Derivation:
    """The derivation under the condition that the noise is a multiple of A."""
    h, a = sp.symbols("H_kk A_kk", positive=True)
    share *= _MULTIPLE
    each, best = N * share * a * h / 2 - sp.log(h) / 2, Equation(Formula("H^{*}", "H*"), value)
    law, kl = Formula(r"\Sigma", "Sigma"), Formula(r"\mathrm{KL}_{k}", "KL_k")
    whole = Equation(noise, _MULTIPLE * A)
    multiple = say("With {} the covariance is a multiple of the gain, whatever the gain:", whole)
    summed = "Up to a constant it is a sum over the diagonal of $H$ of terms that are convex:"
    steps = (
        Step("The law", multiple, (Equation(law, share * H),)),
        Step("The divergence", summed, (Equation(kl, each),)),
        Step("The minimum", say("Entry by entry, with the diagonal of {}:", whole), (best,)),
    )
    return Derivation("The best diagonal gain", steps, (Result("gain", best),))


def _told_number(found: Balance, best: Any) -> Derivation:
    step = found.parameter == STEP
    what, name = ("step", plain(STEP)) if step else ("gain", "h")
    star = Equation(Formula(r"\epsilon^{*}", "eps*") if step else Formula("H^{*}", "H*"), best)
    kl, left, words = _written_trace(found)
    grows = Formula(
        rf"\log \det \Sigma = D \log {'h' if not step else latex(STEP)}", f"log det Sigma = D log {name}"
    )
    linear = say("Linear in the {}, so {} + a constant:", what, grows)
    minimum = "The second derivative in the logarithm is positive; the first vanishes once:"
    second = Equation(Formula(r"\mathrm{KL}''", "KL''"), found.curvature)
    steps = (
        Step("The law", linear, (Equation(Formula(r"\Sigma_{ij}", "Sigma_ij"), found.entry),)),
        Step("The trace", words, (Equation(left, found.trace),)),
        Step("The divergence", f"Up to terms without the {what}:", (Equation(kl, found.divergence),)),
        Step("The minimum", minimum, (second, star)),
    )
    return Derivation(f"The best {what}", steps, (Result("minimiser", star),))


def _written_trace(found: Balance) -> tuple[Formula, Formula, str]:
    """The divergence and its trace as they are written, and what happens to the trace."""
    size, less = ("1", "2") if found.size == 1 else (f"{found.size}", f"2 {found.size}")
    if not found.reverse:
        return (
            Formula(r"\mathrm{KL}(q \| f)", "KL(q || f)"),
            Formula(rf"\tfrac{{{size}}}{{2}} \operatorname{{Tr}}(A \Sigma)", f"{size}/2 Tr(A Sigma)"),
            "Summed over equal modes the eigenvalues cancel:",
        )
    inverse = rf"\tfrac{{1}}{{{less}}} \operatorname{{Tr}}(A^{{-1}} \Sigma^{{-1}})"
    return (
        Formula(r"\mathrm{KL}(f \| q)", "KL(f || q)"),
        Formula(inverse, f"1/({less}) Tr(A^(-1) Sigma^(-1))"),
        "Where $A$ and $B B^T$ commute, $Sigma$ is diagonal with them and the eigenvalues of $A$"
        " cancel:",
    )


def _told_gain(equation: Any, best: Any) -> Derivation:
    zero = "{} exactly where $q = f$, that is where $Sigma = A^(-1)/N$ solves the law:"
    solved = Equation(written(equation.residual), sp.Integer(0))
    only = "This is $alpha H + H W H = 0$; multiplied by $H^(-1)$ on both sides it fixes $H$:"
    steps = (
        Step("Zero divergence", say(zero, _NO_DIVERGENCE), (solved,)),
        Step("The only gain", only, (Equation(Formula("H", "H"), written(best)),)),
    )
    result = Result("gain", Equation(Formula("H^{*}", "H*"), written(best)))
    return Derivation("The best gain", steps, (result,))
