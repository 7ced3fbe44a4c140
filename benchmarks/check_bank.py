"""How well the checker finds faults: the whole bank of samplers, right ones and faulty ones.

``python -m benchmarks.check_bank [--budget quick] [--only NAMES] [--jobs 2] [--out FILE]``. Each sampler
is checked in a process of its own with a time limit. What FILE has already is not run again unless the
sampler or the checker has changed (``--keep``: whatever the checker); what it said is judged anew each
time. Samplers whose library is absent are listed.

A faulty sampler is detected where the verdict is not that it conforms, and named right where the first
diagnosis has words that were written down before (tests/verification/checking/bank/expected*.py). Other
names that are provably the same law are counted apart, with the reason (bank/same_law.py).
``--first FILE`` keeps beside each row what an earlier checker said when it first saw the sampler.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tests.verification.checking.bank.entry import Entry, entries

SCHEMA = "sgtheory.check_bank/1"
ROOT = Path(__file__).parents[1]
LIMIT = 600.0  # seconds for one sampler
CONFIDENCE = 0.95
REFUSED = "refused"  # by the checker, which cannot hold anything against such a sampler
DETECTED = ("deviates", "crashed")

Row = dict[str, Any]


def checked(entry: Entry, budget: str) -> Row:
    """The checker's word on a sampler, in this process."""
    from sgtheory.errors import UnusableInput
    from verification.checking import check

    settings: dict[str, Any] = {
        "kind": entry.kind,
        "budget": entry.budget or budget,
        "limit": entry.limit,
    }
    try:
        found = check(entry.address, entry.like, **settings)
    except UnusableInput as refusal:  # there is no such check, which is neither right nor wrong
        return {"verdict": REFUSED, "diagnosis": [], "error": str(refusal)}
    told = [{"name": d.name, "words": d.words, "formula": d.formula} for d in found.diagnosis]
    return {"verdict": found.verdict, "diagnosis": told}


def row(entry: Entry, budget: str, run: Callable[[Entry, str], Row]) -> Row:
    """A sampler, what is expected, what was found, and whether they fit."""
    began = time.perf_counter()
    found = run(entry, budget)
    seconds = round(time.perf_counter() - began, 1)
    used = entry.budget or budget
    return judged(entry, {**found, "seconds": seconds, "budget": used, "digest": entry.digest})


def judged(entry: Entry, found: Row) -> Row:
    """What was found, held against what is expected now."""
    calls = [f"{d['name']}: {d['words']}" for d in found["diagnosis"]]
    named = bool(calls) and entry.named_by(calls[0])
    why = entry.same_law(calls[0]) if calls and not named else ""
    return {
        **found,
        "name": entry.name,
        "origin": entry.origin,
        "file": entry.where.partition(":")[0],
        "framework": entry.framework,
        "like": entry.like,
        "group": entry.group,
        "right": entry.right,
        "fault": entry.fault,
        "expected": list(entry.names),
        "detected": found["verdict"] in DETECTED,
        "accepted": found["verdict"] == "conforms",
        "named": named,
        "same_law": why,
        "explained": named or bool(why),
        "named_among": any(entry.named_by(c) for c in calls),
    }


def apart(entry: Entry, budget: str) -> Row:
    """Checked in a process of its own, which ends with all that it started when its time is up."""
    command = [sys.executable, "-m", "benchmarks.check_bank", "--one", entry.where, "--budget", budget]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        try:
            said, complaint = child.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return {"verdict": "no verdict", "diagnosis": [], "error": f"no verdict in {LIMIT:g} s"}
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
    if child.returncode:
        last = (complaint.strip().splitlines() or ["it said nothing"])[-1]
        return {"verdict": "no verdict", "diagnosis": [], "error": last}
    found: Row = json.loads(said.strip().splitlines()[-1])
    return found


def checker() -> str:
    """A digest of the checker: rows that another one made are made again."""
    files = sorted((ROOT / "verification" / "checking").rglob("*.py"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:16]


def table(
    every: Sequence[Entry],
    budget: str,
    *,
    only: frozenset[str] = frozenset(),
    before: Mapping[str, Any] | None = None,
    jobs: int = 1,
    whoever: bool = False,
    keep: Callable[[Row], None] = lambda _: None,
    run: Callable[[Entry, str], Row] = apart,
) -> Row:
    """The document: all samplers, those known already taken from an earlier one."""
    by = checker()
    rows = _known(every, budget, before or {}, "" if whoever else by)
    due = [
        e
        for e in every
        if not e.absent
        and e.where not in rows
        and (not only or only & {e.name, e.framework, e.group, e.where})
    ]

    def document() -> Row:
        found = [judged(e, rows[e.where]) for e in every if e.where in rows]
        absent = {e.where: e.absent for e in every if e.absent and e.where not in rows}
        return {
            "schema": SCHEMA, "made": time.strftime("%Y-%m-%d"), "budget": budget, "checker": by,
            "planned": len(every), "absent": absent, "summary": summary(found), "samplers": found,
        }  # fmt: skip

    with ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(row, e, budget, run): e for e in due}
        for done in as_completed(waiting):
            entry = waiting[done]
            rows[entry.where] = {**done.result(), "checker": by}
            looked_at_first(rows, before or {}, by)
            print(line(rows[entry.where]), file=sys.stderr, flush=True)
            keep(document())
    return document()


def looked_at_first(rows: dict[str, Row], earlier: Mapping[str, Any], by: str) -> None:
    """Keep what another checker said of the same samplers when it saw them first."""
    for old in earlier.get("samplers", ()):
        where = f"{old['file']}:{old['name']}"
        row = rows.get(where)
        if row is None or "first" in row or old["digest"] != row["digest"]:
            continue
        own = {k: old[k] for k in ("checker", "verdict", "detected", "named", "accepted")}
        first = old.get("first") or own
        if first["checker"] != by:
            rows[where] = {**row, "first": first}


def _known(every: Sequence[Entry], budget: str, before: Mapping[str, Any], by: str) -> dict[str, Row]:
    """Rows of an earlier document that this checker, or where none is given any, made of the same."""
    old = {f"{r['file']}:{r['name']}": r for r in before.get("samplers", ())}
    return {
        e.where: old[e.where]
        for e in every
        if e.where in old
        and old[e.where]["digest"] == e.digest
        and (not by or old[e.where]["checker"] == by)
        and old[e.where]["budget"] == (e.budget or budget)
    }


def summary(rows: Sequence[Row]) -> Row:
    """How many were detected, named and accepted, with intervals: of all, by framework and by kind.

    Samplers that the checker refuses to check are not among them.
    """
    every = [r for r in rows if r["verdict"] != REFUSED]
    faulty = [r for r in every if not r["right"]]
    right = [r for r in every if r["right"]]

    def of(key: str, name: str) -> Row:
        faults = [r for r in faulty if r[key] == name]
        kept = {"accepted": [r for r in right if r[key] == name]} if key != "group" else {}
        return _shares({"detected": faults, "named": faults, "explained": faults, **kept})

    return {
        **_shares({"detected": faulty, "named": faulty, "explained": faulty, "accepted": right}),
        "origins": {o: of("origin", o) for o in dict.fromkeys(r["origin"] for r in every)},
        "first": _first([r for r in every if "first" in r and r["origin"] != "known"]),
        "frameworks": {f: of("framework", f) for f in sorted({r["framework"] for r in every})},
        "groups": {g: of("group", g) for g in dict.fromkeys(r["group"] for r in faulty)},
        "refused": [r["name"] for r in rows if r["verdict"] == REFUSED],
        "misnamed": [r["name"] for r in faulty if not r["named"]],
    }


def _first(rows: Sequence[Row]) -> Row:
    """What was said of them when they were seen first, by a checker that was changed since."""
    looks = [{**r["first"], "right": r["right"]} for r in rows]
    faulty, right = [r for r in looks if not r["right"]], [r for r in looks if r["right"]]
    return _shares({"detected": faulty, "named": faulty, "accepted": right}) if looks else {}


def _shares(of: Mapping[str, Sequence[Row]]) -> Row:
    return {what: _share(sum(r[what] for r in rows), len(rows)) for what, rows in of.items()}


def _share(hits: int, of: int) -> Row:
    """With a Clopper-Pearson interval."""
    from verification.statistics.rates import Rate

    if not of:
        return {"hits": 0, "of": 0, "interval": [0.0, 1.0]}
    low, high = Rate("", hits, of, CONFIDENCE, promised=1.0).interval
    return {"hits": hits, "of": of, "interval": [round(low, 4), round(high, 4)]}


def line(found: Mapping[str, Any]) -> str:
    """A line of progress."""
    if found["verdict"] == REFUSED:
        word = "refused"
    elif found["right"]:
        word = "accepted" if found["accepted"] else "REJECTED"
    else:
        word = "named" if found["named"] else "misnamed" if found["detected"] else "NOT DETECTED"
    calls = [f"{d['name']}: {d['words']}" for d in found["diagnosis"]]
    told = found.get("error") or (calls[0] if calls else "")
    return (
        f"{found['framework']:6s} {found['name']:32s} {word:12s} {found['seconds']:6.1f} s  {told[:160]}"
    )


def _one(where: str, budget: str) -> int:
    entry = next(e for e in entries() if e.where == where)
    print(json.dumps(checked(entry, budget)))
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check_bank", description=__doc__)
    parser.add_argument("--budget", default="quick")
    parser.add_argument(
        "--only", default="", help="names, frameworks or kinds, with commas between them"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="rows that another checker made")
    parser.add_argument("--first", type=Path, help="what an earlier checker said of some of them")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)  # of our own children
    given = parser.parse_args(arguments)
    if given.one:
        return _one(given.one, given.budget)
    only = frozenset(n for n in given.only.split(",") if n)
    before = json.loads(given.out.read_text("utf-8")) if given.out and given.out.exists() else None

    def keep(document: Row) -> None:
        if given.out:
            given.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    if given.first and before:
        known = {f"{r['file']}:{r['name']}": r for r in before["samplers"]}
        looked_at_first(known, json.loads(given.first.read_text("utf-8")), before["checker"])
        before["samplers"] = list(known.values())
    settings: dict[str, Any] = {"before": before, "jobs": given.jobs, "whoever": given.keep}
    found = table(entries(), given.budget, only=only, keep=keep, **settings)
    keep(found)
    if not given.out:
        print(json.dumps(found, indent=1))
    told = found["summary"]
    print({k: f"{v['hits']}/{v['of']}" for k, v in told.items() if "hits" in v}, file=sys.stderr)
    whole = told["detected"]["hits"] == told["detected"]["of"]
    return 0 if whole and told["accepted"]["hits"] == told["accepted"]["of"] else 1


if __name__ == "__main__":
    sys.exit(main())
