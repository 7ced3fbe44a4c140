"""``sgtheory errata``: what does not hold as printed."""

from __future__ import annotations

from typing import Any

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
    from reports.pages.errata import Entry, entry, errata_page
    from reports.pages.paper import about
    from verification.keeping import verdicts_kept

    found, _ = compute(verdicts_kept, targets, budget, device, seed, jobs)
    papers: dict[Any, list[Entry]] = {}
    for verdict in found:
        of = about(verdict.claim.paper, verdict.claim.source)
        papers.setdefault(of, []).append(entry(verdict))
    pages = [errata_page(of, entries) for of, entries in papers.items()]
    click.echo(render(pages, style))
