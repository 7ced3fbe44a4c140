"""Sequences over steps, and sums of them, for every number of steps."""

from verification.theories.sequences.lags import subject
from verification.theories.sequences.steps import Steps
from verification.theories.sequences.words import Sequence, index, mean, over, sequences

__all__ = ["Sequence", "Steps", "index", "mean", "over", "sequences", "subject"]
