"""``sgtheory verify``: verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from reports.terminal import common

T = TypeVar("T")

_COLOURS = {"proved": "green", "confirmed": "green", "proved-if": "yellow", "limit-only": "yellow"}


def compute(
    work: Callable[..., Iterator[T]],
    targets: tuple[str, ...],
    budget: str,
    device: str,
    seed: int,
    jobs: int | None = None,
) -> tuple[list[T], float]:
    """What is made of the claims that are named, with a progress bar; and the seconds it took."""
    from simulators.engines import processors
    from verification.judge import clock
    from verification.library import select

    claims = select(targets)
    began = clock()
    found = []
    with common.progress_bar("verdicts") as progress:
        settings: dict[str, Any] = {"budget": budget, "device": device, "seed": seed}
        for verdict in work(claims, jobs=jobs or processors(), **settings):
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
jobs_option = click.option(
    "--jobs", type=click.IntRange(1), help="Processes that judge claims; one to a processor by default."
)
seed_option = click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)


@click.command("verify", epilog="An interrupted run goes on where it stopped, with the same settings.")
@click.argument(
    "targets", nargs=-1, metavar="[PAPER|CLAIM|FILE.py]...", shell_complete=common.complete_target
)
@budget_option
@common.device
@seed_option
@click.option(
    "--false-alarm",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="The probability that anything at all is rejected wrongly.",
)
@jobs_option
@click.option("--only", metavar="KEY", multiple=True, help="Of the claims named, those with this key.")
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
    false_alarm: float,
    jobs: int | None,
    only: tuple[str, ...],
    problem: str | None,
    at: int,
    out: str | None,
) -> None:
    """Compute the verdict on every claim that is named, or on all of them.

    With --problem FILE the targets are samplers: does an ensemble of each have its exact law there?

    Exit status: 0 as expected, 1 where a claim of a FILE.py fails or wrong twins survive,
    more than one in a hundred, 3 where something is inconclusive.
    """
    if out not in (None, "-"):
        common.prepare_folder(Path(str(out)).parent)
    if problem is not None:
        context.exit(_on_problem(targets, problem, at, budget, device, seed, out))
    claims = _chosen(targets, only)
    settings: dict[str, Any] = {
        "budget": budget,
        "device": device,
        "seed": seed,
        "false_alarm": false_alarm,
    }
    content = _judged(claims, settings, jobs, quiet=out == "-")
    if out is not None:
        _write(content, out)
    context.exit(_status(content["claims"], targets))


def _chosen(targets: tuple[str, ...], only: tuple[str, ...]) -> tuple[Any, ...]:
    from sgtheory.errors import UnusableInput
    from verification.library import select

    claims = select(targets)
    chosen = tuple(c for c in claims if c.key in only or c.id in only) if only else claims
    if not chosen:
        keys = ", ".join(c.key for c in claims)
        raise UnusableInput(f"a key among {keys}", ", ".join(only), "name one of them")
    return chosen


def _judged(
    claims: tuple[Any, ...], settings: dict[str, Any], jobs: int | None, quiet: bool
) -> dict[str, Any]:
    """Every verdict as soon as it is there; then the twins of the samplers that were met."""
    from simulators.engines import processors
    from verification.judge import clock, document
    from verification.keeping import documents
    from verification.sampler_twins import of_samplers

    began, found = clock(), []
    with common.progress_bar("verdicts") as progress:
        for verdict in documents(claims, jobs=jobs or processors(), **settings):
            found.append(verdict)
            if progress is not None:
                progress(len(found), len(claims))
        samplers = of_samplers(sorted({c.of for c in claims if c.of}))
    run = {k: settings[k] for k in ("budget", "seed", "false_alarm")}
    content = document(found, seconds=clock() - began, **run)
    if not quiet:
        for verdict in found:
            _show(verdict)
        _summary(content, samplers)
    return {**content, "samplers": samplers}


def _summary(content: dict[str, Any], samplers: dict[str, Any]) -> None:
    """The share of wrong twins that was rejected: a check that cannot fail would show here."""
    run = content["run"]["twins"]
    tried = sum(s["tried"] for s in samplers.values())
    rejected = sum(s["rejected"] for s in samplers.values())
    n = len(content["claims"])
    click.echo(
        f"{n} claim{'s' * (n != 1)}; wrong twins rejected: {run['rejected']} of {run['tried']} of"
        f" claims, {rejected} of {tried} of samplers"
    )


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
    from verification.judge import FALSE_ALARM, clock, document
    from verification.properties.single import on_problem

    if not samplers:
        raise UnusableInput("samplers to hold to their laws", "none", "name one before --problem")
    problem, began = read_problem(file), clock()
    found = [on_problem(s, problem, steps=at, budget=budget, seed=seed, device=device) for s in samplers]
    if out is not None:
        verdicts = [single.to_json() for single in found]
        spent: dict[str, Any] = {"budget": budget, "seed": seed, "false_alarm": FALSE_ALARM}
        _write(document(verdicts, seconds=clock() - began, **spent), out)
    if out != "-":
        for single in found:
            colour = _COLOURS.get(single.verdict, "red")
            click.echo(
                f"{click.style(single.verdict, fg=colour, bold=True)} {single.sampler}: {single.words}"
            )
    return int(any(single.verdict == "refuted" for single in found))


def _show(verdict: dict[str, Any]) -> None:
    word = verdict["verdict"]
    coloured = click.style(f"{word:11}", fg=_COLOURS.get(word, "red"), bold=True)
    click.echo(
        f"{coloured} {click.style(verdict['id'], bold=True)}  {verdict['locator']}: {verdict['title']}"
    )
    click.echo(f"            {verdict['reason']}")
    if "condition" in verdict:
        click.echo(f"            holds if: {verdict['condition']}")
    if "corrected" in verdict:
        click.echo(f"            true instead: {verdict['corrected']['text']}")
    for evidence in verdict["evidence"]:
        if "loss" in evidence:
            click.echo(f"            {evidence['words']}")
    discrete = verdict.get("discrete")
    if discrete is not None and discrete["verdict"] != word:
        click.echo(f"            read for the discrete algorithm: {discrete['verdict']}")
        if "loss" in discrete:
            click.echo(f"            {discrete['loss']['words']}")
    twins = verdict["twins"]
    click.echo(f"            wrong twins rejected: {twins['rejected']} of {twins['tried']}")


def _status(found: list[dict[str, Any]], targets: tuple[str, ...]) -> int:
    files = {Path(t).stem for t in targets if t.endswith(".py")}
    tried = sum(v["twins"]["tried"] for v in found)
    if sum(v["twins"]["rejected"] for v in found) < 0.99 * tried:
        return 1
    if any(v["paper"] in files and v["verdict"] == "refuted" for v in found):
        return 1
    return 3 if any(v["verdict"] == "inconclusive" for v in found) else 0
