"""``sgtheory law``: the law in numbers."""

from __future__ import annotations

from typing import Any

import click

from reports.terminal import common


@click.command("law")
@common.sampler
@common.problem
@common.time
@click.option("--average", type=click.IntRange(1), metavar="T", help="Also for the mean over T steps.")
@click.option("--at", type=click.IntRange(0), metavar="STEP", help="After STEP steps, not in the limit.")
@common.as_json
@click.pass_context
def command(
    context: click.Context,
    sampler: str,
    problem: str,
    time: str,
    average: int | None,
    at: int | None,
    as_json: bool,
) -> None:
    """Print the law that SAMPLER really has on a problem.

    With --json an unstable step gives a document with "stable": false and exit status 1; without,
    one line that names the limit and exit status 2.
    """
    from sgtheory.numeric import law
    from sgtheory.problem import read_problem

    found = law(sampler, read_problem(problem), time=time, average=average, at=at)
    if as_json:
        common.show_json(found.to_json())
        if found.unstable_because and at is None:
            click.echo(f"sgtheory: {found.unstable_because}", err=True)
            context.exit(1)
        return
    if at is None:
        found.require_stable()
    _show(found)


def _show(found: Any) -> None:
    when = "stationary" if found.at is None else f"after {found.at} steps"
    if found.period and found.at is None:
        when += f", at the end of a period of {found.period} steps"
    click.echo(f"{click.style(found.sampler, bold=True)}, {found.time} time, {when}")
    if found.spectral_radius == found.spectral_radius:  # a running mean has none
        click.echo(f"spectral radius {found.spectral_radius:.9g}")
    if found.mean_square_radius is not None:
        click.echo(f"spectral radius of second moments, per step {found.mean_square_radius:.9g}")
    if found.at is not None:
        for name, mean in found.mean.items():
            click.echo(f"mean {name}")
            click.echo("\n".join(common.matrix_lines([mean])))
    for (a, b), matrix in found.covariance.items():
        click.echo(f"covariance {a}, {b}")
        click.echo("\n".join(common.matrix_lines(matrix)))
    for words, value in (
        ("KL from the law to the posterior", found.kl_to_posterior),
        ("KL from the posterior to the law", found.kl_from_posterior),
        ("Wasserstein-2 distance to the posterior", found.wasserstein2),
        *((f"temperature, {name}", value) for name, value in found.temperature.items()),
    ):
        if value is not None:
            click.echo(f"{words} {value:.9g}")
    for words, values in (
        ("integrated autocorrelation time, in steps", found.autocorrelation_time),
        ("effective sample size per pass over the data", found.ess_per_pass),
    ):
        if values is not None:
            click.echo(words)
            click.echo("\n".join(common.matrix_lines([values])))
    if found.average is not None:
        window = found.average.window
        click.echo(f"covariance of the mean over {window} steps")
        click.echo("\n".join(common.matrix_lines(found.average.covariance)))
        click.echo(f"covariance of the means over one {window} steps and the next")
        click.echo("\n".join(common.matrix_lines(found.average.neighbour)))
    if found.residual is not None:
        click.echo(f"certified: relative residual of the full equation {found.residual:.1e}")
    if found.unstable_because:
        click.echo(f"no stationary law: {found.unstable_because}")
