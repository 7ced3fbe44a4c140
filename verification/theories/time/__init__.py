"""Time of linear chains: exponentials, lags, windows, and averages over a window."""

from verification.theories.time.given import condition
from verification.theories.time.laws import Law, subject

__all__ = ["Law", "condition", "subject"]
