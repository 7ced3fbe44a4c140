"""Matrices, their traces and determinants, and second moments of the laws of linear chains."""

from verification.theories.matrices.laws import Law
from verification.theories.matrices.solving import Solved, with_second

__all__ = ["Law", "Solved", "with_second"]
