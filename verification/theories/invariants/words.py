"""The words of invariant laws about the mode: their moments, and what formulas for these are made of.

``H`` takes P to ``D2U P + P D2U - gamma D2U P D2U``, ``G`` to ``H(P) - gamma K(P)``, where K is what
minibatches add to the square of the Hessian, and ``L`` to ``D2U P + P D2U``.
"""

from __future__ import annotations

from typing import Any

from verification.terms.printing import Written
from verification.terms.term import Applied, Name, Term, term
from verification.terms.words import POWER, WHOLE, Word

POSTERIOR = "pi"
_SHOWN = {"lmc": "LMC", "sgld": "SGLD", "sgd": "SGD", "sgldfp": "FP"}
_OFF = r"\theta - \theta^{\star}"
_SQUARE = r"\mathbb{E}_{LAW}\left[(\bar\theta_{1/\gamma} - \theta^{\star})^2\right]"
_MOMENTS: dict[str, tuple[Any, str, str, str]] = {  # its value, typeset, on one line, spoken
    "off mode": (
        lambda o, law: o.moment(law, "mean"), rf"\mathbb{{E}}_{{LAW}}\left[{_OFF}\right]",
        "E_LAW[theta - theta*]", "the mean of the law of {0}, from the mode"),
    "settled bias": (
        lambda o, law: o.subtract(o.moment(law, "mean"), o.moment(POSTERIOR, "mean")),
        r"\mathbb{E}_{LAW}\left[\theta\right] - \mathbb{E}_{\pi}\left[\theta\right]",
        "(E_LAW[theta] - E_pi[theta])",
        "how far the mean of the law of {0} is from the posterior's"),
    "second about mode": (
        lambda o, law: o.moment(law, "second"),
        rf"\mathbb{{E}}_{{LAW}}\left[({_OFF})^{{\otimes 2}}\right]", "E_LAW[(theta - theta*)^(x2)]",
        "the second moments of the law of {0} about the mode"),
    "settled covariance": (
        lambda o, law: o.subtract(o.moment(law, "second"), _squared(o, law)),
        r"\operatorname{Cov}_{LAW}", "Cov_LAW", "the covariance of the law of {0}"),
    "gradient noise": (
        lambda o, law: o.moment(law, "noise"),
        r"\mathbb{E}_{LAW}\left[\operatorname{Var}\, \widehat{\nabla U}\right]", "E_LAW[Var(gradient)]",
        "the variance of the stochastic gradient under the law of {0}"),
    "spread of a run": (
        lambda o, law: o.moment(law, "spread"),
        r"\operatorname{Var}_{LAW}\left[\bar\theta_{1/\gamma}\right]",
        "Var_LAW[average of 1/gamma steps]",
        "the variance of an average of 1/gamma steps of {0}, to leading order in 1/N"),
    "distance of a run": (
        lambda o, law: o.add(o.moment(law, "spread"), _squared(o, law)),
        _SQUARE, "E_LAW[(average of 1/gamma steps - theta*)^2]",
        "the mean squared distance from the mode of an average of 1/gamma steps of {0}, so far"),
}  # fmt: skip
_AT_MODE = {
    "hessian at mode": ("D2U", r"\nabla^2 U(\theta^{\star})", "the Hessian of U at the mode"),
    "noise at mode": (
        "M", r"\mathsf{M}",
        "the sum over examples of squared deviations of their gradients at the mode"),
    "identity": ("I", r"\mathrm{Id}", "the identity of the parameter's size"),
}  # fmt: skip


def _squared(o: Any, law: Any) -> Any:
    """The square of a mean."""
    return o.power(o.moment(law, "mean"), o.number(2))


def _moment(name: str) -> Word:
    value, latex, text, spoken = _MOMENTS[name]

    def in_latex(law: Written) -> tuple[str, int]:
        index = "" if law.form == POSTERIOR else rf"_{{\mathrm{{{_SHOWN.get(law.form, law.form)}}}}}"
        return latex.replace("LAW", rf"\pi{index}"), POWER

    def in_text(law: Written) -> tuple[str, int]:
        return text.replace("LAW", _SHOWN.get(law.form, law.form)), WHOLE

    return Word(name, value, in_latex, in_text, spoken)


def _undoes(name: str) -> Word:
    others = tuple(f"undo {other}" for other in "HGL" if other != name)
    return Word(
        f"undo {name}",
        lambda o, x: o.undone(name, x),
        lambda x: (rf"\mathsf{{{name}}}^{{-1}}\left({x.form}\right)", WHOLE),
        lambda x: (f"{name}^-1({x.form})", WHOLE),
        f"{name} undone on {{0}}",
        mistaken_for=others,
    )


def _at_mode(name: str) -> Word:
    letter, latex, spoken = _AT_MODE[name]
    return Word(
        name, lambda o: o.at_mode(letter), lambda: (latex, POWER), lambda: (letter, WHOLE), spoken
    )


third = Word(
    "third derivative",
    lambda o, x: o.third(x),
    lambda x: (rf"\mathrm{{D}}^3 U(\theta^{{\star}})\left[{x.form}\right]", WHOLE),
    lambda x: (f"D3U[{x.form}]", WHOLE),
    "the third derivative of U at the mode, on {0}",
)

WORDS = (
    *map(_moment, _MOMENTS),
    *map(_undoes, "HGL"),
    third,
    *map(_at_mode, _AT_MODE),
)

HESSIAN, NOISE, IDENTITY = (Applied(name, ()) for name in _AT_MODE)


def _of_law(word: str) -> Any:
    def moment(sampler: str) -> Term:
        return Applied(word, (Name(sampler),))

    return moment


off, second, cov = map(_of_law, ("off mode", "second about mode", "settled covariance"))
bias, gradient_noise = map(_of_law, ("settled bias", "gradient noise"))
spread, run_off = map(_of_law, ("spread of a run", "distance of a run"))


def undone(operator: str, x: Any) -> Term:
    """H, G or L undone.

    >>> print(undone("H", 2 * IDENTITY))
    H^-1(2*I)
    """
    return Applied(f"undo {operator}", (term(x),))


MATRICES = ("undo H", "undo G", "undo L", "third derivative", *_AT_MODE)


def laws_in(side: Term) -> tuple[str, ...]:
    """The samplers of which a term speaks."""
    return tuple(dict.fromkeys(str(t.name) for t in side.subterms() if isinstance(t, Name)))
