"""``sgtheory errata``: what does not hold as printed."""

from __future__ import annotations

import click

from reports.terminal import common
from reports.terminal.commands.verify import budget_option, compute, seed_option


@click.command("errata")
@click.argument("paper", required=False, shell_complete=common.complete_target)
@click.option("--format", "style", type=click.Choice(["text", "latex", "markdown", "json"]),
              default="text", show_default=True)  # fmt: skip
@budget_option
@common.device
@seed_option
def command(paper: str | None, style: str, budget: str, device: str, seed: int) -> None:
    """Print what does not hold as printed, with corrections and exact counterexamples."""
    from reports.emit import render
    from reports.pages.errata import errata_page
    from sgtheory.errors import UnusableInput
    from verification.library import paper_keys

    if paper is not None and paper not in paper_keys():
        raise UnusableInput("a paper", repr(paper), f"choose one of: {', '.join(paper_keys())}")
    keys = (paper,) if paper else paper_keys()
    found, _ = compute(tuple(keys), budget, device, seed)
    pages = [errata_page(key, [v for v in found if v.claim.paper == key]) for key in keys]
    click.echo(render(pages, style))
