"""Hypothesis strategies for exact problems: they make what they promise, filter nothing, and shrink.

Importing this needs Hypothesis (``pip install 'sgtheory[test]'``).

>>> from verification.strategies import minimal
>>> [[[int(x) for x in row] for row in m] for m in minimal(noncommuting_pairs(2), lambda pair: True)]
[[[1, 0], [0, 2]], [[2, 1], [1, 2]]]
>>> minimal(problems("momentum"), lambda problem: problem.D >= 2).to_json()["hessian"]
[[1, 0], [0, 1]]

``st.from_type(sgtheory.Problem)`` draws problems too: Hypothesis finds this by an entry point.
"""

from verification.strategies.drawing import drawn, minimal
from verification.strategies.exact import (
    batch_sizes,
    commuting_pairs,
    gains,
    noises,
    noncommuting_pairs,
    rationals,
    spd,
    spd_floats,
)
from verification.strategies.problems import problems, rational_problems, regressions
from verification.strategies.steps import nearly_unstable_steps, stable_steps

__all__ = [
    "batch_sizes",
    "commuting_pairs",
    "drawn",
    "gains",
    "minimal",
    "nearly_unstable_steps",
    "noises",
    "noncommuting_pairs",
    "problems",
    "rational_problems",
    "rationals",
    "regressions",
    "spd",
    "spd_floats",
    "stable_steps",
]
