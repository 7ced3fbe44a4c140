"""``sgtheory simulate``: an ensemble."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from reports.terminal import common
from sgtheory.reader import limits

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def _duration(context: Any, parameter: Any, text: str | None) -> float | None:
    """Seconds, or numbers with units: 90, 90s, 10m, 1h30m, 2d."""
    from sgtheory.errors import UnusableInput

    if text is None:
        return None
    parts = re.findall(r"(\d+(?:\.\d+)?)([smhd]?)", text.strip().lower())
    total = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    whole = "".join(number + unit for number, unit in parts) == text.strip().lower()
    if not whole or not 0 < total <= limits.SECONDS:
        raise UnusableInput("a time such as 90s, 10m or 1h30m", text, "change --time-limit")
    return total


@click.command("simulate")
@common.sampler
@common.problem
@click.option("--chains", type=click.IntRange(1, limits.COUNT), default=65_536, show_default=True)
@click.option("--steps", type=click.IntRange(0, limits.STEPS), default=1_000, show_default=True)
@common.device
@click.option(
    "--dtype", type=common.Choice(["float32", "float64"]), default="float64", show_default=True
)
@click.option(
    "--normals",
    type=common.Choice(["exact", "fast"]),
    default="exact",
    show_default=True,
    help="fast: by a GPU's special functions, float32.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)
@click.option("--checkpoint", metavar="DIR", type=common.Named(), help="Go on from DIR if broken off.")
@click.option("--cluster", metavar="ADDRESS", help="Run on a Dask cluster, at tcp://host:8786 say.")
@click.option(
    "--time-limit", metavar="TIME", callback=_duration, help="Refuse a run that would take longer: 10m."
)
@click.option(
    "--trace",
    type=click.IntRange(1, limits.COUNT),
    metavar="K",
    help="Write the first K chains as they go.",
)
@click.option(
    "--every", type=click.IntRange(1, limits.STEPS), metavar="M", help="Trace every M steps (1)."
)
@click.option(
    "--out", metavar="FILE", type=common.Named(), help="Also write FILE.json, .npz or .parquet."
)
@common.as_json
@click.pass_context
def command(
    context: click.Context,
    /,
    sampler: str,
    problem: str,
    trace: int | None,
    every: int | None,
    out: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Run many independent chains of SAMPLER and print their mean and covariance.

    With --trace, the first K of those chains are written as they go, after 0, M, 2M, ... steps.
    """
    from sgtheory.problem import read_problem
    from sgtheory.registry import sampler as find
    from sgtheory.setting import Setting

    read = read_problem(problem)
    _check_files(context, trace, every, out, how)
    declared = find(sampler, read.params)
    _refuse_unstable(declared, read)
    numbers = (Setting(declared, read.model), read.values(declared))
    if trace is None:
        _ensemble(numbers, how, f"{sampler}, {how['chains']:,} chains", out, as_json)
    else:
        _trace(numbers, how, f"{sampler}, trace of {trace:,} chains", trace, every or 1, out, as_json)
    common.tell_unread(read, declared)


def _check_files(
    context: click.Context, trace: int | None, every: int | None, out: str | None, how: dict[str, Any]
) -> None:
    """Refuse before long work what could not be written after it."""
    from sgtheory.errors import UnusableInput
    from sgtheory.files.writing import try_file
    from simulators import export

    if out is not None:
        export.check_file(out, export.TRACE if trace else export.ENSEMBLE)
        try_file(out)
    if trace is None:
        if every is not None:
            raise UnusableInput("--trace with --every", "--every alone", "say how many chains to trace")
        return
    if out is None:
        raise UnusableInput("--out with --trace", "--trace alone", "name a file for the trace")
    for name in ("checkpoint", "cluster", "time_limit"):
        if how.pop(name) is not None:
            option = "--" + name.replace("_", "-")
            raise UnusableInput("--trace without " + option, "both", f"leave {option} out")
    given = context.get_parameter_source("chains") is not ParameterSource.DEFAULT
    if how.pop("chains") < trace and given:
        raise UnusableInput("at most as many traces as chains", f"{trace} traces", "raise --chains")


def _ensemble(numbers: Any, how: dict[str, Any], title: str, out: str | None, as_json: bool) -> None:
    from simulators import export
    from simulators.ensemble import simulate

    with common.progress_bar(title, "chain-steps") as progress:
        found = simulate(*numbers, progress=progress, **how)
    with _written(lambda: export.write(found, out) if out else None):
        document = found.to_json()
        if as_json:
            common.show_json(document)
        elif found.finite:
            _show(found, document)
    if not found.finite:
        _say_diverged(numbers, how, found)


def _say_diverged(numbers: Any, how: dict[str, Any], found: Any) -> NoReturn:
    """One line, and status 1: what diverged has no mean and no covariance."""
    from simulators import diverged

    setting, values = numbers
    again = {name: how[name] for name in ("device", "dtype", "normals")}
    told = diverged.told(setting, values, found, **again)
    click.echo(f"sgtheory: {told}; take a smaller step", err=True)
    raise click.exceptions.Exit(1)


def _trace(
    numbers: Any, how: dict[str, Any], title: str, chains: int, every: int, out: Any, as_json: bool
) -> None:
    from simulators import export
    from simulators.trace import trace

    with common.progress_bar(title, "chain-steps") as progress:
        found = trace(*numbers, chains=chains, every=every, progress=progress, **how)
    with _written(lambda: export.write_trace(found, out)):
        document = found.to_json()
        if as_json:
            common.show_json(document)
        else:
            _show_trace(document, out)


@contextmanager
def _written(write: Callable[[], None]) -> Iterator[None]:
    """Write a file first, for the reader of standard output may leave; complain after showing."""
    from sgtheory.errors import UnusableInput

    failure = None
    try:
        write()
    except UnusableInput as error:
        failure = error
    yield
    if failure:
        raise failure


def _refuse_unstable(declared: Any, problem: Any) -> None:
    """Refuse a step at which the chains would run away, where that can be told beforehand."""
    from sgtheory.errors import NotAffine
    from sgtheory.numbers.numeric import law
    from sgtheory.setting import Setting

    with suppress(NotAffine):
        if Setting(declared, problem.model).period is not None:
            law(declared, problem).require_stable()


def _how(found: Any) -> str:
    fast = " with fast normals" if found.normals == "fast" else ""
    return fast + (" by matrix products" if found.path == "matrices" else "")


def _show(found: Any, document: dict[str, Any]) -> None:
    click.echo(
        f"{click.style(found.sampler, bold=True)}, {found.chains:,} chains, {found.steps:,} steps,"
        f" {found.dtype} on {found.device}{_how(found)}, seed {found.seed}"
    )
    rate, cpu_rate = document["chain_steps_per_second"], document["chain_steps_per_cpu_second"]
    if rate and cpu_rate:
        click.echo(
            f"{found.seconds:.2f} s, {rate:.3g} chain-steps a second ({cpu_rate:.3g} a CPU second);"
            f" compiled in {found.compile_seconds:.2f} s"
        )
    errors = found.standard_error
    for name, mean in found.mean.items():
        click.echo(f"mean {name} and its standard error")
        click.echo("\n".join(common.matrix_lines([mean, errors["mean"][name]])))
    for name, matrix in found.covariance.items():
        click.echo(f"covariance {name}")
        click.echo("\n".join(common.matrix_lines(matrix)))
        click.echo("  standard error")
        click.echo("\n".join(common.matrix_lines(errors["covariance"][name])))
    click.echo(f"digest {found.digest}")


def _show_trace(document: dict[str, Any], out: str) -> None:
    states = ", ".join(f"{name} {shape}" for name, shape in document["states"].items())
    first, last = document["steps"]
    click.echo(
        f"{click.style(document['sampler'], bold=True)}, steps {first:,} to {last:,} by"
        f" {document['every']:,}, {document['dtype']} on {document['device']}, seed {document['seed']}"
    )
    click.echo(f"{out}: {states}, that is chains, steps and coordinates")
    click.echo(f"digest {document['digest']}")
