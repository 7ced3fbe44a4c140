"""The papers' figures and tables, made again from their printed settings. Found by scanning.

A file in a folder here has ``EXPERIMENT``, an ``Experiment``.
"""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.finding import suggest
from sgtheory.notation.display import Shown
from sgtheory.notation.sentence import sentence
from verification.experiments import datasets
from verification.experiments.job import SEED, Job, silent
from verification.experiments.record import LAPTOP, Experiment, Findings, verdict

__all__ = ["Experiment", "Result", "experiment", "experiments", "perform"]


@cache
def experiments() -> tuple[Experiment, ...]:
    """All of them, by paper and name."""
    found = []
    for folder in pkgutil.iter_modules(__path__):
        if folder.ispkg:
            package = importlib.import_module(f"{__name__}.{folder.name}")
            for module in pkgutil.iter_modules(package.__path__):
                made = importlib.import_module(f"{package.__name__}.{module.name}")
                if hasattr(made, "EXPERIMENT"):
                    found.append(made.EXPERIMENT)
    return tuple(sorted(found, key=lambda e: e.name))


def experiment(name: str) -> Experiment:
    """The one of that name."""
    found = {e.name: e for e in experiments()}
    if name not in found:
        remedy = suggest.remedy(name, found, "see sgtheory list experiments")
        raise UnusableInput("the name of an experiment", name, remedy)
    return found[name]


def check_files(files: Mapping[str, str], chosen: Sequence[Experiment]) -> None:
    """Refuse a user's data set that no experiment uses, or that cannot be read: before long work."""
    used = [name for e in chosen for name in e.sets]
    for name in files:
        if name not in used:
            known = ", ".join(dict.fromkeys(used)) or "no data set"
            whose = chosen[0].name if len(chosen) == 1 else "the experiments"
            raise UnusableInput(f"a data set that {whose} uses ({known})", name, "leave it out")
        datasets.load(name, files)


@dataclass(repr=False, frozen=True)
class Result(Shown):
    """An experiment with what came out of it and the verdict."""

    experiment: Experiment
    scale: str
    seed: int
    findings: Findings
    word: str
    sentence: str
    seconds: float = field(default=0.0, compare=False)
    files: tuple[str, ...] = ()  # names of the user's own data sets

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.experiment/1."""
        found = self.findings
        return {
            "schema": "sgtheory.experiment/1",
            "name": self.experiment.name,
            "paper": self.experiment.paper,
            "locator": self.experiment.locator,
            "title": self.experiment.title,
            "scale": self.scale,
            "seed": self.seed,
            "verdict": self.word,
            "sentence": self.sentence,
            "settings": [vars(s) for s in self.experiment.settings],
            "missing": [s.name for s in self.experiment.missing],
            "data": [sentence(words) for words in found.data],
            "comparisons": [
                {
                    "what": c.what,
                    "printed": c.printed,
                    "ours": c.ours.to_json(),
                    "theory": c.theory.to_json() if c.theory else None,
                    "agrees": c.agrees,
                }
                for c in found.comparisons
            ],
            "agreements": [
                {
                    "what": a.what,
                    "measured": a.measured.to_json(),
                    "exact": a.exact.to_json(),
                    "agrees": a.agrees,
                }
                for a in found.agreements
            ],
            "shapes": [
                {k: sentence(v) if isinstance(v, str) else v for k, v in vars(s).items()}
                for s in found.shapes
            ],
            "contradictions": [
                {
                    "formula": c.formula,
                    "words": sentence(c.words),
                    "by_formula": c.by_formula.to_json(),
                    "printed": c.printed.to_json(),
                    "contradicts": c.contradicts,
                }
                for c in found.contradictions
            ],
            "notes": [sentence(note) for note in found.notes],
        }


def perform(
    name: str,
    scale: str = LAPTOP,
    *,
    seed: int = SEED,
    device: str = "cpu",
    files: Mapping[str, str] | None = None,
    tell: Callable[[str, float], None] = silent,
    keep: bool = True,
) -> Result:
    """Run an experiment at a scale and say what came out."""
    chosen, began = experiment(name), time.perf_counter()
    if scale not in chosen.scales:
        raise UnusableInput(f"a scale: {', '.join(chosen.scales)}", scale, "choose one")
    check_files(files or {}, (chosen,))
    job = Job(name, scale, chosen.scales[scale], seed, device, files or {}, tell, keep)
    found = chosen.run(job)
    word, sentence = verdict(chosen, found)
    seconds, own = time.perf_counter() - began, tuple(sorted(files or {}))
    return Result(chosen, scale, seed, found, word, sentence, seconds, own)
