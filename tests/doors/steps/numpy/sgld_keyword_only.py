# SGLD with annotations and parameters by keyword only
# check: sgld_keyword_only.py:step --like sgld
# wave: 2
from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray


def step(
    theta: Array, gradient: Callable[[Array], Array], rng: np.random.Generator, *, eps: float, N: int
) -> Array:
    drift = -0.5 * eps * N * gradient(theta)
    return theta + drift + rng.normal(scale=np.sqrt(eps), size=theta.shape)
