"""What Hypothesis loads by itself, when it is imported: so nothing here may be slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgtheory.rooms import ours

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from sgtheory.problem import Problem


def register() -> None:
    """Tell Hypothesis how to draw a ``Problem``, with the strategies imported when one is drawn."""
    from hypothesis import strategies as st

    from sgtheory.problem import Problem

    st.register_type_strategy(Problem, lambda _: _problems())


def _problems() -> SearchStrategy[Problem]:
    drawn: SearchStrategy[Problem] = ours("verification.strategies.problems").problems()
    return drawn
