"""Tuning rules: those that papers print, and the gains with which the law is the posterior itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgtheory.errors import Absent
from sgtheory.independent.recheck import check_gain
from sgtheory.modepairs.pairs import LI
from sgtheory.modepairs.unbiased import ExactGain, exact_gain, exact_noise
from sgtheory.notation.derivation import Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain, tidy
from sgtheory.notation.sentence import say
from sgtheory.onestep.affine import LAMBDA

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def tuning(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """Printed rules, and exact ones where there are any."""
    steps, results = [], []
    rules = law.setting.sampler.rules
    if rules:
        equations = tuple(Equation(_name(r.parameter), r.value) for r in rules)
        cites = "; ".join(dict.fromkeys(r.cites for r in rules))
        steps.append(Step("Rules in print", f"As printed in {cites}:", equations))
        for rule, equation in zip(rules, equations, strict=True):
            words = f"A rule in print for ${rule.parameter}$:"
            results.append(Result(f"printed {rule.parameter}", equation, words))
    if law.setting.unrolled is None:
        for more, found in (_gain(law), _noise(law)):
            steps += more
            results += found
    if not results:
        reason = "no rule is printed for it, and none of its gains or noises reaches the posterior"
        raise Absent("tuning", law.setting.sampler.name, reason)
    return steps, results


def _name(parameter: str) -> Formula:
    names = {"eps": r"\epsilon", "E E^T": r"E E^{\top}", "mu": r"\mu"}
    return Formula(names.get(parameter, parameter), parameter)


def _gain(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    found = exact_gain(law.pairs)
    if found is None or not _is_free(law):
        return [], []
    asked = Equation(Formula(r"\tilde{C}", "C~"), Formula(r"\varphi(\tilde{A})", "phi(A~)"))
    phi = Equation(Formula(r"\varphi(\lambda_i)", "phi(lambda_i)"), tidy(found.phi.subs(LAMBDA, LI)))
    words = (
        "The law is the posterior where $Sigma_ij = delta_ij/(N lambda_i)$ at every pair of modes: the"
        " gain must turn the noise into a function of what it turns $A$ into."
    )
    steps = [Step("A gain that leaves no bias", words, (asked, phi))]
    if found.inverse is None:
        spectral = _spectral(found)
        return [*steps, spectral], [Result("exact gain", spectral.equations[-1])]
    gain = Equation(Formula(r"H^{-1}", "H^(-1)"), found.inverse)
    check = check_gain(law.pairs, found.inverse)
    if not check.passed:
        raise ArithmeticError(check.words())
    words = (
        "$phi$ is a line in $lambda$, so that is an equation between matrices, solved for the gain; in"
        " every dimension, whether or not $A$ and $C$ commute, wherever the step is stable:"
    )
    steps.append(Step("Solve for the gain", words, (gain,)))
    steps.append(Step("Check", say("With this gain, {}.", check.words())))
    return steps, [Result("exact gain", gain)]


def _spectral(found: ExactGain) -> Step:
    noise_latex, noise = latex(found.noise), plain(found.noise)
    if found.noise.is_Add:
        noise_latex, noise = rf"\left({noise_latex}\right)", f"({noise})"
    turned = Equation(
        Formula("K", "K"),
        Formula(rf"A^{{-1/2}} {noise_latex} A^{{-1/2}}", f"A^(-1/2) {noise} A^(-1/2)"),
    )
    solved = Equation(
        Formula(r"H", "H"),
        Formula(
            r"A^{-1/2} g(K) A^{-1/2}, \quad \varphi(g) = k g",
            "A^(-1/2) g(K) A^(-1/2), where phi(g) = k g",
        ),
    )
    words = (
        "$phi$ is no line, so the gain is no combination of $A$ and $C$; but $A^(1/2) H A^(1/2)$ has the"
        " eigenvectors of $K$, and to each eigenvalue $k$ of $K$ the stable solution $g$ of"
        " $phi(g) = k g$:"
    )
    return Step("Solve for the gain", words, (turned, solved))


def _is_free(law: SymbolicLaw) -> bool:
    """Whether the gain is any positive-definite matrix, and what it moves is the sample."""
    sampler, gain = law.setting.sampler, law.form.gain
    return sampler.sample.name == "theta" and not hasattr(gain, "diagonal_only")


def _noise(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    found: Any = exact_noise(law.pairs)
    if found is None:
        return [], []
    equation = Equation(Formula(r"E E^{\top}", "E E^T"), found)
    words = (
        "The injected noise enters as minibatches do, so it can top them up to what the posterior"
        " needs, wherever the right-hand side is positive semi-definite:"
    )
    return [Step("Noise that leaves no bias", words, (equation,))], [Result("exact noise", equation)]
