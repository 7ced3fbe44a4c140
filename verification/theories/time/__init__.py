"""Time of linear chains: exponentials, lags, windows, and averages over a window."""

from verification.theories.subject import About
from verification.theories.time.given import condition
from verification.theories.time.laws import Law, subject

__all__ = ["Law", "condition", "of_a_law", "subject"]


def of_a_law(about: About) -> str:
    """What a law has in time."""
    return min(about.heads & {"lagged", "averaged", "remembered", "long_run", "of_process"}, default="")
