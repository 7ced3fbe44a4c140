"""Two runs in place of one: what Richardson and Romberg's extrapolation does to the covariance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from sgtheory.errors import Absent
from sgtheory.notation.derivation import Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw

_ORDER = 2  # the first that is left


def extrapolation(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """Twice the covariance at half the step, less that at the step."""
    name, step = law.setting.sampler.name, law.setting.sampler.step
    if law.time != "discrete":
        raise Absent("extrapolation", name, "in continuous time there is no step; ask for discrete time")
    if law.setting.unrolled is not None:
        raise Absent("extrapolation", name, "its steps are not all alike, and a run knows no one step")
    h, text = latex(step), plain(step)
    left = Formula(rf"\Sigma_{{ij}}({h}, {h}/2)", f"Sigma_ij({text}, {text}/2)")
    right = Formula(
        rf"2\, \Sigma_{{ij}}({h}/2) - \Sigma_{{ij}}({h})",
        f"2*Sigma_ij({text}/2) - Sigma_ij({text})",
    )
    grown = sp.expand(law.covariance.series(step.name, _ORDER))
    terms = [grown.coeff(step, k) * step**k for k in range(_ORDER + 1)]
    what_is_left = sp.Add(
        *(sp.factor(term) * (sp.Integer(2) / 2**k - 1) for k, term in enumerate(terms))
    )
    words = (
        f"Of two independent runs, at the step ${step}$ and at half of it, twice what the second says"
        " less what the first says is free of all that is proportional to the step; constants stay."
        " Where the two scatter with variances $V_1$ and $V_2$ from run to run, the answer scatters"
        " with $V_1 + 4 V_2$."
    )
    of_small_steps = Equation(left, what_is_left, "~")
    steps = [Step("Extrapolated", words, (Equation(left, right), of_small_steps))]
    return steps, [
        Result("extrapolated", Equation(left, right)),
        Result("extrapolated series", of_small_steps),
    ]
