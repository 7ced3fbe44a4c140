"""``sgtheory experiment``: a figure or a table of a paper, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reports.terminal import common

_STATUS = {"failed": 1}


def _names(context: Any, parameter: Any, incomplete: str) -> list[str]:
    from verification.experiments import experiments

    return [e.name for e in experiments() if e.name.startswith(incomplete)]


def _files(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """``skin=path`` pairs."""
    found = {}
    for part in given:
        name, equals, path = part.partition("=")
        if not (name and equals and path):
            raise click.BadParameter(f"expected NAME=FILE; got {part!r}; such as skin=skin.npz")
        if name in found:
            raise click.BadParameter(f"{name} twice; give one file")
        found[name] = path
    return found


@click.command("experiment")
@click.argument("names", nargs=-1, required=True, metavar="NAME...|all", shell_complete=_names)
@click.option("--scale", type=common.Choice(["laptop", "paper"]), default="laptop", show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=2026, show_default=True)
@common.device
@click.option("--data", "files", multiple=True, metavar="NAME=FILE", callback=_files,
              help="Your own copy of a data set.")  # fmt: skip
@click.option("--out", default="experiments", show_default=True, metavar="DIR", type=common.Named())
@click.option("--fresh", is_flag=True, help="Make every part anew, also those that are kept.")
@common.as_json
def command(
    names: tuple[str, ...],
    scale: str,
    seed: int,
    device: str,
    files: dict[str, str],
    out: str,
    fresh: bool,
    as_json: bool,
) -> Any:
    """Make figures and tables of the papers again, and write a page for each into DIR.

    Exit status: 0 done, whatever the verdict; 1 where our own simulation and theory disagree.
    """
    from sgtheory.files.writing import try_folder
    from verification.experiments import check_files, experiment, experiments, perform

    chosen = [e.name for e in experiments()] if names == ("all",) else list(names)
    found = [experiment(name) for name in chosen]  # what is wrong is told before long work begins
    check_files(files, found)
    try_folder(out)
    results = []
    how: dict[str, Any] = {"seed": seed, "device": device, "keep": not fresh}
    for k, name in enumerate(chosen, 1):
        with common.part_bar(f"{k} of {len(chosen)}, {name}") as tell:
            own = {key: file for key, file in files.items() if key in found[k - 1].sets}
            results.append(perform(name, scale, tell=tell, files=own, **how))
        if not as_json:
            _show(results[-1])
    _write(results, Path(out))
    if as_json:
        documents = [r.to_json() for r in results]
        common.show_json(documents[0] if len(documents) == 1 else {
            "schema": "sgtheory.experiments/1", "experiments": documents})  # fmt: skip
    return max(_STATUS.get(r.word, 0) for r in results)


def _show(result: Any) -> None:
    name = click.style(result.experiment.name, bold=True)
    click.echo(f"{name}  {result.word}: {result.sentence} ({result.seconds:.0f} s)")


def _write(results: list[Any], out: Path) -> None:
    from reports.emit import write
    from reports.pages.experiment import experiment_page, experiments_page

    write((experiments_page(results), *(experiment_page(r) for r in results)), out, ("html",))
    click.echo(f"pages: {out / 'experiments.html'}", err=True)
