"""What Hypothesis loads by itself, when it is imported: so nothing here may be slow."""

from __future__ import annotations


def register() -> None:
    """Tell Hypothesis how to draw a ``Problem``, with the strategies imported when one is drawn."""
    from hypothesis import strategies as st

    from sgtheory.problem import Problem

    st.register_type_strategy(Problem, lambda _: _problems())


def _problems() -> object:
    from verification.strategies.problems import problems

    return problems()
