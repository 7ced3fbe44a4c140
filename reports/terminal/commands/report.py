"""``sgtheory report``: everything, as pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from reports.terminal import common
from reports.terminal.commands.verify import budget_option, compute, jobs_option, seed_option

FORMATS = ("html", "latex", "markdown", "notebook", "json", "pdf")


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
              help=f"Any of {', '.join(FORMATS)}, separated by commas.")  # fmt: skip
@click.option(
    "--serve", is_flag=True, help="Then show it in a browser, from this machine to itself only."
)
@budget_option
@common.device
@seed_option
@jobs_option
def command(
    targets: tuple[str, ...],
    out: str,
    formats: tuple[str, ...],
    serve: bool,
    budget: str,
    device: str,
    seed: int,
    jobs: int | None,
) -> None:
    """Write every claim, verdict, derivation and sampler as pages into DIR."""
    from reports.build import SITE, pages
    from reports.emit import write, write_pdf
    from reports.keeping import all_made
    from simulators.engines import processors

    common.prepare_folder(out)
    found, _ = compute(all_made, targets, budget, device, seed, jobs)
    made = pages(found, jobs or processors())
    written = write(made, Path(out), [f for f in formats if f != "pdf"], SITE)
    written += (write_pdf(made, Path(out)),) if "pdf" in formats else ()
    _write_verdicts(Path(out) / "verdicts.json", found, budget, seed)
    first = Path(out) / "index.html"
    click.echo(f"{len(written)} files; open {first if 'html' in formats else out}")
    if serve:
        from reports.serving import serve_folder

        serve_folder(Path(out), lambda address: click.echo(f"{address} (stop with Ctrl-C)"))


def _write_verdicts(path: Path, found: list[Any], budget: str, seed: int) -> None:
    """All verdicts as verify writes them, without seconds: the same inputs give the same bytes."""
    from verification.judge import FALSE_ALARM, document
    from verification.sampler_twins import of_samplers

    claims = [_untimed(made.document) for made in found]
    content = document(claims, budget=budget, seed=seed, seconds=0, false_alarm=FALSE_ALARM)
    del content["run"]["seconds"]
    content["samplers"] = of_samplers(sorted({made.row.of for made in found if made.row.of}))
    common.write_file(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _untimed(verdict: dict[str, Any]) -> dict[str, Any]:
    made_from = {k: v for k, v in verdict.get("provenance", {}).items() if k != "seconds"}
    return {**verdict, "provenance": made_from}
