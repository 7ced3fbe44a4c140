"""Statistics with a stated false-alarm probability and a stated power, for ensembles of known law."""

from verification.statistics.budget import Budget
from verification.statistics.exact import compare, kinds
from verification.statistics.planning import chains_for, detectable, effect_of, plan
from verification.statistics.records import Comparison, Test

__all__ = [
    "Budget",
    "Comparison",
    "Test",
    "chains_for",
    "compare",
    "detectable",
    "effect_of",
    "kinds",
    "plan",
]
