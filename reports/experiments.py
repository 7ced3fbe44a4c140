"""What the papers' experiments came to, as it is kept with the sources: a report need not run them.

``python -m reports.experiments [NAME ...]`` runs some, or all, at laptop scale and writes them to
``reports/snapshot``: numbers from which verdicts follow again, and beside them what is drawn.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any

from sgtheory.files.writing import write
from verification.experiments import Result, experiment, experiments, perform
from verification.experiments.record import (
    Agreement,
    Amount,
    Clouds,
    Comparison,
    Contradiction,
    Findings,
    Heat,
    Line,
    Plot,
    Shape,
    verdict,
)

FILE = Path(__file__).with_name("snapshot") / "experiments.json"
PLOTS = FILE.with_name("plots")  # a file of drawings to each experiment that has some
SCHEMA = "sgtheory.experiments-kept/1"
_DRAWINGS: Mapping[str, Any] = {kind.__name__.lower(): kind for kind in (Plot, Clouds, Heat)}
_DIGITS = 6  # of numbers that are drawn
_KINDS: Mapping[str, Any] = {
    "comparisons": Comparison, "agreements": Agreement, "shapes": Shape, "contradictions": Contradiction,
}  # fmt: skip


@cache
def kept_result(name: str) -> Result:
    """One of them, by its experiment's name."""
    return {r.experiment.name: r for r in kept_results()}[name]


def showing(claim: str) -> tuple[Result, ...]:
    """The results of the experiments that a claim's id is named by: figures and tables that it is on."""
    names = [e.name for e in experiments() if claim in e.ids]
    return tuple(kept_result(name) for name in names)


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
    found = Findings(plots=plots_of(told["name"]), **held)
    return Result(chosen, told["scale"], told["seed"], found, *verdict(chosen, found))


def _of(kind: Any, part: Mapping[str, Any]) -> Any:
    return kind(**{k: Amount(**v) if isinstance(v, dict) else v for k, v in part.items()})


def plots_of(name: str, folder: Path = PLOTS) -> tuple[Any, ...]:
    """What is drawn of an experiment."""
    file = folder / f"{name}.json"
    return tuple(map(_drawing, json.loads(file.read_text("utf-8")))) if file.exists() else ()


def _drawing(told: Mapping[str, Any]) -> Any:
    held = {key: _numbers(value) for key, value in told.items() if key != "kind"}
    if "lines" in held:
        held["lines"] = tuple(Line(**line) for line in held["lines"])
    return _DRAWINGS[told["kind"]](**held)


def _numbers(value: Any) -> Any:
    """As it is read: tuples, and no number where there is none."""
    if isinstance(value, list):
        return tuple(map(_numbers, value))
    if isinstance(value, dict):
        return {key: _numbers(inner) for key, inner in value.items()}
    return math.nan if value is None else value


def told_plots(plots: Sequence[Any]) -> str:
    """Drawings as they are kept, one to a line; what is false or empty is left out."""
    lines = []
    for plot in plots:
        held = {f.name: _short(getattr(plot, f.name)) for f in fields(plot)}
        told = {"kind": type(plot).__name__.lower(), **{k: v for k, v in held.items() if v}}
        lines.append(json.dumps(told, ensure_ascii=False, separators=(",", ":")))
    return "[" + ",\n".join(lines) + "]\n"


def _short(value: Any) -> Any:
    if isinstance(value, Line):
        return {k: v for f in fields(value) if (v := _short(getattr(value, k := f.name))) or k in "xy"}
    if isinstance(value, Mapping):
        return {key: _short(inner) for key, inner in value.items()}
    if isinstance(value, str | bool | int):
        return value
    if hasattr(value, "__iter__"):
        return [_short(inner) for inner in value]
    number = float(value)
    return float(f"{number:.{_DIGITS}g}") if math.isfinite(number) else None


def main(names: Sequence[str]) -> None:
    """Run some, or all, and write each as it is done; the others stay as they are."""
    results = {r.experiment.name: r for r in kept_results()} if FILE.exists() else {}
    for name in names or [one.name for one in experiments()]:
        results[name] = perform(name)
        print(name, results[name].word, f"{results[name].seconds:.0f} s", flush=True)
        told = document([results[key] for key in sorted(results)])
        text = json.dumps(told, indent=1, ensure_ascii=False, default=lambda number: number.item())
        write(FILE, text + "\n")
        if results[name].findings.plots:
            write(PLOTS / f"{name}.json", told_plots(results[name].findings.plots))


if __name__ == "__main__":
    main(sys.argv[1:])
