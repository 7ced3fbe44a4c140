"""The page of what ``benchmarks.check_bank`` wrote: rates with intervals, every diagnosis."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import blind_banks
from reports.document import Block, Bullets, Code, Details, Heading, Page, Paragraph, Table, Text

Document = Mapping[str, Any]
IDENTIFIED = Path(__file__).parent / "results" / "identified.json"

HOW = """\
python -m benchmarks.check_bank --out benchmarks/results/check_bank.json
python -m benchmarks.page benchmarks/results/check_bank.json"""


def page(document: Document) -> Page:
    """How many faults are found and named, and how many right samplers are accepted."""
    told = document["summary"]
    blocks: list[Block] = [*_rates(document), *_undetected(document), *_faulty(document)]
    blocks += _right(document)
    blocks += (b for name in blind_banks.BANKS for b in blind_banks.blocks(name, blind_banks.rows(name)))
    if IDENTIFIED.exists():
        blocks += _identified(json.loads(IDENTIFIED.read_text(encoding="utf-8")))
    blocks += _method(document)
    summary = (
        f"{_of(told['detected'])} faulty samplers detected, {_of(told['explained'])} named right,"
        f" {_of(told['accepted'])} right samplers accepted."
    )
    return Page("check-bank", "The checker against a bank of samplers", tuple(blocks), summary=summary)


def _of(share: Mapping[str, Any]) -> str:
    """
    >>> _of({"hits": 3, "of": 4})
    '3 of 4'
    """
    return f"{share['hits']} of {share['of']}"


def _cell(share: Mapping[str, Any] | None) -> str:
    """
    >>> _cell({"hits": 3, "of": 4, "interval": [0.194, 0.994]})
    '3 of 4 (19–99 %)'
    """
    if not share or not share["of"]:
        return "–"
    low, high = (round(100 * x) for x in share["interval"])
    return f"{_of(share)} ({low}–{high} %)"


def _rates(document: Document) -> Iterator[Block]:
    told = document["summary"]
    rows: list[tuple[Text, ...]] = [("all", *(_cell(told[k]) for k in _COLUMNS))]
    rows += [(name, *(_cell(s.get(k)) for k in _COLUMNS)) for name, s in told["frameworks"].items()]
    yield Table(
        ("", "detected", "named as foreseen", "or provably the same", "right ones accepted"),
        tuple(rows),
        align="lrrrr",
        caption="In brackets Clopper-Pearson intervals of 95 %, each on its own.",
    )
    yield from _origins(told)
    kinds = tuple((name, *(_cell(s[k]) for k in _COLUMNS[:3])) for name, s in told["groups"].items())
    if kinds:
        yield Heading(2, "By the kind of fault")
        headers = ("kind", "detected", "named as foreseen", "or provably the same")
        yield Table(headers, kinds, align="lrrr")


_ORIGINS = {
    "known": "by those who wrote the checker",
    "blind": "by someone who had not read it",
    "second": "by another who had not; first run after the last change of the checker",
}


def _origins(told: Document) -> Iterator[Block]:
    """Who wrote them, and what was said when they were seen first."""
    rows = [
        (_ORIGINS[name], *(_cell(s.get(k)) for k in _COLUMNS)) for name, s in told["origins"].items()
    ]
    yield Heading(2, "By who wrote them")
    headers = ("written", "detected", "named as foreseen", "or provably the same", "right ones accepted")
    yield Table(headers, tuple(rows), align="lrrrr")
    first = told["first"]
    if first:
        yield Paragraph(
            f"When it first saw those by someone who had not read it, the checker detected"
            f" {_cell(first['detected'])}, named {_cell(first['named'])} as foreseen and accepted"
            f" {_cell(first['accepted'])} right ones. It was mended after that, for kinds of faults and"
            " not for samplers; the second set was written without sight of either."
        )


_COLUMNS = ("detected", "named", "explained", "accepted")


def _undetected(document: Document) -> Iterator[Block]:
    tried = [r for r in document["samplers"] if r["verdict"] != "refused"]
    missed = [r for r in tried if not r["right"] and not r["detected"]]
    rejected = [r for r in tried if r["right"] and not r["accepted"]]
    for rows, title in ((missed, "Not detected"), (rejected, "Rejected although right")):
        if rows:
            yield Heading(2, title)
            yield Bullets(tuple(f"{_name(r)}: {r['fault'] or _called(r)}" for r in rows))
    refused = tuple(
        f"{_name(r)}: {r['error']}" for r in document["samplers"] if r["verdict"] == "refused"
    )
    if refused:
        yield Heading(2, "What the checker does not take")
        yield Bullets(refused)
    if document["absent"]:
        absent = tuple(f"{where}: needs {needs}" for where, needs in document["absent"].items())
        yield Details("Not run here", (Bullets(absent),))


def _name(row: Document) -> str:
    return f"{row['name']} ({row['framework']}, like {row['like']})"


def _called(row: Document) -> str:
    if row.get("error"):
        return str(row["error"])
    return str(row["diagnosis"][0]["words"]) if row["diagnosis"] else str(row["verdict"])


def _faulty(document: Document) -> Iterator[Block]:
    faulty = [r for r in document["samplers"] if not r["right"] and r["verdict"] != "refused"]
    told = (
        ("Named otherwise", [r for r in faulty if not r["explained"]]),
        ("Named otherwise, provably the same law", [r for r in faulty if r["same_law"]]),
        ("Named as foreseen", [r for r in faulty if r["named"]]),
    )
    for title, chosen in told:
        rows: list[tuple[Text, ...]] = [
            (r["name"], r["framework"], r["like"], _wrong(r), _called(r), f"{r['seconds']:.0f} s")
            for r in chosen
        ]
        if rows:
            yield Heading(2, title)
            headers = ("sampler", "in", "like", "what is wrong", "what the checker says", "took")
            yield Table(headers, tuple(rows), align="lllllr")


def _wrong(row: Document) -> str:
    return f"{row['fault']} (the same: {row['same_law']})" if row["same_law"] else str(row["fault"])


def _right(document: Document) -> Iterator[Block]:
    rows: list[tuple[Text, ...]] = [
        (r["name"], r["framework"], r["like"], r["verdict"], f"{r['seconds']:.0f} s")
        for r in document["samplers"]
        if r["right"]
    ]
    if rows:
        yield Heading(2, "Right samplers")
        yield Table(("sampler", "in", "like", "verdict", "took"), tuple(rows), align="llllr")


def _identified(found: Document) -> Iterator[Block]:
    """What part of the right ones is identified without being told, and what each is said to be."""
    told = found["summary"]
    words = {"all": "all", **{n: f"the {n} set" for n in blind_banks.BANKS}, **_ORIGINS}
    rows: list[tuple[Text, ...]] = [
        (words[name], f"{share['identified']} of {share['of']}") for name, share in told.items()
    ]
    yield Heading(2, "Right samplers, identified without being told")
    yield Paragraph(
        "Each is looked at without a word on what it should be. It is identified where an answer has the"
        " very updates of the declaration that its author held it against, every parameter in the"
        " letters of the step. Averages that a step keeps beside its iterate, and several steps or"
        " minibatches in one, are not looked for."
    )
    yield Table(("written", "identified with parameters"), tuple(rows), align="lr")
    if found["not_run"]:
        yield Paragraph(f"{len(found['not_run'])} of {found['planned']} were not run.")
    each: list[tuple[Text, ...]] = [
        (r["name"], r["framework"], r["like"], r["is"] or "not known", "yes" if r["right"] else "no")
        for r in found["samplers"]
    ]
    headers = ("sampler", "in", "like", "what the checker says that it is", "right")
    yield Details("What each is said to be", (Table(headers, tuple(each), align="lllll"),))


def _method(document: Document) -> Iterator[Block]:
    yield Heading(2, "How it was measured")
    yield Paragraph(
        "What an expert would call each fault was written down before the checker was run on it. A"
        " fault is detected where the sampler does not conform, and named right where the first"
        " diagnosis has those words. Names that were not foreseen but have provably the same law are"
        f" counted apart, with the reason. Budget: {document['budget']}. Made {document['made']}."
    )
    versions = {r["checker"] for r in document["samplers"]} - {document["checker"]}
    if versions:
        yield Paragraph(
            f"Some rows were made by {len(versions)} earlier versions of the checker; without --keep the"
            " command below makes them again."
        )
    yield Code(HOW, "sh", ("To run it again:",))
