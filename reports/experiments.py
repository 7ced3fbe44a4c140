"""What the papers' experiments came to, as it is kept with the sources: a report need not run them.

``python -m reports.experiments [NAME ...]`` runs some, or all, at laptop scale and writes them to
``reports/snapshot``.
Drawings are not kept; ``sgtheory experiment NAME`` makes them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from sgtheory.files.writing import write
from verification.experiments import Result, experiment, experiments, perform
from verification.experiments.record import (
    Agreement,
    Amount,
    Comparison,
    Contradiction,
    Findings,
    Shape,
    verdict,
)

FILE = Path(__file__).with_name("snapshot") / "experiments.json"
SCHEMA = "sgtheory.experiments-kept/1"
_KINDS: Mapping[str, Any] = {
    "comparisons": Comparison, "agreements": Agreement, "shapes": Shape, "contradictions": Contradiction,
}  # fmt: skip


def kept_results(papers: Sequence[str] | None = None, file: Path = FILE) -> tuple[Result, ...]:
    """The results that are kept, of some papers or of all; those that no paper has come with all."""
    found = [_result(d) for d in json.loads(file.read_text("utf-8"))["experiments"]]
    return tuple(r for r in found if papers is None or r.experiment.paper in papers)


def document(results: Sequence[Result]) -> dict[str, Any]:
    """Results as they are kept."""
    told = [
        {"name": r.experiment.name, "scale": r.scale, "seed": r.seed, "verdict": r.word,
         "findings": _plain(r.findings)}
        for r in results
    ]  # fmt: skip
    return {"schema": SCHEMA, "experiments": told}


def _plain(found: Findings) -> dict[str, Any]:
    """All but the drawings, and nothing that is empty."""
    held = {f.name: getattr(found, f.name) for f in fields(found) if f.name != "plots"}
    return {n: [asdict(part) for part in v] if n in _KINDS else v for n, v in held.items() if v}


def _result(told: Mapping[str, Any]) -> Result:
    """A result; its verdict follows from its numbers again."""
    chosen = experiment(told["name"])
    held: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in told["findings"].items()
    }
    held |= {k: tuple(_of(kind, part) for part in held.get(k, ())) for k, kind in _KINDS.items()}
    found = Findings(plots=(), **held)
    return Result(chosen, told["scale"], told["seed"], found, *verdict(chosen, found))


def _of(kind: Any, part: Mapping[str, Any]) -> Any:
    return kind(**{k: Amount(**v) if isinstance(v, dict) else v for k, v in part.items()})


def main(names: Sequence[str]) -> None:
    """Run some, or all, and write each as it is done; the others stay as they are."""
    results = {r.experiment.name: r for r in kept_results()} if FILE.exists() else {}
    for name in names or [one.name for one in experiments()]:
        results[name] = perform(name)
        print(name, results[name].word, f"{results[name].seconds:.0f} s", flush=True)
        told = document([results[key] for key in sorted(results)])
        text = json.dumps(told, indent=1, ensure_ascii=False, default=lambda number: number.item())
        write(FILE, text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
