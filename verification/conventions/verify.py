"""Run the libraries that are installed against their entries, and record what came of it.

``python -m verification.conventions.verify blackjax posteriors`` runs these two, and
``--board results.json`` takes what a scoreboard has run. Either writes ``verified.json`` beside this
file: for each entry the version that ran, the verdict of a check of the declared update, and a digest of
the declaration, without which the record would outlive it.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.files.writing import write
from verification.checking import check
from verification.checking.judging import Conformance
from verification.conventions import entry, libraries
from verification.conventions.cards import RECORD
from verification.conventions.record import Library, Series

SCHEMA = "sgtheory.conventions/1"
LIMIT = 1800.0  # seconds for a problem
COUNT = 3  # inner steps of a series that is run


def names_of(library: Library) -> list[str]:
    """What is run of a library: an entry each, of a series the member with a few inner steps."""
    counted = [(e.name, f":{COUNT}" if isinstance(e, Series) else "") for e in library.entries]
    return [f"{library.name}.{name}{word}" for name, word in counted]


def run(name: str, library: Library, budget: str) -> dict[str, Any] | None:
    """The record of one entry; None where there is nothing to run."""
    found = entry(name)
    if not found.target:
        return None
    try:
        done = check(name, budget=budget, limit=LIMIT, wide=False)
    except (UnusableInput, NotAffine) as error:  # no law to hold it against: nothing is recorded
        print(f"{name} not checked: {error}", flush=True)
        return None
    return {
        "version": version(library.package),
        "verdict": done.verdict,
        "words": words(done, budget),
        "digest": found.digest,
        "budget": budget,
        "seed": done.seed,
        "false_alarm": done.false_alarm,
        "power": {"relative_error_of_a_variance": done.effect, "probability": done.power},
        "diagnosis": [d.to_json() for d in done.diagnosis],
        "tests": sum(len(o.comparison.tests) for o in done.outcomes if o.comparison is not None),
        "chains": max(o.measured.chains for o in done.outcomes),
    }


def words(done: Conformance, budget: str) -> str:
    """What a check rests on, in a line."""
    tests = sum(len(o.comparison.tests) for o in done.outcomes if o.comparison is not None)
    return f"{tests} tests on {len(done.outcomes)} problems, budget {budget}"


def resolved(power: dict[str, float]) -> str:
    """How large an error a check finds.

    >>> resolved({"relative_error_of_a_variance": 0.02})
    'which find an error of 2 % of a variance'
    """
    return f"which find an error of {100 * power['relative_error_of_a_variance']:g} % of a variance"


def taken(board: dict[str, Any], known: dict[str, Any]) -> None:
    """The rows of a scoreboard as records; one made for another declaration says so by its digest."""
    for row in board["rows"]:
        before = known["records"].get(row["name"], {})
        same = all(before.get(k) == row.get(k) for k in ("digest", "version"))
        if "digest" in row and "tests" in row and not (same and before["tests"] > row["tests"]):
            told = f"{row['tests']} tests on {row['problems']} problems, {resolved(row['power'])}"
            kept = (
                "version",
                "verdict",
                "digest",
                "diagnosis",
                "false_alarm",
                "power",
                "tests",
                "command",
            )
            known["records"][row["name"]] = {**{k: row[k] for k in kept}, "words": told}


def keep(known: dict[str, Any]) -> None:
    """Write the records."""
    text = json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False)
    write(RECORD, text + "\n")


def main(wanted: list[str], budget: str = "quick") -> None:
    """Run what is asked for, or every library that is installed."""
    known: dict[str, Any] = (
        json.loads(RECORD.read_text()) if RECORD.exists() else {"schema": SCHEMA, "records": {}}
    )
    if wanted[:1] == ["--board"]:
        taken(json.loads(Path(wanted[1]).read_text(encoding="utf-8")), known)
        keep(known)
        return
    for library in libraries().values():
        if (
            (wanted and library.name not in wanted)
            or not library.module
            or not find_spec(library.module)
        ):
            continue
        for name in names_of(library):
            record = run(name, library, budget)
            if record is not None:
                print(name, record["verdict"], record["words"], flush=True)
                known["records"][name] = record
                keep(known)


if __name__ == "__main__":
    main(sys.argv[1:])
