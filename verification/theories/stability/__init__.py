"""Where samplers settle: one step along an eigenvector of A, and a criterion in its letters."""

from verification.theories.stability.modes import subject
from verification.theories.subject import About

__all__ = ["of_a_law", "subject"]


def of_a_law(about: About) -> str:
    """That something settles."""
    return "Stable()" if any(one.settling for one in about.statement.relations) else ""
