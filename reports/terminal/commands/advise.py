"""``sgtheory advise``: which sampler, which step and batch, how long, and how wrong it will be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reports.terminal import common
from sgtheory.reader import limits

_HELP = {
    "care": "What the error is of: means, variances, the mean in its worst direction, the local learning"
    " coefficient, predictive means of a linear model, a quadratic functional, the last law.",
    "of": "Weights of a linear functional, such as 1,0,-1, in place of all coordinates; or the matrix"
    " of a quadratic one, 1,0;0,2.",
    "samplers": "Choose among these, separated by commas.",
    "start": "Where a run starts; one posterior standard deviation away unless the problem says.",
}


@click.command("advise")
@common.problem
@click.option("--passes", type=float, metavar="N", help="The budget: passes over the data.")
@click.option("--gradients", type=float, metavar="N", help="Or gradients of single examples.")
@click.option("--seconds", type=float, metavar="N", help="Or seconds; what a step costs is measured.")
@click.option(
    "--care",
    type=common.Choice(
        ["both", "mean", "variance", "worst", "coefficient", "predictive", "quadratic", "kl"]
    ),
    default="both",
    show_default=True,
    help=_HELP["care"],
)
@click.option("--of", "of", metavar="WEIGHTS", help=_HELP["of"])
@click.option("--samplers", metavar="NAMES", help=_HELP["samplers"])
@click.option("--start", type=common.Choice(["typical", "mode", "zero", "given"]), help=_HELP["start"])
@click.option("--keep", type=click.IntRange(2, limits.COUNT), metavar="K", help="Keep at most K states.")
@click.option("--fix", multiple=True, metavar="NAME=VALUE", help="Do not choose this, such as S=32.")
@click.option("--check", "checked", is_flag=True, help="Also run the choice, and compare its error.")
@click.option("--chains", type=click.IntRange(100, limits.COUNT), default=1000, show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)
@common.device
@common.page
@common.as_json
@click.pass_context
def command(
    context: click.Context,
    /,
    problem: str,
    of: str | None,
    samplers: str | None,
    fix: tuple[str, ...],
    checked: bool,
    chains: int,
    seed: int,
    device: str,
    page: Path | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Choose a sampler and all its numbers for a problem and a budget, and foretell the error.

    The error is that of one run from its start: its bias and its scatter from run to run, both exact
    for the algorithm as it runs. With --check the choice is run many times; exit status 1 if the error
    is not what was foretold.
    """
    from reports.emit import render
    from reports.pages.advice import advice_page
    from sgtheory.advice import advise
    from sgtheory.problem import read_problem

    common.try_page(page)
    if not checked:
        common.refuse(context, ("chains", "seed", "device"), "--check beside {}", "none")
    read = read_problem(problem)
    how |= {"of": _weights(of), "samplers": _split(samplers), "fixed": common.pairs(fix, "S=32")}
    with common.progress_bar("searching") as progress:
        found = advise(read, progress=progress, **how)
    if read.params:
        names = ", ".join(read.params)
        common.warn(f"all numbers are chosen: {names} of the problem are not read; keep one by --fix")
    ran = None
    if checked:
        from simulators.advised import check

        with common.progress_bar("checking", "chain-steps") as progress:
            ran = check(found, chains=chains, seed=seed, device=device, progress=progress)
    again = common.repeated(context, seeded=checked)
    if as_json:
        common.show_json(found.to_json() | ({} if ran is None else {"check": ran.to_json()}))
    else:
        click.echo(render((advice_page(found, again, checked=ran, drawings=False),), "text").rstrip())
    if page is not None:
        common.write_page(advice_page(found, again, page.stem, ran), page, err=as_json)
    if ran is not None and not ran.agrees:
        context.exit(1)


def _split(text: str | None) -> list[str] | None:
    return None if text is None else [word.strip() for word in text.split(",") if word.strip()]


def _weights(text: str | None) -> list[Any] | None:
    """Numbers between commas, rows of them between semicolons."""
    if text is not None and ";" in text:
        return [_split(line) for line in text.split(";")]
    return _split(text)
