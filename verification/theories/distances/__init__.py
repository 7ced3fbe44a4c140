"""Distances of the laws of two chains that draw minibatches: bounds of them, and orders as N grows."""

from verification.theories.distances.bounds import subject
from verification.theories.distances.given import (
    AT_THE_MODE,
    DIFFERENT,
    EQUAL,
    QUADRATIC,
    SMOOTH,
    STABLE,
)
from verification.theories.distances.words import ANY, OTHER, TARGET, W2, law

__all__ = [
    "ANY", "AT_THE_MODE", "DIFFERENT", "EQUAL", "OTHER", "QUADRATIC", "SMOOTH", "STABLE",
    "TARGET", "W2", "law", "subject"
]  # fmt: skip
