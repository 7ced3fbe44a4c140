"""Real minibatches whose examples differ in curvature: what formulas can say of them.

A minibatch's gradient at a point x is A (x - mode) plus noise whose covariance, given x, is that of
its examples there. Averaged over a law of x about the mode with covariance X that is C + V(X), V(X)
the mean of (a_n - A) X (a_n - A)^T over examples: an exact linear operator. Where every gradient is
taken at the state between steps, X is the stationary covariance, and C + V(Sigma) stands for C.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.declare import Gradient, State
from sgtheory.errors import UnusableInput
from sgtheory.language import Outer
from sgtheory.onestep.affine import has_spread, linear_form
from sgtheory.setting import Setting


def check_point(setting: Setting) -> None:
    """Refuses formulas where gradients are taken elsewhere than at the state between steps."""
    if not has_spread(setting):
        return
    written: set[Any] = set()
    points: dict[Any, list[Any]] = {}
    for target, expr in setting.sampler.updates:
        for gradient in expr.atoms(Gradient):
            x, draw = gradient.args
            points.setdefault(draw, []).append(x if isinstance(x, State) and x not in written else None)
        written.add(target)
    if any(len(where) > 1 or where == [None] for where in points.values()):
        raise UnusableInput(
            "a sampler whose gradients are all taken at the state between steps",
            f"{setting.sampler.name} on {setting.model.name}",
            "ask sgtheory law for numbers, or derive it on the quadratic model",
        )


def example_curvature(model: Any) -> Any:
    """The part of one example's curvature that differs between examples, as a matrix formula.

    >>> from sgtheory import registry
    >>> example_curvature(registry.model("linear_regression"))
    X_n*X_n^T/sigma2
    """
    total = sp.Integer(0)
    for (word, source), coefficient in linear_form(sp.sympify(model.example), {}).items():
        if source == model.x and word and isinstance(word[0], Outer):
            left, right = (sp.Symbol(f"{a.name}_n", commutative=False) for a in word[0].args)
            total += coefficient * left * sp.Symbol(f"{right.name}^T", commutative=False)
    return total
