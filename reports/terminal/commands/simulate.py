"""``sgtheory simulate``: an ensemble."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from reports.terminal import common


@click.command("simulate")
@common.sampler
@common.problem
@click.option("--chains", type=click.IntRange(1), default=65_536, show_default=True)
@click.option("--steps", type=click.IntRange(0), default=1_000, show_default=True)
@common.device
@click.option("--dtype", type=click.Choice(["float32", "float64"]), default="float64", show_default=True)
@click.option(
    "--normals",
    type=click.Choice(["exact", "fast"]),
    default="exact",
    show_default=True,
    help="fast: by a GPU's special functions, float32.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)
@click.option("--checkpoint", metavar="DIR", type=click.Path(), help="Go on from DIR if broken off.")
@click.option("--out", metavar="FILE", type=click.Path(), help="Also write the JSON document to FILE.")
@common.as_json
def command(
    sampler: str,
    problem: str,
    chains: int,
    steps: int,
    device: str,
    dtype: str,
    normals: str,
    seed: int,
    checkpoint: str | None,
    out: str | None,
    as_json: bool,
) -> None:
    """Run many independent chains of SAMPLER and print their mean and covariance."""
    from sgtheory.problem import read_problem
    from sgtheory.registry import sampler as find
    from sgtheory.setting import Setting
    from simulators.ensemble import simulate

    read = read_problem(problem)
    if out:
        common.prepare_folder(Path(out).parent)
    declared = find(sampler, read.params)
    _refuse_unstable(declared, read)
    with common.progress_bar(f"{sampler}, {chains:,} chains") as progress:
        found = simulate(
            Setting(declared, read.model),
            read.values(declared),
            chains=chains,
            steps=steps,
            seed=seed,
            device=device,
            dtype=dtype,
            normals=normals,
            checkpoint=checkpoint,
            progress=progress,
        )
    document = found.to_json()
    if out:
        common.write_file(out, json.dumps(document, indent=1, allow_nan=False) + "\n")
    if as_json:
        common.show_json(document)
    else:
        _show(found, document)


def _refuse_unstable(declared: Any, problem: Any) -> None:
    """Refuse a step at which the chains would run away, where that can be told beforehand."""
    from sgtheory.errors import NotAffine
    from sgtheory.numeric import law

    with suppress(NotAffine):
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
