"""A check in few lines: for a terminal, and for GitHub's annotations and summaries."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from reports.spans import SIGNS
from sgtheory.errors import UnusableInput
from sgtheory.files.writing import append
from verification.checking.telling import diagnosed, each, headline

_COLOURS = {"conforms": "green", "deviates": "red", "crashed": "red", "inconclusive": "yellow"}


def lines(found: Any) -> Iterator[str]:
    """What a terminal shows; colours are left out by ``click.echo`` where there is no terminal."""
    sign = SIGNS[found.verdict]
    word = click.style(f"{sign} {found.verdict}", fg=_COLOURS[found.verdict], bold=True)
    yield f"{word}  {headline(found)}"
    yield from (f"  {line}" for line in found.taken)
    yield from (f"  {line}" for line in diagnosed(found))
    every = (*found.outcomes, *found.further)
    width = max((len(o.case.name) for o in every), default=0)
    for outcome, words in each(found, every):
        yield f"  {outcome.case.name.ljust(width)}  {words}"
    for note in found.notes:
        yield f"  {note}"
    yield (
        f"A right sampler is rejected with probability at most {found.false_alarm:g}; an error of"
        f" {100 * found.effect:.3g} % of a variance is found with probability {found.power:g}."
    )


def annotation(found: Any) -> str:
    """A line that GitHub shows at the place of the target; empty where nothing is wrong.

    >>> from types import SimpleNamespace as Found
    >>> annotation(Found(verdict="inconclusive", target="m:step", like="sgd", diagnosis=()))
    '::warning title=m%3Astep inconclusive against sgd::inconclusive'
    """
    if found.verdict == "conforms":
        return ""
    kind = "warning" if found.verdict == "inconclusive" else "error"
    words = found.diagnosis[0].words if found.diagnosis else found.verdict
    title = f"{found.target} {found.verdict} against {found.like}"
    where = {**place(found.target), "title": title}
    properties = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in where.items())
    return f"::{kind} {properties}::{_escaped(words)}"


def _escaped(text: str, further: str = "") -> str:
    """As GitHub reads it: the percent sign first, so that it is not escaped twice."""
    for character in "%\r\n" + further:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def place(target: str) -> dict[str, Any]:
    """The file of a target, and the line on which it is defined, where both can be read."""
    where, _, name = target.rpartition(":")
    path = Path(where)
    if path.suffix != ".py" or not os.path.isfile(path):
        return {}
    inside = path.resolve()
    root = Path(os.environ.get("GITHUB_WORKSPACE", Path.cwd())).resolve()
    file = inside.relative_to(root) if inside.is_relative_to(root) else inside
    try:
        body = ast.parse(path.read_text(encoding="utf-8")).body
    except (OSError, ValueError, SyntaxError):
        return {"file": file.as_posix()}
    last = name.partition(".")[0]
    found = [node.lineno for node in body if getattr(node, "name", None) == last]
    return {"file": file.as_posix(), **({"line": found[-1]} if found else {})}


def summary(found: Any, again: str) -> str:
    """What GitHub shows of a job, in Markdown: the page without its drawings."""
    from reports.emit import render
    from reports.pages.check import check_page

    return render((check_page(found, again, drawings=False),), "markdown")


def tell_github(found: Any, again: str, err: bool) -> None:
    """Annotation and summary in a GitHub action; ``err`` keeps standard output clean."""
    line = annotation(found)
    if os.environ.get("GITHUB_ACTIONS") and line:
        click.echo(line, err=err)
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return
    try:
        append(file, summary(found, again) + "\n")
    except UnusableInput as error:
        click.echo(f"sgtheory: the summary could not be written: {error}", err=True)
