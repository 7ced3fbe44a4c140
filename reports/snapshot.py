"""All verdicts as Markdown, a file to each paper, kept in ``reports/snapshot``: a diff shows changes.

``python -m reports.snapshot`` judges every claim and writes the files anew; ``python -m reports.snapshot
VERDICTS.json`` takes the verdicts of a run that there is.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reports.pages.paper import about, citation
from reports.pages.row import COUNTED, Row
from sgtheory.files.writing import try_folder
from sgtheory.files.writing import write as put
from verification.statements.entry import STANDS

FOLDER = Path(__file__).with_name("snapshot")
_COLUMNS = ("claim", "where", "stands", "verdict", "for the discrete algorithm")
_HEAD = (f"| {' | '.join(_COLUMNS)} |", f"| {' | '.join([':---'] * len(_COLUMNS))} |")


def snapshot(rows: Sequence[Row]) -> Mapping[str, str]:
    """The text of each file by its name."""
    papers: dict[str, list[Row]] = {}
    for row in rows:
        papers.setdefault(row.paper, []).append(row)
    return {f"{key}.md": _paper(key, some) for key, some in papers.items()}


def line_of(row: Row) -> str:
    """A claim's line.

    >>> line_of(Row("p.eq1", "p", "Eq. 1", "A law", "sgd", "proved", "limit-only", 3, 3))
    '| p.eq1 | Eq. 1 | printed | proved | limit-only |'
    """
    running = row.running.said if row.running else ""
    cells = (row.id, row.at, row.stands, row.said.said, running)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _paper(key: str, rows: Sequence[Row]) -> str:
    paper, counts = about(key), Counter((row.stands, row.counted) for row in rows)
    words = [f"{citation(paper)} {len(rows)} claims."]
    for s in STANDS:
        tally = ", ".join(f"{counts[s, w]} {w.said}" for w in COUNTED if counts[s, w])
        words += [f"{s.capitalize()}: {tally}."] if tally else []
    lines = (f"# {paper.title}", "", " ".join(words), "", *_HEAD, *map(line_of, rows))
    return "\n".join(lines) + "\n"


def write(rows: Sequence[Row], folder: Path = FOLDER) -> None:
    """Write all files."""
    try_folder(folder)
    for name, text in snapshot(rows).items():
        put(folder / name, text)


def of_document(verdicts: Mapping[str, Any]) -> list[Row]:
    """The rows of a verdict file of all papers, in the order of the papers' claims."""
    from verification.library import all_claims

    found = {one["id"]: one for one in verdicts["claims"]}
    rows = []
    for claim in all_claims():
        one = found[claim.id]
        running, twins = one.get("discrete", {}), one["twins"]
        more = (twins["tried"], twins["rejected"], one.get("scope") or "")
        row = Row.of_claim(claim, one["verdict"], running.get("verdict"), *more)
        rows.append(replace(row, read_scope=running.get("scope") or ""))
    return rows


def main(given: Sequence[str]) -> None:
    """Judge every claim, with verdicts that are kept, or read them; and write."""
    if given:
        write(of_document(json.loads(Path(given[0]).read_text("utf-8"))))
        return
    from simulators.engines import processors
    from verification.judging.keeping import verdicts_kept
    from verification.library import all_claims

    found = verdicts_kept(all_claims(), jobs=processors(), seed=1)
    write([Row.of_verdict(verdict) for verdict in found])


if __name__ == "__main__":
    main(sys.argv[1:])
