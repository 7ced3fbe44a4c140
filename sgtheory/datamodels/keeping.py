"""A problem with some fields replaced, and what was found at the mode of its data kept with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any


def but(problem: Any, **changes: Any) -> Any:
    """The problem with other fields; to find the mode of many data again would take its time.

    >>> from sgtheory.problem import Problem
    >>> first = Problem.of({"model": "gaussian_mean", "X": [[0], [1]], "S": 1})
    >>> first.examples is but(first, params={}).examples
    True
    """
    found = replace(problem, **changes)
    if "examples" in vars(problem) and not {"model", "data", "numbers"} & set(changes):
        vars(found)["examples"] = problem.examples
    return found
