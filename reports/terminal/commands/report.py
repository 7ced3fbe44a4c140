"""``sgtheory report``: everything, as pages."""

from __future__ import annotations

import json
from pathlib import Path

import click

from reports.terminal import common
from reports.terminal.commands.verify import budget_option, compute, jobs_option, seed_option

FORMATS = ("html", "latex", "markdown", "json")


def _formats(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    chosen = tuple(part.strip() for part in value.split(","))
    unknown = [f for f in chosen if f not in FORMATS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is not one of {', '.join(FORMATS)}")
    return chosen


@click.command("report")
@click.argument("targets", nargs=-1, metavar="[PAPER|CLAIM]...", shell_complete=common.complete_target)
@click.option("--out", default="report", show_default=True, metavar="DIR", type=click.Path())
@click.option("--format", "formats", default="html", show_default=True, callback=_formats,
              help="Any of html, latex, markdown, json, separated by commas.")  # fmt: skip
@budget_option
@common.device
@seed_option
@jobs_option
def command(
    targets: tuple[str, ...],
    out: str,
    formats: tuple[str, ...],
    budget: str,
    device: str,
    seed: int,
    jobs: int | None,
) -> None:
    """Write every claim, verdict, derivation and sampler as pages into DIR."""
    from reports.build import pages
    from reports.emit import write
    from verification.judge import FALSE_ALARM, document
    from verification.sampler_twins import of_samplers

    common.prepare_folder(out)
    found, seconds = compute(targets, budget, device, seed, jobs)
    written = write(pages(found), Path(out), formats)
    content = document(
        [v.to_json() for v in found], budget=budget, seed=seed, seconds=seconds, false_alarm=FALSE_ALARM
    )
    content["samplers"] = of_samplers(sorted({v.claim.of for v in found if v.claim.of}))
    common.write_file(
        Path(out) / "verdicts.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    )
    first = Path(out) / "index.html"
    click.echo(f"{len(written)} files; open {first if 'html' in formats else out}")
