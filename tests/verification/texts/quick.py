"""Verdicts of statements that tests write, by the quickest plan."""

from typing import Any

from verification.judging.judge import Plan, judge

QUICK = Plan("quick", "cpu", 1, 1e-6)


def judged(one: Any) -> Any:
    """The verdict on a statement of a text."""
    return judge(one.claim, QUICK)
