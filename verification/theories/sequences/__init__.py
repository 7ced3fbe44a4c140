"""Sequences over steps, and sums of them, for every number of steps."""

from verification.theories.sequences.lags import steps_of
from verification.theories.sequences.steps import Steps, defines
from verification.theories.sequences.words import Sequence, index, mean, over, sequences, size

__all__ = ["Sequence", "Steps", "defines", "index", "mean", "over", "sequences", "size", "steps_of"]
