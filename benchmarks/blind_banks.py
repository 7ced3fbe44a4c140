"""The blind banks on the bank's page: samplers by authors who had README alone, as first seen.

Rows are in ``first.json`` of each; whether a diagnosis names the fault was judged by hand, by the key's
sentence, and a row says why where it does not.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.check_bank import DETECTED, REFUSED
from reports.document import Block, Details, Heading, Paragraph, Table, Text

Row = Mapping[str, Any]
_FOLDERS = {"third": "bank3", "fourth": "bank4", "fifth": "bank5"}
BANKS = {name: Path(__file__).parents[1] / "examples" / folder for name, folder in _FOLDERS.items()}


def rows(bank: str) -> list[Row]:
    """What was said of each sampler at first sight; none where the bank is not here."""
    first = BANKS[bank] / "first.json"
    return list(json.loads(first.read_text(encoding="utf-8"))["samplers"]) if first.exists() else []


def counts(seen: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Detected, named (half names apart), right ones accepted, and right ones found without --like.

    What is refused, and a fault of which nothing is said, is not detected and not accepted.

    >>> one = {"right": False, "verdict": "deviates", "named": "half"}
    >>> list(counts([one, {**one, "verdict": "inconclusive", "named": "no"}]).values())
    [(1, 2), (0, 2), (1, 2), (0, 0), (0, 0)]
    """
    faulty, right = [r for r in seen if not r["right"]], [r for r in seen if r["right"]]
    found = [r for r in seen if r.get("identified")]
    return {
        "detected": (sum(r["verdict"] in DETECTED for r in faulty), len(faulty)),
        "named": (sum(r["named"] == "yes" for r in faulty), len(faulty)),
        "named or half": (sum(r["named"] in ("yes", "half") for r in faulty), len(faulty)),
        "accepted": (sum(r["verdict"] == "conforms" for r in right), len(right)),
        "identified": (sum(r["identified"]["right"] for r in found), len(found)),
    }


def blocks(bank: str, seen: Sequence[Row]) -> Iterator[Block]:
    """The section of a bank, where there are rows."""
    if not seen:
        return
    groups = {"all": list(seen)}
    groups |= {f: [r for r in seen if r["framework"] == f] for f in ("numpy", "torch", "jax")}
    told = {name: counts(some) for name, some in groups.items()}
    columns = tuple(told["all"])
    table: list[tuple[Text, ...]] = [
        (name, *(_cell(of[c]) for c in columns), f"{_cpu(groups[name]):.0f} s")
        for name, of in told.items()
    ]
    right = sum(r["right"] for r in seen)
    yield Heading(2, f"The {bank} set, at first sight")
    yield Paragraph(
        f"{len(seen) - right} faulty and {right} right samplers, written from README alone by someone"
        " who did not know the checker, as libraries would write them: half in PyTorch and JAX, a third"
        " with schedules, groups, clipping, averages, masks or micro-batches. Each was held against its"
        " declaration once, by a version of the checker that was frozen before. What it refused counts"
        " as not detected and not accepted. A name is half right where it says what is wrong but not"
        " how, or only where."
    )
    headers = ("", *columns, "median CPU")
    yield Table(headers, tuple(table), align="l" + "r" * (len(headers) - 1))
    corrected = [r for r in seen if r.get("corrected")]
    if corrected:
        yield Paragraph(
            f"{len(corrected)} of them could not know from README what a step is handed or called; with"
            f" that corrected, {_corrected(corrected)}."
        )
    yield from _later(bank, seen)
    each: list[tuple[Text, ...]] = [
        (r["file"], r["fault"] or "right", r["verdict"], r["says"], r["named"] or "", r.get("why", ""))
        for r in seen
    ]
    headers = ("sampler", "what is wrong", "verdict", "what the checker said", "named", "why")
    yield Details("Each of them", (Table(headers, tuple(each), align="llllll"),))


def _later(bank: str, seen: Sequence[Row]) -> Iterator[Block]:
    """What a later version of the checker says of those that were run again."""
    again = [r for r in seen if r.get("later")]
    unnamed = [r for r in again if not r["right"] and r["named"] != "yes"]
    if not unnamed:
        return
    every = sum(not r["right"] and r["named"] != "yes" for r in seen)
    whole = counts(seen)["named"]
    named, half = (sum(r["later"]["named"] == word for r in unnamed) for word in ("yes", "half"))
    right = [r["later"]["verdict"] == "conforms" for r in again if r["right"]]
    yield Heading(3, f"A later look at the {bank} set")
    yield Paragraph(
        f"The checker was mended since, by kinds of faults. {len(again)} of them were run again as they"
        f" stand, among them {len(unnamed)} of the {every} faults that it did not name at first: now it"
        f" names {named} of these, and {half} by half. With those named at first, taken as they were,"
        f" that is {whole[0] + named} of {whole[1]}; these are no figures of a first look."
        + (f" Of {len(right)} right ones run again {sum(right)} are accepted." if right else "")
    )
    rows: list[tuple[Text, ...]] = [
        (r["file"], r["fault"], r["named"], r["later"]["named"], r["later"]["says"]) for r in unnamed
    ]
    headers = ("sampler", "what is wrong", "named first", "named later", "what the checker says later")
    yield Details(
        "Each of those that were not named at first", (Table(headers, tuple(rows), align="lllll"),)
    )


def _cell(share: tuple[int, int]) -> str:
    return "{} of {}".format(*share) if share[1] else "–"


def _cpu(seen: Sequence[Row]) -> float:
    return statistics.median([r["cpu"] for r in seen if r["verdict"] != REFUSED] or [0.0])


def _corrected(some: Sequence[Row]) -> str:
    """In words: how many are then judged right."""
    told = counts([{**r, **r["corrected"]} for r in some])
    (accepted, right), (detected, faulty) = told["accepted"], told["detected"]
    return (
        f"{accepted} of {right} right ones are accepted, and of {faulty} faulty ones"
        f" {detected} are detected and {told['named'][0]} named"
    )
