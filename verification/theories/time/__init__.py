"""Time of linear chains: exponentials, lags, windows, and averages over a window."""

from verification.theories.time.laws import Law

__all__ = ["Law"]
