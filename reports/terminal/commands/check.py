"""``sgtheory check``: does a foreign implementation sample the law that it should?"""

from __future__ import annotations

import os
from typing import Any

import click

from reports.terminal import common

_STATUS = {"conforms": 0, "deviates": 1, "crashed": 1, "inconclusive": 3}
_COLOURS = {"conforms": "green", "deviates": "red", "crashed": "red", "inconclusive": "yellow"}


@click.command("check", epilog="Exit status: 0 conforms, 1 deviates or crashed, 3 inconclusive.")
@click.argument("target")
@click.option("--like", required=True, metavar="SAMPLER", help="The sampler whose law it should have.")
@click.option("--kind", help="Which adapter takes TARGET; found from TARGET itself by default.")
@click.option(
    "--budget",
    type=click.Choice(["quick", "standard", "deep"]),
    default="quick",
    show_default=True,
    help="What is resolved: 5 %, 2 % or 1 % of a variance, with probability 0.99.",
)
@click.option(
    "--loss",
    type=click.Choice(["mean", "sum"]),
    help="Of which loss TARGET expects the gradient; as it says itself by default, else the mean.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)
@click.option(
    "--false-alarm",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="The probability that a right sampler is rejected anywhere.",
)
@click.option(
    "--limit",
    type=click.FloatRange(0, min_open=True),
    default=120.0,
    show_default=True,
    help="Seconds that one problem may take.",
)
@common.as_json
def command(
    target: str,
    like: str,
    kind: str | None,
    budget: str,
    loss: str | None,
    seed: int,
    false_alarm: float,
    limit: float,
    as_json: bool,
) -> Any:
    """Hold TARGET (module:attribute or file.py:name) against the exact law of a sampler.

    TARGET is ``step(state, gradient, rng, **params) -> state`` on arrays (chains, D), or what another
    adapter takes. It runs in a process of its own.
    """
    from verification.checking import check

    with common.progress_bar(f"checking {target}") as progress:

        def tell(_: str, share: float) -> None:
            if progress is not None:
                progress(round(1000 * share), 1000)

        found = check(
            target,
            like,
            kind=kind,
            budget=budget,
            loss=loss or "",
            seed=seed,
            false_alarm=false_alarm,
            limit=limit,
            tell=tell,
        )
    if as_json:
        common.show_json(found.to_json())
    else:
        _show(found)
    return _STATUS[found.verdict]


def _show(found: Any) -> None:
    word = click.style(found.verdict, fg=_COLOURS[found.verdict], bold=True)
    click.echo(f"{word}  {found.target} against the exact law of {found.like}")
    for outcome in (*found.outcomes, *found.further):
        click.echo(f"  {outcome.case.name}: {_line(outcome)}")
    for diagnosis in found.diagnosis:
        click.echo(click.style("likely: ", bold=True) + diagnosis.words)
        if diagnosis.formula:
            click.echo(f"  {diagnosis.formula}")
    click.echo(
        f"A right sampler is rejected with probability at most {found.false_alarm:g}; an error of"
        f" {found.effect:.0%} of a variance is found with probability 0.99."
    )
    if os.environ.get("GITHUB_ACTIONS") and found.verdict != "conforms":
        words = found.diagnosis[0].words if found.diagnosis else found.verdict
        click.echo(f"::error title={found.target} {found.verdict} from {found.like}::{words}")


def _line(outcome: Any) -> str:
    if outcome.measured.fault:
        return f"{outcome.measured.fault}: {outcome.measured.words}"
    found = outcome.comparison
    if found.agrees:
        return f"agrees ({len(found.tests)} tests of {outcome.measured.chains} chains)"
    rejected = f"{len(found.rejected)} of {len(found.tests)} tests reject"
    return f"{rejected}; first: {found.worst.name}, off by {found.worst.effect:.3g}"
