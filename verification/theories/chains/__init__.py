"""Chains on a line that need not be linear: their laws, exactly and to first order in a step."""

from verification.theories.chains.laws import Line, subject
from verification.theories.chains.words import Chain, chain, of_law

__all__ = ["Chain", "Line", "chain", "of_law", "subject"]
