"""Which sampler should I use? Twelve samplers at equal cost on many kinds of linear regression.

``python -m benchmarks.which_sampler [--out FILE] [--only PLACE]`` searches the best numbers of every
sampler in every place (a shape of the noise, a batch size, a condition number, a dimension) with the
engine of ``advise``, and writes their exact errors. ``reports/guide/ec_which_sampler.py`` is made of
them. Places that are in the file already are left as they are.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

import sgtheory as sg
from sgtheory.advice import search
from sgtheory.advice.arms import Arm, arms_of
from sgtheory.advice.budget import Budget
from sgtheory.advice.caring import Care
from sgtheory.advice.posed import Posed
from sgtheory.files.writing import write

Array = np.ndarray[Any, Any]

KEPT = Path(__file__).parent.parent / "reports" / "guide" / "which_sampler.json"
N, PASSES, SEED = 1000, 100, 5
CONDITIONS, DIMENSIONS, BATCHES = (1, 30, 1000), (3, 20), (1, 32)
NOISES = {
    "as the model says": "residuals have the variance that the posterior is computed with",
    "larger than the model says": "residuals have nine times that variance",
    "unlike the curvature": "residuals are large where the weakest direction of the data is",
}
SAMPLERS = (
    "sgld", "sgldfp", "sghmc", "sghmc_velocity_first", "sgd_m", "sgd", "sgd_square_root", "momentum",
    "nesterov", "lmc", "underdamped:BAOAB", "underdamped:OBABO",
)  # fmt: skip
_EVALUATIONS = 15  # of a simplex, after the grid
_NEAR = 0.3  # arms whose logarithm of the error is so near the best one's are searched further


@dataclass(frozen=True)
class Place:
    """One kind of problem."""

    noise: str
    batch: int
    condition: int
    dimension: int

    @property
    def name(self) -> str:
        """Such as ``as the model says, S 32, condition 30, D 3``."""
        return f"{self.noise}, S {self.batch}, condition {self.condition}, D {self.dimension}"

    @classmethod
    def of(cls, row: dict[str, Any]) -> Place:
        """That of a row."""
        return cls(**{field.name: row[field.name] for field in fields(cls)})

    def problem(self) -> sg.Problem:
        """Linear regression of this kind, turned so that no coordinate is a mode."""
        rng = np.random.default_rng(SEED)
        D = self.dimension
        Z = np.linalg.qr(rng.normal(size=(N, D)))[0] * np.sqrt(N)
        Z *= np.sqrt(np.geomspace(1, 1 / self.condition, D))
        scale: Any = 3.0 if self.noise == "larger than the model says" else 1.0
        if self.noise == "unlike the curvature":
            weak = Z[:, -1] ** 2
            scale = np.sqrt(weak / weak.mean())
        X = Z @ np.linalg.qr(rng.normal(size=(D, D)))[0].T
        y = X @ rng.normal(size=D) + scale * rng.normal(size=N)
        return sg.Problem.of({"model": "linear_regression", "X": X, "y": y, "ridge": 1})


def places() -> list[Place]:
    """All of them."""
    return [
        Place(noise, batch, condition, dimension)
        for noise in NOISES
        for batch in BATCHES
        for condition in CONDITIONS
        for dimension in DIMENSIONS
    ]


def solved(place: Place, names: tuple[str, ...] = SAMPLERS) -> dict[str, Any]:
    """The least error of every sampler in a place, with its parts and numbers; best first."""
    posed = Posed.of(place.problem(), None)
    care, budget = Care.about("both", None, posed), Budget.of(posed.N, place.dimension, PASSES)
    found: dict[str, Any] = {}
    for name in names:
        arms = [
            arm
            for fixed in _fixed(name, posed)
            for arm in _arms(name, posed, care, budget, fixed, place)
        ]
        coarse = [search.coarse(arm) for arm in arms]
        least = min(f.value for f in coarse)
        near = [f for f in coarse if np.isfinite(f.value) and f.value < least + _NEAR]
        options = [search.chosen(search.downhill(f, _EVALUATIONS)) for f in near]
        good = [o for o in options if o is not None]
        if not good:
            found[name] = None
            continue
        best = min(good, key=lambda o: o.error.value)
        error = {k: float(f"{x:.4g}") for k, x in best.error.to_json().items()}
        params = {k: float(f"{x:.4g}") for k, x in best.params.items()}
        found[name] = {**error, "gain": best.gain, "params": params}
    order = sorted(found, key=lambda n: found[n]["value"] if found[n] else np.inf)
    return {name: found[name] for name in order}


def _arms(
    name: str, posed: Posed, care: Care, budget: Budget, fixed: dict[str, Any], place: Place
) -> list[Arm]:
    batch = {} if name == "lmc" else {"S": place.batch}
    return arms_of(name, posed, care, budget, fixed | batch, None)


def _fixed(name: str, posed: Posed) -> list[dict[str, Any]]:
    """Numbers that are not searched: critical frictions, of the slowest and of the middle direction."""
    if not name.startswith("underdamped"):
        return [{}]
    frequencies = np.sqrt(posed.N * np.linalg.eigvalsh(posed.curvature))
    return [{"gamma": float(f"{2 * f:.3g}")} for f in sorted({frequencies[0], np.median(frequencies)})]


def main() -> None:
    """Write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=KEPT)
    parser.add_argument("--only", help="a place, by its name")
    asked = parser.parse_args()
    begun = time.process_time()
    rows = json.loads(asked.out.read_text())["rows"] if asked.out.exists() else []
    for place in places():
        if asked.only not in (None, place.name):
            continue
        done = [r for r in rows if Place.of(r) == place]
        if done and asked.only is None:
            continue
        rows = [r for r in rows if r not in done] + [{**vars(place), "samplers": solved(place)}]
        rows.sort(key=lambda r: places().index(Place.of(r)))
        print(f"{time.process_time() - begun:6.0f} s  {place.name}", flush=True)
        document = {
            "schema": "sgtheory.which_sampler/1",
            "command": "python -m benchmarks.which_sampler",
            "N": N,
            "passes": PASSES,
            "noises": NOISES,
            "rows": rows,
        }
        write(asked.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
