"""Second moments of one coordinate at the ends of epochs, in each of which every example is met once.

A step x' = m x + k w + q xi, w the noise of a minibatch, is taken n = N/S times to an epoch, in a fresh
random order. The n noises of an epoch have mean zero together and are exchangeable: two of them have the
covariance -1/(n - 1) of the variance of one. So an epoch adds a variance

    k^2 N/(N - 1) (sum of (m^j)^2 - (sum of m^j)^2/n) + q^2 sum of m^(2 j),    j = 0, ..., n - 1,

k being that of minibatches drawn anew, with (N - S)/(N - 1) for those without replacement put in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import N, S
from sgtheory.onestep.affine import is_affine
from sgtheory.onestep.closure import in_one_dimension
from sgtheory.setting import Setting


def at_ends(setting: Setting, in_letters: Any) -> tuple[Any, Any, Any] | None:
    """The variance at the ends of epochs, the sum over lags of whole epochs, and what is to be positive.

    None where a step has more than one state or more than one minibatch.

    >>> from sgtheory import registry
    >>> from verification.laws.second_moments import second_moments
    >>> found = second_moments(Setting(registry.sampler("reshuffled_sgd"), registry.model("quadratic")))
    >>> sp.factor(found.moments["Sigma"].subs({N: 2, S: 1}))
    -H**3*eps**3*A*C/((H*eps*A - 2)*(H**2*eps**2*A**2 - 2*H*eps*A + 2))
    """
    once = Setting(replace(setting.sampler, batches="independent"), setting.model)
    if len(once.state) != 1 or len(once.gradient_noises) != 1 or once.period != 1 or not is_affine(once):
        return None
    ((x, expr),) = in_one_dimension(once).items()
    (w,), step = once.gradient_noises, sp.expand(in_letters(expr, once))
    m, k = step.coeff(x, 1), step.coeff(w, 1)
    injected = sp.Add(*(step.coeff(xi, 1) ** 2 for xi in once.injected_noises))
    less, more, ratio = sp.factor(1 - m), sp.expand(1 + m), (1 - m ** (N / S)) / (1 + m ** (N / S))
    kicks = sp.factor((k / less) ** 2) / (N - 1) * (N * less / more - S * ratio)
    V = kicks + injected / (less * more)
    return V, V / ratio, less * more
