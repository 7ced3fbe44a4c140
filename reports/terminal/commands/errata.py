"""``sgtheory errata``: what does not hold as printed."""

from __future__ import annotations

from typing import Any

import click

from reports.terminal import common
from reports.terminal.commands.verify import budget_option, compute, jobs_option, seed_option


@click.command("errata")
@click.argument(
    "targets", nargs=-1, metavar="[PAPER|CLAIM|FILE]...", shell_complete=common.complete_target
)
@click.option("--format", "style", type=common.Choice(["text", "latex", "markdown", "json"]),
              default="text", show_default=True)  # fmt: skip
@budget_option
@common.device
@seed_option
@jobs_option
def command(
    targets: tuple[str, ...], style: str, budget: str, device: str, seed: int, jobs: int | None
) -> None:
    """Print what does not hold as printed, with corrections and exact counterexamples."""
    from reports import results
    from verification.library import index, is_file

    # A text that was made before of the same verdicts needs no SymPy; files of claims may say anything.
    asked = (targets, style, budget, device, seed)
    name = f"errata {asked} {index.of_plugins()}"
    text = None if any(map(is_file, targets)) else results.text(name)
    if text is None:
        text, final = _made(*asked, jobs)
        if final and index.whole():
            results.keep_text(name, text)
    click.echo(text)


def _made(
    targets: tuple[str, ...], style: str, budget: str, device: str, seed: int, jobs: int | None
) -> tuple[str, bool]:
    """The text, and whether it is what the next run would say too."""
    from reports.emit import render
    from reports.pages.errata import Entry, entry, errata_page
    from reports.pages.paper import about
    from verification.judging.keeping import verdicts_kept

    found, _ = compute(verdicts_kept, targets, budget, device, seed, jobs)
    papers: dict[Any, list[Entry]] = {}
    for verdict in found:
        of = about(verdict.claim.paper, verdict.claim.source)
        papers.setdefault(of, []).append(entry(verdict))
    pages = [errata_page(of, entries) for of, entries in papers.items()]
    final = all(v.broken is None and not v.claim.source for v in found)
    return render(pages, style), final
