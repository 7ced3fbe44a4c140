"""What ``verify`` says: a line for each claim that fits the terminal, and a table at the end."""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import click

from verification.statements.entry import STANDS, counted_first
from verification.verdicts.verdict import WORDS
from verification.verdicts.wording import PART, with_scope

COLOURS = {"proved": "green", "confirmed": "green", "proved-if": "yellow", "limit-only": "yellow"}
WIDTH = 100  # where there is no terminal
_WORD, _MOST = 18, 10


def width() -> int:
    """Columns of the terminal."""
    return max(40, shutil.get_terminal_size((WIDTH, 24)).columns)


def styled(word: str, columns: int = 0) -> str:
    """A verdict in its colour."""
    colour = COLOURS.get(word.partition(" (")[0], "red")
    return click.style(f"{word:{columns}}", fg=colour, bold=True)


def line(verdict: dict[str, Any], columns: int) -> str:
    """One claim: word, id, and as much of where and what as fits.

    >>> claim = {"id": "p.eq1", "verdict": "proved", "locator": "Eq. 1", "title": "A long title of it"}
    >>> click.unstyle(line(claim, 45))
    'proved             p.eq1  Eq. 1: A long ti...'
    """
    id_, read = verdict["id"], _readings(verdict)
    word = with_scope(verdict["verdict"], verdict.get("scope"))
    rest = " ".join(f"{verdict['locator']}: {verdict['title']}".split())
    room = columns - max(_WORD, len(word)) - len(id_) - len(read) - 3
    shown = shortened(rest, room) if room > 8 else ""
    return f"{styled(word, _WORD)} {click.style(id_, bold=True)}  {shown}{read}".rstrip()


def _readings(verdict: dict[str, Any]) -> str:
    """Which time a verdict is of, where the other one has another."""
    discrete = verdict.get("discrete") or verdict
    told = with_scope(discrete["verdict"], discrete.get("scope"))
    return (
        "" if discrete["verdict"] == verdict["verdict"] else f" [in continuous time; discrete: {told}]"
    )


def shortened(text: str, room: int) -> str:
    """The text, or its beginning.

    >>> shortened("eigenvalues", 8), shortened("gain", 8)
    ('eigen...', 'gain')
    """
    return text if len(text) <= room else text[: max(room - 3, 0)].rstrip() + "..."


_BOTH = "left and right side"


def whole(verdict: dict[str, Any], columns: int) -> Iterator[str]:
    """One claim with its reasons."""
    indent = " " * (_WORD + 1)
    yield line(verdict, columns)
    yield f"{indent}{verdict['reason']}"
    if "condition" in verdict:
        yield f"{indent}holds if: {verdict['condition']}"
    if "counterexample" in verdict:
        yield f"{indent}fails at: {_numbers(verdict['counterexample']['problem'])}{_sides(verdict)}"
    if "corrected" in verdict:
        yield f"{indent}true instead: {verdict['corrected']['text']}"
    yield from (f"{indent}{e['words']}" for e in verdict["evidence"] if "loss" in e)
    discrete = verdict.get("discrete")
    if discrete is not None and discrete["verdict"] != verdict["verdict"]:
        told = with_scope(discrete["verdict"], discrete.get("scope"))
        yield f"{indent}read for the discrete algorithm: {told}"
        if "loss" in discrete:
            yield f"{indent}{discrete['loss']['words']}"
    twins = verdict["twins"]
    told = f"rejected: {twins['rejected']} of {twins['tried']}" if twins["tried"] else "none were made"
    yield f"{indent}wrong twins {told}" + (f": {twins['none']}" if twins.get("none") else "")


def _sides(verdict: dict[str, Any]) -> str:
    """Both sides at a counterexample, where they are numbers, and what they are."""
    left, right = (verdict["counterexample"].get(side) for side in ("left", "right"))
    if not (isinstance(left, str) and isinstance(right, str)):
        return ""
    words = verdict["counterexample"].get("words", _BOTH)
    return f": left {left}, right {right}" if words == _BOTH else f": {words}: {left}; {right}"


def _numbers(problem: dict[str, Any]) -> str:
    """Exact numbers on one line.

    >>> _numbers({"model": "quadratic", "hessian": [["1", "0"], ["0", "2"]], "params": {"eps": "1/2"}})
    'hessian = [1 0; 0 2], eps = 1/2'
    """
    flat = {k: v for k, v in problem.items() if k not in ("model", "params")}
    params = problem.get("params")
    flat |= params if isinstance(params, dict) else {}
    return ", ".join(f"{k} = {_value(v)}" for k, v in flat.items())


def _value(value: Any) -> str:
    if isinstance(value, list):
        rows = (" ".join(map(str, row)) if isinstance(row, list) else str(row) for row in value)
        return f"[{'; '.join(rows)}]"
    return str(value)


def table(found: Sequence[dict[str, Any]], columns: int = WIDTH) -> Iterator[str]:
    """What papers print, by verdict, and how much does not stand so; turned where that is narrower.

    Of a paper of which nothing is printed, what comes next is counted, and said with its name.

    >>> claim = {"paper": "p", "stands": "printed", "verdict": "limit-only", "as_printed": False}
    >>> read = {"paper": "q", "stands": "read", "verdict": "proved", "as_printed": True}
    >>> print(*table([claim, {**read, "paper": "p"}, read]), sep="\\n")
    paper     proved  limit-only  not as printed
    p              -           1               1
    q (read)       1           -               -
    """
    ways: dict[str, list[str]] = {}
    for v in found:
        ways.setdefault(v["paper"], []).append(v["stands"])
    first = {paper: counted_first(stands) for paper, stands in ways.items()}
    papers, found = list(first), [v for v in found if v["stands"] == first[v["paper"]]]
    counts = Counter((v["paper"], _counted(v)) for v in found)
    words = [w for w in _COUNTED if any(counts[p, w] for p in papers)]
    rows = [[counts[p, w] for w in words] for p in papers]
    for row, paper in zip(rows, papers, strict=True):
        row.append(sum(v["paper"] == paper and not_as_printed(v) for v in found))
    names = [p if first[p] == STANDS[0] else f"{p} ({first[p]})" for p in papers]
    if (
        len(papers) > 1 and len(set(first.values())) == 1
    ):  # what is printed and what is read do not add up
        rows.append([sum(column) for column in zip(*rows, strict=True)])
        names.append("together")
    body = [[p, *(str(n or "-") for n in row)] for p, row in zip(names, rows, strict=True)]
    cells = [["paper", *words, "not as printed"], *body]
    shown = list(_aligned(cells))
    if max(map(len, shown)) > columns:
        shown = list(_aligned([list(row) for row in zip(*cells, strict=True)]))
    yield from (shortened(row, columns) for row in shown)


def by_stands(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """How what is printed fares, what is read, and what is derived; nothing where all is printed.

    >>> one = {"stands": "printed", "verdict": "proved"}
    >>> print(*by_stands([one, one, {"stands": "read", "verdict": "refuted"}]), sep="\\n")
    printed: 2 proved
    read: 1 refuted
    >>> list(by_stands([one]))
    []
    """
    counts = Counter((v["stands"], _counted(v)) for v in found)
    if any(stands != "printed" for stands, _ in counts):
        for stands in STANDS:
            told = [f"{counts[stands, w]} {w}" for w in _COUNTED if counts[stands, w]]
            if told:
                yield f"{stands}: {', '.join(told)}"


_COUNTED = tuple(with_scope(word, scope) for word in WORDS for scope in ("", PART))


def _counted(verdict: dict[str, Any]) -> str:
    """Apart, where it is of less than is said."""
    return with_scope(verdict["verdict"], verdict.get("scope") and PART)


def _aligned(cells: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *rest in cells:
        numbers = (c.rjust(w) for c, w in zip(rest, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *numbers])


def not_as_printed(verdict: dict[str, Any]) -> bool:
    """True only with a hypothesis that is not stated, or to leading order where that is not stated."""
    return verdict["verdict"] in ("limit-only", "proved-if") and verdict.get("as_printed") is False


def unjudged(found: Sequence[dict[str, Any]], columns: int) -> Iterator[str]:
    """Claims that could not be judged, with what went wrong: that is for their author to mend.

    >>> error = "UnusableInput: expected a sampler; got 'sgdd'; did you mean 'sgd'?"
    >>> claim = {"id": "p.a", "broken": {"error": error}}
    >>> print(*unjudged([claim, {"id": "p.b"}], 60), sep="\\n")
    not judged: p.a: UnusableInput: expected a sampler; got
      'sgdd'; did you mean 'sgd'?
    """
    broken = [v for v in found if "broken" in v]
    for verdict in broken[:_MOST]:
        told = f"not judged: {verdict['id']}: {verdict['broken']['error']}"
        yield from textwrap.wrap(told, columns, subsequent_indent="  ", break_on_hyphens=False)
    if len(broken) > _MOST:
        yield f"not judged: {len(broken) - _MOST} more; all with -v"


def changes(since: tuple[tuple[str, str, str], ...] | None) -> Iterator[str]:
    """What is new, or said otherwise than in the last run.

    >>> print(*changes((("p.a", "proved", "refuted"), ("p.b", "", "proved"))), sep="\\n")
    against the last run: 1 changed, 1 new
      p.a: was proved, is refuted
      p.b: new, proved
    """
    if since is None:
        yield "against the last run: there was none"
        return
    if not since:
        yield "against the last run: nothing changed"
        return
    new = sum(not before for _, before, _ in since)
    yield f"against the last run: {len(since) - new} changed, {new} new"
    ordered = sorted(since, key=lambda change: not change[1])  # what changed before what is new
    for id_, before, now in ordered[:_MOST]:
        yield f"  {id_}: was {before}, is {now}" if before else f"  {id_}: new, {now}"
    if len(ordered) > _MOST:
        yield f"  and {len(ordered) - _MOST} more"


def slowest(found: Sequence[dict[str, Any]], most: int = 3) -> str:
    """The claims that took longest.

    >>> slowest([{"id": "p.a", "provenance": {"seconds": 2.25}}])
    'slowest: p.a 2.2 s'
    """
    timed = [(v.get("provenance", {}).get("seconds", 0.0), v["id"]) for v in found]
    longest = sorted(timed, reverse=True)[:most]
    return "slowest: " + ", ".join(f"{id_} {seconds:.1f} s" for seconds, id_ in longest)
