"""What several subcommands share: arguments with completion, options, output."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from sgtheory.errors import LINE, UnusableInput, plain
from sgtheory.modepairs.quantities import TIMES

if TYPE_CHECKING:
    from reports.document import Page

    _Words = click.Choice[str]
else:  # older versions of click do not say of what it is
    _Words = click.Choice

Progress = Callable[[int, int], None]


def _complete_sampler(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    from sgtheory.registry import names

    own = [CompletionItem(n) for n in names("samplers") if n.startswith(incomplete)]
    return own or [CompletionItem(incomplete, type="file")]


def complete_target(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Papers and claims."""
    from verification.library import paper_keys
    from verification.library.index import names

    known = [*paper_keys(), *names("claims")] if "." in incomplete else paper_keys()
    return [CompletionItem(n) for n in known if n.startswith(incomplete)]


def meant(name: str, known: Sequence[str]) -> str:
    """The end of a message on a word that is none of those known: the nearest of them, if one is near.

    >>> meant("derve", ["derive", "diff"]), meant("xyz", ["derive"])
    (" Did you mean 'derive'?", '')
    """
    from sgtheory.finding import suggest

    found = " or ".join(repr(one) for one in suggest.near(name, known))
    return f" Did you mean {found}?" if found else ""


class Choice(_Words):
    """One of some words; of another word the nearest of them is asked for."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The word, or the refusal of it."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            words = [str(one) for one in self.choices]
            raise click.BadParameter(error.message + meant(str(value), words), ctx, param) from None


class Between(click.FloatRange):
    """A number of a range, in which NaN is not."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number, or the refusal of it."""
        found = super().convert(value, param, ctx)
        return found if found == found else self.fail(f"{value} is no number.", param, ctx)


class Named(click.Path):
    """A place by its name, which is not empty: that would be the folder one stands in."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The place, or the refusal of it."""
        if not str(value).strip():
            raise UnusableInput("the name of a file or a folder", "nothing", "name one")
        if "\0" in str(value):
            raise UnusableInput("the name of a file or a folder", "one with a NUL", "name another")
        return super().convert(value, param, ctx)


sampler = click.argument("sampler", metavar="SAMPLER|FILE.py:NAME", shell_complete=_complete_sampler)
problem = click.option(
    "--problem", required=True, metavar="FILE", type=Named(), help="A problem file, JSON or TOML."
)
device = click.option(
    "--device", type=Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True
)
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON document and nothing else.")
page = click.option(
    "--page",
    type=Named(path_type=Path),
    metavar="FILE",
    help="Write a page with drawings: FILE.html, .md, .tex or .txt, and what belongs to it beside.",
)
time = click.option("--time", type=Choice(TIMES), default="discrete", show_default=True)


def show_json(document: Any) -> None:
    """One JSON document on standard output; NaN and infinity never appear in one."""
    click.echo(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))


def try_page(file: Path | None) -> None:
    """A page's format and place are tried before long work, not after it."""
    from reports.pages.checkfiles import format_of
    from sgtheory.files.writing import try_file

    if file is not None:
        format_of(file)
        try_file(file)


def write_page(page: Page, file: Path, err: bool, beside: Mapping[str, str] | None = None) -> None:
    """Write a page, and say where it is."""
    from reports.pages import checkfiles

    written = checkfiles.write_page(page, file, beside)
    click.echo(f"{len(written)} files; open {file}", err=err)


def warn(message: str) -> None:
    """One line on standard error, as every refusal; the command goes on, though no one hear it."""
    with suppress(OSError):
        click.echo(click.style("sgtheory: ", fg="red") + plain(message, LINE), err=True)


def tell_unread(problem: Any, *samplers: Any) -> None:
    """Say which of a problem's letters and starts are for other samplers than these."""
    from sgtheory.reader.reading import unread
    from sgtheory.registry import sampler as find

    found = [find(one, problem.params) for one in samplers]
    first, *others = (unread(problem.params, problem.start, one) for one in found)
    names = [name for name in first if all(name in one for one in others)]
    if names:
        asked = " and ".join(one.name for one in found)
        does = "do" if others else "does"
        warn(f"{asked} {does} not read {', '.join(names)}, which the problem has for other samplers")


def said(context: click.Context, option: str) -> bool:
    """Whether an option was given, and is not as it is by default."""
    return context.get_parameter_source(option) is not click.core.ParameterSource.DEFAULT


def refuse(context: click.Context, names: Sequence[str], expected: str, got: str) -> None:
    """Refuse options that nothing would read, the first by its name in the words of what is expected."""
    from sgtheory.errors import UnusableInput

    given = [p.opts[0] for p in context.command.params if p.name in names and said(context, p.name)]
    if given:
        raise UnusableInput(expected.format(given[0]), got, f"leave {given[0]} out")


def matrix_lines(matrix: Any) -> list[str]:
    """A matrix in aligned columns, nine digits; what does not exist is none."""
    cells = [["none" if x != x else f"{x:.9g}" for x in row] for row in matrix]
    width = max(len(c) for row in cells for c in row)
    shown = [row[:8] + (["..."] if len(row) > 8 else []) for row in cells[:8]]
    lines = ["  " + "  ".join(c.rjust(width) for c in row) for row in shown]
    return lines + (["  ..."] if len(cells) > 8 else [])


def pairs(texts: tuple[str, ...], example: str) -> dict[str, str]:
    """What is given as NAME=VALUE."""
    from sgtheory.errors import UnusableInput

    found: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not (name and value):
            raise UnusableInput(f"NAME=VALUE, such as {example}", repr(text), "write both sides")
        if name in found:
            raise UnusableInput(f"one value for {name}", f"{found[name]} and {value}", "give it once")
        found[name] = value
    return found


def repeated(context: click.Context, seeded: bool = True) -> str:
    """The command that does the same again: what is not default, and the seed if one was drawn from."""
    words = ["sgtheory", str(context.info_name)]
    for option in context.command.params:
        value = context.params.get(str(option.name))
        if isinstance(option, click.Argument):
            words.append(str(value))
            continue
        if option.name in ("page", "junit", "sarif", "against", "as_json") or value in (None, ()):
            continue
        source = context.get_parameter_source(str(option.name))
        drawn = option.name == "seed" and seeded
        if not drawn and source is click.core.ParameterSource.DEFAULT:
            continue
        if value is True:
            words.append(option.opts[0])
            continue
        if option.name == "dimensions":
            value = ",".join(map(str, value))
        for one in value if isinstance(value, tuple) else (value,):
            text = str(one).removesuffix(".0") if isinstance(one, float) else str(one)
            words += [option.opts[0], text]
    return shlex.join(words)


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
