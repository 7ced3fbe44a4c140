"""Many tests under one false-alarm probability: Holm's step-down procedure.

Whatever the dependence between the tests, the probability that any true statement is rejected is at
most the level. The smallest p-value is held against level/m, the next against level/(m - 1), and so on.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values: a statement is rejected at a family-wise level if its own is below it.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted, largest = [1.0] * len(p_values), 0.0
    for rank, k in enumerate(order):
        largest = max(largest, (len(order) - rank) * p_values[k])
        adjusted[k] = min(largest, 1.0)
    return tuple(adjusted)
