"""Gains for which a sampler has exactly the posterior as its law, found in matrices.

With Sigma = (N A)^(-1) put into the equation of the law, a gain H enters as alpha H + H W H with
W free of H. Among invertible H that vanishes for one only: H = -alpha W^(-1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.declare import N
from sgtheory.language import STEP
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.derivation import Formula
from sgtheory.notation.matrixwords import SIGMA, A, H
from sgtheory.notation.sentence import formula_of
from sgtheory.setting import Setting
from sgtheory.telling.covariance import tidy_matrix
from verification.laws.pair_form import by_word, letters_of
from verification.refuter.conditions import Condition
from verification.refuter.parameters import written_under


@dataclass(frozen=True)
class PosteriorEquation:
    """The equation of the law at Sigma = (N A)^(-1): alpha H + H W H = 0."""

    residual: Any
    alpha: Any
    W: Any

    @property
    def solution(self) -> Any:
        """The only invertible gain that satisfies it; W is divided by the factor of its first term."""
        scale = sp.Mul(*sp.Add.make_args(self.W)[0].args_cnc()[0])
        return sp.expand(-self.alpha * sp.Pow(sp.expand(self.W / scale), -1) / scale)

    def solved_by(self, gain: Any) -> bool:
        """Whether a gain satisfies the equation: multiplied out, or as the inverse of the solution's."""
        if self.at(gain) == 0:
            return True
        return bool(sp.expand(inverted(gain) - inverted(self.solution)) == 0)

    def at(self, gain: Any) -> Any:
        """What is left of the equation for a printed gain, multiplied out."""
        return sp.expand(self.residual.subs(H, gain))


def posterior_equation(
    setting: Setting,
    time: str,
    given: tuple[Condition, ...] = (),
    put: Iterable[tuple[Any, Any]] | None = None,
) -> PosteriorEquation:
    """The condition on the gain, with letters put in; else a step that need not be given is 1.

    >>> from sgtheory import registry
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> posterior_equation(sgd, "continuous").solution
    2*S*C**(-1)/N
    """
    law = law_equation(stationary(setting, time))
    residual = law.left - law.right
    residual = with_default_step(setting, residual) if put is None else residual.subs([*put])
    residual = residual.subs(SIGMA, A**-1 / N)
    residual, alpha, W = sp.expand(written_under(residual, given)), sp.Integer(0), sp.Integer(0)
    for word, scalar in by_word(residual).items():
        flat = letters_of(word.args_cnc()[1])
        if flat == [H]:
            alpha += scalar
        elif len(flat) > 2 and flat[0] == flat[-1] == H and H not in flat[1:-1]:
            W += scalar * sp.Mul(*flat[1:-1])
        else:
            raise ValueError(f"{scalar * word} is neither H nor H W H: no closed form by this route")
    return PosteriorEquation(residual, alpha, W)


def equation_of_gain(
    setting: Setting | None,
    time: str,
    given: tuple[Condition, ...],
    put: tuple[tuple[Any, Any], ...],
) -> PosteriorEquation | None:
    """The condition on a gain that is set; None where there is none, or it is no polynomial in it."""
    others = [(letter, value) for letter, value in put if letter != H]
    if setting is None or len(others) == len(put):
        return None
    try:
        return posterior_equation(setting, time, given, others)
    except ValueError:
        return None


def inverted(gain: Any) -> Any:
    """The inverse of a gain; that of a product word by word.

    >>> x, y = sp.symbols("x y", commutative=False)
    >>> inverted(2 * (x + y) ** -1)
    x/2 + y/2
    """
    terms = sp.Add.make_args(sp.sympify(gain))
    if len(terms) > 1:
        return sp.Pow(gain, -1)
    scalars, words = terms[0].args_cnc()
    bases = [word.as_base_exp() for word in reversed(words)]
    return sp.expand(sp.Mul(1 / sp.Mul(*scalars), *(b ** (-power) for b, power in bases)))


def written(expr: Any) -> Formula:
    """A matrix expression as it is shown."""
    return formula_of(tidy_matrix(expr))


def with_default_step(setting: Setting, expr: Any) -> Any:
    """An expression with eps = 1, where the sampler takes a gain instead of a step."""
    eps = next((p for p in setting.sampler.parameters if p.name == STEP.name), None)
    return expr if eps is None or setting.sampler.default(eps) is None else expr.subs(STEP, 1)
