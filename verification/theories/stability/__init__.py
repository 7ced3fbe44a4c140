"""Where samplers settle: one step along an eigenvector of A, and a criterion in its letters."""

from verification.theories.stability.modes import subject

__all__ = ["subject"]
