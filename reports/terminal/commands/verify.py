"""``sgtheory verify``: verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from reports.terminal import common

_COLOURS = {"proved": "green", "confirmed": "green", "proved-if": "yellow", "limit-only": "yellow"}


def compute(targets: tuple[str, ...], budget: str, device: str, seed: int) -> tuple[list[Any], float]:
    """The verdicts on the claims that are named, with a progress bar; and the seconds they took."""
    from verification.judge import clock, verdicts
    from verification.library import select

    claims = select(targets)
    began = clock()
    found = []
    with common.progress_bar("verdicts") as progress:
        for verdict in verdicts(claims, budget=budget, device=device, seed=seed):
            found.append(verdict)
            if progress is not None:
                progress(len(found), len(claims))
    return found, clock() - began


budget_option = click.option(
    "--budget",
    type=click.Choice(["quick", "standard", "deep"]),
    default="quick",
    show_default=True,
    help="What ensembles resolve: 1 %, 0.3 % or 0.1 % of a variance, with probability 0.99.",
)
seed_option = click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)


@click.command("verify")
@click.argument(
    "targets", nargs=-1, metavar="[PAPER|CLAIM|FILE.py]...", shell_complete=common.complete_target
)
@budget_option
@common.device
@seed_option
@click.option(
    "--problem",
    metavar="FILE",
    type=click.Path(),
    help="Targets are samplers: hold each to its law on this.",
)
@click.option(
    "--at", type=click.IntRange(1), default=16, show_default=True, help="The step, with --problem."
)
@click.option(
    "--json", "out", metavar="FILE", help="Write the JSON document to FILE (- is standard output)."
)
@click.pass_context
def command(
    context: click.Context,
    targets: tuple[str, ...],
    budget: str,
    device: str,
    seed: int,
    problem: str | None,
    at: int,
    out: str | None,
) -> None:
    """Compute the verdict on every claim that is named, or on all of them.

    With --problem FILE the targets are samplers: does an ensemble of each have its exact law there?

    Exit status: 0 as expected, 1 where a claim of a FILE.py fails or a wrong twin survives,
    3 where something is inconclusive.
    """
    from verification.judge import document

    if out not in (None, "-"):
        common.prepare_folder(Path(str(out)).parent)
    if problem is not None:
        context.exit(_on_problem(targets, problem, at, budget, device, seed, out))
    found, seconds = compute(targets, budget, device, seed)
    if out is not None:
        _write(document(found, budget=budget, seed=seed, seconds=seconds), out)
    if out != "-":
        for verdict in found:
            _show(verdict)
    context.exit(_status(found, targets))


def _write(content: dict[str, Any], out: str) -> None:
    if out == "-":
        common.show_json(content)
    else:
        common.write_file(out, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _on_problem(
    samplers: tuple[str, ...], file: str, at: int, budget: str, device: str, seed: int, out: str | None
) -> int:
    from sgtheory.errors import UnusableInput
    from sgtheory.problem import read_problem
    from verification.judge import clock, document
    from verification.properties.single import on_problem

    if not samplers:
        raise UnusableInput("samplers to hold to their laws", "none", "name one before --problem")
    problem, began = read_problem(file), clock()
    found = [on_problem(s, problem, steps=at, budget=budget, seed=seed, device=device) for s in samplers]
    if out is not None:
        content = document([], budget=budget, seed=seed, seconds=clock() - began)
        _write({**content, "claims": [single.to_json() for single in found]}, out)
    if out != "-":
        for single in found:
            colour = _COLOURS.get(single.verdict, "red")
            click.echo(
                f"{click.style(single.verdict, fg=colour, bold=True)} {single.sampler}: {single.words}"
            )
    return int(any(single.verdict == "refuted" for single in found))


def _show(verdict: Any) -> None:
    claim = verdict.claim
    word = click.style(f"{verdict.word:11}", fg=_COLOURS.get(verdict.word, "red"), bold=True)
    click.echo(f"{word} {click.style(claim.id, bold=True)}  {claim.at}: {claim.title}")
    click.echo(f"            {verdict.finding.reason}")
    if verdict.finding.corrected:
        click.echo(f"            true instead: {verdict.finding.corrected.text}")
    if verdict.discrete is not None and verdict.discrete.verdict != verdict.word:
        click.echo(f"            read for the discrete algorithm: {verdict.discrete.verdict}")
    twins = verdict.twins
    click.echo(f"            wrong twins rejected: {twins.rejected} of {twins.tried}")


def _status(found: list[Any], targets: tuple[str, ...]) -> int:
    files = {t.rpartition("/")[2].removesuffix(".py") for t in targets if t.endswith(".py")}
    if any(v.twins.rejected < v.twins.tried for v in found):
        return 1
    if any(v.claim.paper in files and v.word == "refuted" for v in found):
        return 1
    return 3 if any(v.word == "inconclusive" for v in found) else 0
