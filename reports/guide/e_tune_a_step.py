"""The best parameters of a sampler on a problem, and from data."""

from __future__ import annotations

from reports.document import Block, Code, Heading, Paragraph, prose
from reports.guide._running import PROBLEM, command

TITLE = "Tune a step size"
SUMMARY = "Rules that papers print, beside the optimum of the algorithm that runs."

_DATA = """\
{"model": "linear_regression", "X": [[1, 0], [1, 1], [1, 2], [1, 3], [1, 4]], "y": [0, 2, 1, 3, 3],
 "ridge": 1, "S": 2, "params": {"eps": "1/100"}}
"""


def blocks() -> tuple[Block, ...]:
    """Rules side by side."""
    return (
        Paragraph("On a problem whose curvature and gradient noise are known:"),
        *command("sgtheory tune sgd --problem problem.json", {"problem.json": PROBLEM}),
        Heading(2, "From data"),
        Paragraph(prose("A problem file may hold the data themselves, or name an `.npz` file:")),
        Code(_DATA, "json"),
        *command("sgtheory tune sgd --problem data.json", {"data.json": _DATA}),
    )
