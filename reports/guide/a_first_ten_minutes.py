"""From nothing to the exact law of a sampler."""

from __future__ import annotations

from typing import Any

from reports.document import Block, Code, Heading, Paragraph, prose
from reports.guide._running import PROBLEM, command, python

TITLE = "The first ten minutes"
SUMMARY = "From nothing to the exact law of a sampler, and how far it is from the posterior."

INSTALL = """\
python3 -m venv .venv
. .venv/bin/activate
pip install .
"""


def blocks() -> tuple[Block, ...]:
    """What one types, and what comes out."""
    names: dict[str, Any] = {}
    return (
        Paragraph(
            "A sampler with a constant step never samples its target exactly. Here is how to see what it"
            " samples instead. Everything that is printed below was computed while this page was built."
        ),
        Heading(2, "Install", "install"),
        Paragraph("On a machine with Python 3.11 or newer, in a clone of the repository:"),
        Code(INSTALL, "sh"),
        Paragraph(
            prose("Then `sgtheory` is a command and a Python module; `sgtheory --help` lists commands.")
        ),
        Heading(2, "A formula for every dimension"),
        *python('import sgtheory as sg\n\nlaw = sg.derive("sgd")\nlaw.covariance.pair', names),
        Paragraph(
            prose(
                "That is entry $(i, j)$ of the stationary covariance in the eigenbasis of the curvature,"
                " at every step, not only a small one. The usual formula is its first order:"
            )
        ),
        *python('law.covariance.series("eps", 1)', names),
        Heading(2, "The law in numbers"),
        Paragraph(prose("A problem is a small file, `problem.json`; numbers in quotes are exact:")),
        Code(PROBLEM, "json"),
        *command("sgtheory law sgd --problem problem.json", {"problem.json": PROBLEM}),
        Heading(2, "The same with momentum"),
        *python('sg.derive("momentum").covariance.series("eps", 1)', names),
    )
