"""The page of what a step was found to be: the sampler, its parameters, and its updates."""

from __future__ import annotations

from typing import Any

from sympy import Symbol

from reports.document import Block, Bullets, Code, Equation, Heading, Page, Paragraph, Verdict
from reports.terminal.identified import headline, said
from sgtheory.notation.derivation import Equation as Formula


def identity_page(found: Any, again: str, slug: str = "check") -> Page:
    """The page of an ``Identity``; ``again`` is the command that makes it once more."""
    blocks: list[Block] = [Verdict(found.verdict, headline(found))]
    if found.same:
        first = found.same[0]
        blocks += [Heading(2, "Its updates", "updates"), Paragraph(f"{first.like}, in its own letters:")]
        for target, expr in first.sampler.updates:
            one = Formula(target, expr, "<-")
            blocks.append(Equation(one.latex, text=one.text))
        blocks.append(Paragraph("with, in the letters of the step:"))
        for name, value in first.given:
            equation = Formula(Symbol(name), value)
            blocks.append(Equation(equation.latex, text=equation.text))
    lines = tuple(said(found))
    if lines:
        blocks += [Heading(2, "What was found", "found"), Bullets(lines)]
    blocks += [Heading(2, "Run it again", "again"), Code(again, "sh")]
    return Page(
        slug=slug,
        title=f"What {found.target.rpartition('/')[2]} is",
        blocks=tuple(blocks),
        kind="check",
        summary="The law that a step has, named out of all samplers that are declared here.",
    )
