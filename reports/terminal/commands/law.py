"""``sgtheory law``: the law in numbers."""

from __future__ import annotations

from typing import Any

import click

from reports.terminal import common
from sgtheory.reader import limits


@click.command("law")
@common.sampler
@common.problem
@common.time
@click.option(
    "--average",
    type=click.IntRange(1, limits.WINDOW),
    metavar="T",
    help="Also for the mean over T steps.",
)
@click.option(
    "--at",
    type=click.IntRange(0, limits.STEPS),
    metavar="STEP",
    help="After STEP steps, not in the limit.",
)
@click.option("--gradient", metavar="PARAMETER", help="Also how the distances change with it.")
@click.option("--fourth", is_flag=True, help="Also skewness and excess kurtosis.")
@click.option(
    "--coefficient",
    type=click.IntRange(1, limits.WINDOW),
    metavar="DRAWS",
    help="Also the local learning coefficient that so many draws of a chain give.",
)
@click.option(
    "--burn-in",
    type=click.IntRange(0, limits.STEPS),
    metavar="STEPS",
    help="Before the draws of --coefficient.",
)
@common.as_json
@click.pass_context
def command(
    context: click.Context,
    sampler: str,
    problem: str,
    time: str,
    average: int | None,
    at: int | None,
    gradient: str | None,
    fourth: bool,
    coefficient: int | None,
    burn_in: int | None,
    as_json: bool,
) -> None:
    """Print the law that SAMPLER really has on a problem.

    With --json an unstable step gives a document with "stable": false and exit status 1; without,
    one line that names the limit and exit status 2.
    """
    from sgtheory.numbers.numeric import law
    from sgtheory.problem import read_problem

    read = read_problem(problem)
    found = law(sampler, read, time=time, average=average, at=at)
    more = _more(sampler, read, found, gradient, fourth)
    more |= _coefficient(sampler, read, found, coefficient, burn_in)
    if as_json:
        common.show_json(found.to_json() | {key: value.to_json() for key, value in more.items()})
        if found.unstable_because and at is None:
            click.echo(f"sgtheory: {found.unstable_because}", err=True)
            context.exit(1)
        common.tell_unread(read, sampler)
        return
    if at is None:
        found.require_stable()
    common.tell_unread(read, sampler)
    _show(found)
    if "gradient" in more:
        _show_slopes(more["gradient"])
    if "fourth" in more:
        _show_fourth(more["fourth"])
    if "learning_coefficient" in more:
        _show_coefficient(more["learning_coefficient"])


def _more(sampler: str, problem: Any, found: Any, parameter: str | None, fourth: bool) -> dict[str, Any]:
    """What was asked for beyond the law, by its key in JSON."""
    from sgtheory.errors import UnusableInput
    from sgtheory.numbers.fourth import fourth_moments
    from sgtheory.sensitivity import gradient

    if found.at is not None and (parameter or fourth):
        raise UnusableInput("the stationary law", f"step {found.at}", "leave out --at")
    if fourth and found.time != "discrete":
        raise UnusableInput("fourth moments in discrete time", found.time, "leave out --time")
    more: dict[str, Any] = {}
    if parameter and found.stable:
        more["gradient"] = gradient(sampler, problem, parameter, time=found.time)
    if fourth and found.stable:
        more["fourth"] = fourth_moments(sampler, problem)
    return more


def _coefficient(
    sampler: str, problem: Any, found: Any, draws: int | None, burn_in: int | None
) -> dict[str, Any]:
    """The local learning coefficient, by its key in JSON, where it was asked for."""
    from sgtheory.errors import UnusableInput
    from sgtheory.numbers.coefficient import learning_coefficient

    if draws is None:
        if burn_in is not None:
            raise UnusableInput(
                "--coefficient DRAWS with --burn-in", "none", "say how many draws follow"
            )
        return {}
    if found.at is not None or found.time != "discrete":
        got = f"step {found.at}" if found.at is not None else "continuous time"
        raise UnusableInput("draws of a chain in discrete time", got, "leave out --at and --time")
    if not found.stable:
        return {}
    told = learning_coefficient(sampler, problem, draws=draws, burn_in=burn_in or 0)
    return {"learning_coefficient": told}


def _show_coefficient(told: Any) -> None:
    after = f" after {told.burn_in:,} steps" if told.burn_in else ""
    click.echo(
        f"local learning coefficient, by {told.draws:,} draws{after}: N beta times the mean of the"
    )
    click.echo("loss above that at the mode")
    rows = {
        "true value, half the dimension": f"{told.truth:.6g}",
        **{f"  {words}": f"{part:+.6g}" for words, part in told.parts.items()},
        "estimate, on average": f"{told.expected:.6g}",
        "from one chain to another, +-": f"{told.scatter:.6g}",
    }
    width = max(map(len, rows))
    for words, value in rows.items():
        click.echo(f"  {words:<{width}}  {value}")


def _show_fourth(fourth: Any) -> None:
    for words, values in (("skewness", fourth.skewness), ("excess kurtosis", fourth.excess_kurtosis)):
        click.echo(words)
        click.echo("\n".join(common.matrix_lines([values])))


def _show_slopes(slopes: Any) -> None:
    import numpy as np

    for words, value in (
        ("KL to the posterior", slopes.kl_to_posterior),
        ("KL from the posterior", slopes.kl_from_posterior),
        ("Wasserstein-2 distance", slopes.wasserstein2),
    ):
        if value is not None:
            click.echo(f"derivative of the {words} with respect to {slopes.parameter}")
            click.echo("\n".join(common.matrix_lines(np.atleast_2d(value))))


def _show_posterior(posterior: Any) -> None:
    click.echo(f"covariance of the {posterior.words}")
    click.echo("\n".join(common.matrix_lines(posterior.covariance)))
    click.echo("variance of the law over that of the posterior")
    click.echo("\n".join(common.matrix_lines([posterior.variance_ratio])))
    if len(posterior.covariance) > 1:
        least, most = posterior.ratio
        click.echo(f"  from {least:.9g} to {most:.9g} over all directions")


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
    if found.posterior is not None:
        _show_posterior(found.posterior)
        if found.kl_to_posterior is None:
            click.echo("the law has no density (nothing moves in some direction): its KL is infinite")
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
