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
    click.echo(f"{click.style(found.sampler, bold=True)}, {found.time} time, {when}")
    click.echo(f"spectral radius {found.spectral_radius:.9g}")
    if found.at is not None:
        for name, mean in found.mean.items():
            click.echo(f"mean {name}")
            click.echo("\n".join(common.matrix_lines([mean])))
    for (a, b), matrix in found.covariance.items():
        click.echo(f"covariance {a}, {b}")
        click.echo("\n".join(common.matrix_lines(matrix)))
    if found.kl_to_posterior is not None:
        click.echo(f"KL to the posterior {found.kl_to_posterior:.9g}")
    if found.average is not None:
        window, covariance = found.average
        click.echo(f"covariance of the mean over {window} steps")
        click.echo("\n".join(common.matrix_lines(covariance)))
    if found.residual is not None:
        click.echo(f"certified: relative residual of the full equation {found.residual:.1e}")
    if found.unstable_because:
        click.echo(f"no stationary law: {found.unstable_because}")
