"""``sgtheory report``: everything, as pages."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reports.terminal import common
from reports.terminal.commands.verify import budget_option, jobs_option, seed_option
from reports.terminal.phases import phases

if TYPE_CHECKING:
    from reports.build import Finished
    from reports.keeping import Made

FORMATS = ("html", "latex", "markdown", "notebook", "json", "pdf")


def _formats(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    chosen = tuple(part.strip() for part in value.split(","))
    unknown = [f for f in chosen if f not in FORMATS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is not one of {', '.join(FORMATS)}")
    return chosen


@click.command("report")
@click.argument(
    "targets",
    nargs=-1,
    metavar="[PAPER|CLAIM|SAMPLER|FILE.py]...",
    shell_complete=common.complete_target,
)
@click.option("--out", default="report", show_default=True, metavar="DIR", type=common.Named())
@click.option("--format", "formats", default="html", show_default=True, callback=_formats,
              help=f"Any of {', '.join(FORMATS)}, separated by commas.")  # fmt: skip
@click.option(
    "--serve", is_flag=True, help="Then show it in a browser, from this machine to itself only."
)
@budget_option
@common.device
@seed_option
@jobs_option
@click.pass_context
def command(
    context: click.Context,
    targets: tuple[str, ...],
    out: str,
    formats: tuple[str, ...],
    serve: bool,
    budget: str,
    device: str,
    seed: int,
    jobs: int | None,
) -> None:
    """Write every claim, verdict, derivation and sampler as pages into DIR.

    Pages are written as they are made, the index first; an interrupted run goes on where it stopped.
    Exit status 1 where a page could not be made: it says why, and all others are there.
    """
    try:
        finished = _made(targets, out, formats, budget, device, seed, jobs)
    except KeyboardInterrupt:
        _say(f"stopped; what was made is kept, and {_again(targets)} goes on from there")
        context.exit(130)
    first = Path(out) / "index.html"
    click.echo(f"{finished.files + 1} files; open {first if 'html' in formats else out}")
    if finished.faults:
        _say(f"{len(finished.faults)} could not be made as they should be:")
        for fault in finished.faults:
            click.echo(f"  {fault.slug}: {fault.reason}", err=True)
    if serve:
        from reports.serving import serve_folder

        serve_folder(Path(out), lambda address: click.echo(f"{address} (stop with Ctrl-C)"))
    context.exit(int(bool(finished.faults)))


def _made(
    targets: tuple[str, ...],
    out: str,
    formats: tuple[str, ...],
    budget: str,
    device: str,
    seed: int,
    jobs: int | None,
) -> Finished:
    from sgtheory.files.writing import try_folder

    named = _chosen(targets) if targets else None  # a name that is not known is told at once
    with phases("sgtheory report") as tell:
        from reports.build import Order, announce, build
        from reports.emit.pdf import check_compiler
        from simulators.engines import processors
        from verification.library import paper_keys

        if "pdf" in formats:
            check_compiler()
        try_folder(out)  # before long work, and after what may refuse it
        if "html" in formats and not targets:
            announce(Path(out), paper_keys())
        claims, samplers = named or _chosen(())
        settings: dict[str, Any] = {"budget": budget, "device": device, "seed": seed}
        again = _again(targets)
        alone = bool(targets) and all(claim.source for claim in claims)  # nothing of our papers
        made = Order(tuple(claims), tuple(samplers), formats, again, alone)
        finished = build(made, Path(out), jobs or processors(), tell, **settings)
        _write_verdicts(Path(out) / "verdicts.json", finished.found, budget, seed)
    return finished


def _chosen(targets: tuple[str, ...]) -> tuple[Sequence[Any], Sequence[Any]]:
    """The claims and the samplers that are named: a file without claims may be one of samplers."""
    from reports.terminal.commands.verify import tell_unread
    from sgtheory import registry
    from sgtheory.errors import UnusableInput
    from verification.library import is_file, select

    if not targets:
        return select(()), ()
    tell_unread(targets)
    claims: list[Any] = []
    samplers: list[Any] = []
    for target in targets:
        if target in registry.names("samplers") or (":" in target and not is_file(target)):
            samplers.append(registry.sampler(target))
            continue
        try:
            claims += select((target,))
        except UnusableInput as error:
            if not target.endswith(".py"):  # a text declares its samplers for its own claims
                raise
            try:
                samplers.append(registry.sampler(target))
            except UnusableInput:
                raise error from None
    return tuple(dict.fromkeys(claims)), samplers


def _again(targets: tuple[str, ...]) -> str:
    return shlex.join(["sgtheory", "report", *targets])


def _say(words: str) -> None:
    click.echo(click.style("sgtheory: ", fg="red") + words, err=True)


def _write_verdicts(path: Path, found: Sequence[Made], budget: str, seed: int) -> None:
    """All verdicts as verify writes them, without seconds: the same inputs give the same bytes."""
    from sgtheory.files.writing import write
    from verification.judging.judge import FALSE_ALARM, document
    from verification.refuter.sampler_twins import of_samplers

    claims = [_untimed(made.document) for made in found if made.document is not None]
    content = document(claims, budget=budget, seed=seed, seconds=0, false_alarm=FALSE_ALARM)
    del content["run"]["seconds"]
    content["samplers"] = of_samplers({made.row.of for made in found if made.row.of})
    # A line a claim: small, and what differs between two reports is still found line by line.
    lines = ",\n".join(map(_compact, content.pop("claims")))
    write(path, f'{_compact(content)[:-1]},"claims":[\n{lines}\n]}}\n')


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _untimed(verdict: dict[str, Any]) -> dict[str, Any]:
    made_from = {k: v for k, v in verdict.get("provenance", {}).items() if k != "seconds"}
    return {**verdict, "provenance": made_from}
