"""``sgtheory errata``: what does not hold as printed."""

from __future__ import annotations

import click

from reports.terminal import common
from reports.terminal.commands.verify import budget_option, compute, jobs_option, seed_option


@click.command("errata")
@click.argument("targets", nargs=-1, metavar="[PAPER|CLAIM]...", shell_complete=common.complete_target)
@click.option("--format", "style", type=click.Choice(["text", "latex", "markdown", "json"]),
              default="text", show_default=True)  # fmt: skip
@budget_option
@common.device
@seed_option
@jobs_option
def command(
    targets: tuple[str, ...], style: str, budget: str, device: str, seed: int, jobs: int | None
) -> None:
    """Print what does not hold as printed, with corrections and exact counterexamples."""
    from reports.emit import render
    from reports.pages.errata import errata_page

    found, _ = compute(targets, budget, device, seed, jobs)
    keys = dict.fromkeys(v.claim.paper for v in found)
    pages = [errata_page(key, [v for v in found if v.claim.paper == key]) for key in keys]
    click.echo(render(pages, style))
