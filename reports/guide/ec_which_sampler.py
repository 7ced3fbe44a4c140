"""Which sampler should I use? A decision for each kind of problem, made of computed errors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from reports.document import Block, Bullets, Code, Figure, Heading, Paragraph, Table, Text, prose
from reports.figures import curve
from sgtheory import registry

TITLE = "Which sampler should I use?"
SUMMARY = "Twelve samplers at equal cost, each with its best numbers, on many kinds of problems."

Rows = Sequence[Mapping[str, Any]]
_KEPT = Path(__file__).with_name("which_sampler.json")
_AS_GOOD, _FAR = 1.1, 10.0  # times the best error
_DRAWN = 5  # lines of a drawing


def blocks() -> tuple[Block, ...]:
    """How it was computed, a decision for each region, and what it leaves out."""
    document = json.loads(_KEPT.read_text())
    rows = document["rows"]
    found: list[Block] = [Paragraph(_asked(document)), Bullets(_rule())]
    for (noise, batch), region in groupby(rows, key=lambda r: (r["noise"], r["batch"])):
        found += _region(document, noise, batch, list(region))
    return (
        *found,
        Heading(2, "What it leaves out", "left-out"),
        Bullets(_left_out(document)),
        Heading(2, "Once more"),
        Code(document["command"], "sh"),
    )


def _asked(document: Mapping[str, Any]) -> Text:
    names = sorted({name for row in document["rows"] for name in row["samplers"]})
    return prose(
        f"Every sampler has {document['passes']} passes over {document['N']:,} examples of a linear"
        " regression, and the step, friction, preconditioner and burn-in that are best for it there, as"
        " `advise` finds them. The error is that of means, in posterior standard deviations, and of"
        " variances, as shares, together: bias and scatter of one run on real minibatches, both exact."
        f" The {len(names)} samplers: {', '.join(f'`{name}`' for name in names)}."
    )


def _rule() -> tuple[Text, ...]:
    return (
        prose(
            "In each region that sampler is named which is as good as the best in most places: its error"
            f" is at most {_AS_GOOD:g} times as large. All other places are listed as exceptions."
        ),
        prose(
            "Samplers that inject no noise live on that of minibatches: their variances are right as far"
            " as its covariance is what was found, and no further. So a second one is named, among those"
            " that inject noise."
        ),
    )


def _region(document: Mapping[str, Any], noise: str, batch: int, rows: Rows) -> list[Block]:
    what = "one example" if batch == 1 else f"{batch} examples"
    title = f"Noise {noise}, batches of {what}"
    named = [
        *_decision(rows, lambda name: True, "Take"),
        *_decision(rows, _injects, "With its own noise"),
    ]
    return [
        Heading(2, title, f"{noise}-{batch}".replace(" ", "-")),
        Paragraph(prose(f"Here {document['noises'][noise]}.")),
        Bullets(tuple(named)),
        _drawing(title, rows),
        _table(rows),
    ]


def _decision(rows: Rows, fits: Callable[[str], bool], begin: str) -> list[Text]:
    """The sampler that is as good as the best in most places, and those in which it is not."""
    best = [min(e["value"] for n, e in r["samplers"].items() if e and fits(n)) for r in rows]
    names = [n for n in rows[0]["samplers"] if fits(n)]
    over = {n: [_over(r["samplers"][n], b) for r, b in zip(rows, best, strict=True)] for n in names}

    def worth(name: str) -> tuple[int, float]:
        far = sum(math.log(min(ratio, _FAR)) for ratio in over[name])
        return sum(ratio <= _AS_GOOD for ratio in over[name]), -far

    chosen = max(names, key=worth)
    count = worth(chosen)[0]
    where = "everywhere" if count == len(rows) else f"in {count} of {len(rows)} places"
    gains = sorted({(r["samplers"][chosen] or {"gain": ""})["gain"] for r in rows} - {""})
    told = f"`{chosen}`{' with a preconditioner' if gains else ''}"
    found: list[Text] = [prose(f"{begin} {told}: it is as good as any {where}.")]
    for row, least, ratio in zip(rows, best, over[chosen], strict=True):
        if ratio > _AS_GOOD:
            other = next(_named(n, e) for n, e in row["samplers"].items() if e and e["value"] == least)
            mine = row["samplers"][chosen]
            it = f"has the error {mine['value']:.3g}" if mine else "does not settle"
            place = f"condition number {row['condition']:,} in {row['dimension']} dimensions"
            found.append(prose(f"Except at {place}, where it {it}: {other} has {least:.3g}."))
    return found


def _over(error: Mapping[str, Any] | None, best: float) -> float:
    return error["value"] / best if error else math.inf


def _named(name: str, error: Mapping[str, Any]) -> str:
    return f"`{name}`, {error['gain']}," if error["gain"] else f"`{name}`"


@cache
def _injects(name: str) -> bool:
    return bool(registry.sampler(name).noises)


def _table(rows: Rows) -> Table:
    lines: list[tuple[Text, ...]] = []
    for row in rows:
        good = [(n, e) for n, e in row["samplers"].items() if e][:3]
        told = [prose(f"`{n}`{', ' + e['gain'] if e['gain'] else ''} {e['value']:.3g}") for n, e in good]
        lines.append((f"{row['condition']:,}", f"{row['dimension']}", *told))
    headers = ("condition number", "dimensions", "best, and its error", "second", "third")
    return Table(headers, tuple(lines), align="rrlll", row_headers=False)


def _drawing(title: str, rows: Rows) -> Figure:
    """Errors over the condition number in the largest dimension."""
    largest = max(r["dimension"] for r in rows)
    some = [r for r in rows if r["dimension"] == largest]
    worst: dict[str, float] = {}
    for row in some:
        for name, error in row["samplers"].items():
            worst[name] = max(worst.get(name, 0.0), error["value"] if error else float("inf"))
    names = sorted(worst, key=lambda name: worst[name])[:_DRAWN]
    lines = {
        n: [r["samplers"][n]["value"] if r["samplers"][n] else float("nan") for r in some] for n in names
    }
    return curve(
        [r["condition"] for r in some],
        lines,
        name=title.lower().replace(" ", "-").replace(",", ""),
        alt=f"{title}: the least expected error of {', '.join(names)} over the condition number.",
        x_label="condition number",
        y_label="expected error",
        caption=f"The {len(names)} samplers that do best, in {largest} dimensions.",
        log_x=True,
        log_y=True,
    )


def _left_out(document: Mapping[str, Any]) -> tuple[Text, ...]:
    return (
        prose(
            "Linear regression is quadratic. Of other models this is the answer near the mode; `advise`"
            " says what is so for yours, and `--check` measures what that leaves out."
        ),
        prose("Preconditioners are made of the curvature, whose computing is not counted."),
        prose(
            "`sgldfp` needs the mode, and the whole gradient there, before it starts, at no charge here."
        ),
        prose(
            "The friction of underdamped dynamics is one of two: critical for the slowest direction, or"
            " for the middle one."
        ),
        prose(
            "A batch is given here. Left free, small batches are better as long as a step costs what its"
            " examples cost; with `--seconds` that is measured."
        ),
    )
