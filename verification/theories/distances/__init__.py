"""Distances of the laws of two chains that draw minibatches of N examples, as N grows."""

from verification.theories.distances.given import AT_THE_MODE, DIFFERENT, EQUAL, QUADRATIC
from verification.theories.distances.laws import Chains
from verification.theories.distances.words import TARGET, W2, law

__all__ = ["AT_THE_MODE", "DIFFERENT", "EQUAL", "QUADRATIC", "TARGET", "W2", "Chains", "law"]
