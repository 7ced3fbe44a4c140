"""Derivations to read, paste and check."""

from __future__ import annotations

from reports.document import Block, Heading, Paragraph
from reports.guide._running import command

TITLE = "Derive"
SUMMARY = "Closed forms with their derivation, step by step, to read and to paste into a paper."


def blocks() -> tuple[Block, ...]:
    """A derivation as it is printed."""
    return (
        Paragraph("For a terminal, or with --format latex, markdown or json for anything else:"),
        *command("sgtheory derive sgd"),
        Heading(2, "As LaTeX"),
        *command("sgtheory derive sgd --format latex"),
        Heading(2, "Where a step is stable"),
        *command("sgtheory derive momentum --what stability"),
    )
