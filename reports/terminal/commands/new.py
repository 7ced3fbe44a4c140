"""``sgtheory new``: first files to start from, each of which works at once."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from reports.terminal import common


@click.group("new")
def command() -> None:
    """Write a first file to start from; one that is there stays, but with --force."""


def _file(kind: str, default: str, metavar: str = "[FILE.py]") -> Callable[..., Any]:
    argument = click.argument("file", default=default, metavar=metavar, type=common.Named())
    force = click.option("--force", is_flag=True, help="Write over a file that is there.")
    return lambda function: command.command(kind)(argument(force(function)))


@_file("claim", "my_paper.py")
def claim(file: str, force: bool) -> None:
    """Write a first file of claims, one of each common kind, for verify FILE.py."""
    from reports.terminal.first import CLAIM

    path = _write("claim", file, CLAIM, force)
    click.echo(f"{path} holds three claims; run: sgtheory verify {path}")


@_file("sampler", "my_sampler.py")
def sampler(file: str, force: bool) -> None:
    """Write a sampler of your own, declared and as code, for derive, law, simulate and check."""
    from reports.terminal.first import SAMPLER

    path = _write("sampler", file, SAMPLER, force)
    click.echo(f"{path} declares a sampler, MY_SAMPLER, and has its step in NumPy; run:")
    click.echo(f"  sgtheory derive {path}")
    click.echo(f"  sgtheory new problem --for {path}")
    click.echo(f"  sgtheory law {path} --problem problem.json")
    click.echo(f"  sgtheory simulate {path} --problem problem.json")
    click.echo(f"  sgtheory check {path}:step --like {path}")


@_file("step", "my_step.py")
@click.option("--for", "whose", default="sgld", show_default=True, metavar="SAMPLER")
@click.option(
    "--in", "library", default="numpy", show_default=True, type=click.Choice(["numpy", "torch", "jax"])
)
def step(file: str, force: bool, whose: str, library: str) -> None:
    """Write a declared sampler as a step in NumPy, PyTorch or JAX, in the form that check takes."""
    from verification.checking.written import written

    made = written(whose, library)
    path = _write("step", file, made.text, force)
    click.echo(f"{path} is {whose} as a step; run:")
    options = [text for called, ours in made.names for text in ("--with", f"{called}={ours}")]
    click.echo(f"  {shlex.join(['sgtheory', 'check', f'{path}:step', '--like', whose, *options])}")


@_file("problem", "problem.json", "[FILE.json]")
@click.option("--model", default="quadratic", show_default=True, help="What is sampled: list models.")
@click.option(
    "--for",
    "whose",
    default="sgld",
    show_default=True,
    metavar="SAMPLER",
    help="Whose parameters it has: a name, or FILE.py:NAME.",
)
def problem(file: str, force: bool, model: str, whose: str) -> None:
    """Write a problem with every field that its model needs, for law, tune and simulate."""
    from reports.terminal import first
    from sgtheory import registry
    from sgtheory.setting import Setting

    declared = registry.sampler(whose)
    found = first.problem(registry.model(model), declared)
    lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
    path = _write("problem", file, "{\n" + ",\n".join(lines) + "\n}\n", force)
    click.echo(f"{path} is a problem of the model {model}; run: sgtheory law {whose} --problem {path}")
    if Setting(declared, found["model"]).period is not None and first.settles(declared, found) is False:
        click.echo(f"No parameters were found at which {whose} is stable on it: choose them yourself.")


@_file("test", "test_my_sampler.py")
@click.option("--library", metavar="NAME", help="Test the samplers of a library: list conventions.")
def test(file: str, force: bool, library: str | None) -> None:
    """Write a test of a step, or of a library, against the law that it should have, for pytest."""
    from reports.terminal.first import TEST, test_of_a_library

    text = TEST if library is None else test_of_a_library(library)
    path = _write("test", file, text, force)
    count = text.count("def test_") if library is None else text.count('    "')
    click.echo(f"{path} holds {count} tests; run: pytest {path}")
    click.echo("pytest comes with: pip install 'sgtheory[test]'")


def _write(kind: str, file: str, text: str, force: bool) -> Path:
    from sgtheory.errors import UnusableInput
    from sgtheory.files.writing import try_file, write, write_new

    path = Path(file)
    suffix = ".json" if kind == "problem" else ".py"
    if path.suffix != suffix:
        better = path.with_name(f"{path.stem}{suffix}") if path.name else f"mine{suffix}"
        raise UnusableInput(f"a name that ends in {suffix}", file, f"write {better}")
    text = text if kind in ("problem", "step") else text.format(name=path.name)
    if force:
        write(try_file(path), text)
    elif not write_new(try_file(path), text):
        raise UnusableInput(
            "a new file", f"{file}, which is there", "choose another name, or add --force"
        )
    return path
