"""Sequences over steps, and sums of them, for every number of steps."""

from verification.theories.sequences.steps import Steps, defines, steps_of
from verification.theories.sequences.words import Sequence, over, sequences

__all__ = ["Sequence", "Steps", "defines", "over", "sequences", "steps_of"]
