"""Matrices, their traces and determinants, and second moments of the laws of linear chains."""

from verification.theories.matrices.laws import Law, Solved, opened, solved

__all__ = ["Law", "Solved", "opened", "solved"]
