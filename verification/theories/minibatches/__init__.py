"""Data and minibatches: means over examples, gradients, moments over all minibatches, by drawing."""

from verification.theories.minibatches.laws import Draws, subject

__all__ = ["Draws", "subject"]
