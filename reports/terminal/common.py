"""What several subcommands share: arguments with completion, options, output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import click
from click.shell_completion import CompletionItem

from sgtheory.quantities import TIMES

Progress = Callable[[int, int], None]


def _complete_sampler(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    from sgtheory.registry import names

    return [CompletionItem(n) for n in names("samplers") if n.startswith(incomplete)]


def complete_target(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Papers and claims."""
    from verification.library import all_claims, paper_keys

    known = [*paper_keys(), *(c.id for c in all_claims())] if "." in incomplete else paper_keys()
    return [CompletionItem(n) for n in known if n.startswith(incomplete)]


sampler = click.argument("sampler", shell_complete=_complete_sampler)
problem = click.option(
    "--problem", required=True, metavar="FILE", type=click.Path(), help="A problem file, JSON or TOML."
)
device = click.option(
    "--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True
)
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON document and nothing else.")
time = click.option("--time", type=click.Choice(TIMES), default="discrete", show_default=True)


def show_json(document: Any) -> None:
    """One JSON document on standard output; NaN and infinity never appear in one."""
    click.echo(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))


def prepare_folder(folder: str | Path) -> None:
    """Make a folder, or refuse: before long work, not after it."""
    from sgtheory.errors import UnusableInput

    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK)
    except OSError:
        usable = False
    if not usable:
        raise UnusableInput("a folder that can be written", str(folder), "choose another")


def write_file(path: str | Path, text: str) -> None:
    """Write a file whole or not at all."""
    path = Path(path)
    prepare_folder(path.parent)
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def matrix_lines(matrix: Any) -> list[str]:
    """A matrix in aligned columns, nine digits."""
    cells = [[f"{x:.9g}" for x in row] for row in matrix]
    width = max(len(c) for row in cells for c in row)
    shown = [row[:8] + (["..."] if len(row) > 8 else []) for row in cells[:8]]
    lines = ["  " + "  ".join(c.rjust(width) for c in row) for row in shown]
    return lines + (["  ..."] if len(cells) > 8 else [])


@contextmanager
def progress_bar(what: str, unit: str | None = None) -> Iterator[Progress | None]:
    """A bar with time left, and a rate, on standard error when that is a terminal; else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"))
    rate = (TextColumn("{task.fields[rate]}"),) if unit else ()
    console = Console(stderr=True)
    with Progress(*columns, *rate, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None, rate="")
        begun: list[tuple[float, int]] = []  # when and where: a run that goes on has a head start

        def advance(done: int, total: int) -> None:
            now = monotonic()
            begun.append((now, done)) if not begun else None
            since, before = now - begun[0][0], done - begun[0][1]
            told = f"{before / since:.2e} {unit}/s" if since and before else ""
            bar.update(task, completed=done, total=total, rate=told)

        yield advance


@contextmanager
def part_bar(what: str) -> Iterator[Callable[[str, float], None]]:
    """Told which part is being made and the share of it that is done; shown where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda words, done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(f"{what}: {{task.description}}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("beginning", total=1.0)
        yield lambda words, done: bar.update(task, description=words, completed=done)
