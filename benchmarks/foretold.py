"""Is the error that ``advise`` foretells the one that 1,000 runs have, and is its choice the best?

``python -m benchmarks.foretold --data FOLDER [--only NAME] [--keep-grids] [--out FILE]`` reads
``adult.data`` and ``adult.test`` (UCI, Adult), ``winequality-red-4.dat`` (KEEL), ``diamonds.csv``
(ggplot2), ``skin.npz`` and ``mnist.npz`` from a folder, and white wines and proteins (UCI) as they ship
with the experiments, asks ``advise`` about linear and logistic regression, runs what it chooses a
thousand times for each of several seeds, and holds its choice against the best of a grid of all
samplers' numbers. Rows are added to the file as they come; with ``--keep-grids`` the best of a grid is
that of the row that is there, which takes most of the time.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import sgtheory as sg
from sgtheory.advice import Advice
from sgtheory.advice.arms import Arm, arms_of
from sgtheory.advice.budget import Budget
from sgtheory.advice.posed import Posed
from sgtheory.files.writing import write
from simulators.advised import Checked, check
from verification.experiments import datasets

Array = np.ndarray[Any, Any]
Data = tuple[Array, Array]

KEPT = Path(__file__).with_name("results") / "foretold.json"
_CHAINS, _SEEDS = 1000, (1, 3, 5, 7)  # an extrapolated choice has two runs, with a seed each
_BATCHES, _SHARES = (1, 4, 32, 256), (0.1, 0.5)
_STEPS = 0.9 * 2.0 ** -np.arange(0, 10, 1)  # of the largest that is stable


def wine(folder: Path) -> Data:
    """4,898 white wines: eleven measurements, and their quality."""
    found = datasets.wine()
    return found.X, found.y


def protein(folder: Path) -> Data:
    """45,730 protein structures: nine properties, and how far each is from the true one."""
    found = datasets.protein()
    return found.X, found.y


def skin(folder: Path) -> Data:
    """245,057 pixels, skin or not; every second one."""
    found = np.load(folder / "skin.npz")
    return found["X"].astype(float)[::2], np.where(found["y"] == 1, 1.0, -1.0)[::2]


def digits(folder: Path) -> Data:
    """Threes and eights of MNIST: 30 principal components of their pixels."""
    found = np.load(folder / "mnist.npz")
    some = np.isin(found["train_y"], (3, 8))
    X = found["train_x"].reshape(-1, 784)[some] / 255.0
    X = X - X.mean(axis=0)
    axes = np.linalg.eigh(X.T @ X)[1][:, -30:]
    return X @ axes, np.where(found["train_y"][some] == 3, 1.0, -1.0)


def better(folder: Path) -> Data:
    """White wines: is their quality above 5?"""
    X, y = wine(folder)
    return X, np.where(y > 5, 1.0, -1.0)


def adult(folder: Path) -> Data:
    """45,222 people, nothing of whom is missing: does one earn more than 50,000 dollars a year?"""
    lines = [
        line.rstrip(".").split(", ")
        for name in ("adult.data", "adult.test")
        for line in (folder / name).read_text().splitlines()
        if line.count(", ") == 14 and "?" not in line
    ]
    columns = list(zip(*lines, strict=True))
    measured = [np.array(columns[k], float) for k in (0, 2, 4, 10, 11, 12)]
    named = [np.array(columns[k]) for k in (1, 3, 5, 6, 7, 8, 9)]
    return _design(measured, named), np.where(np.array(columns[14]) == ">50K", 1.0, -1.0)


def diamonds(folder: Path) -> Data:
    """53,940 diamonds: their sizes, cut, colour and clarity, and their price."""
    rows = list(csv.DictReader((folder / "diamonds.csv").open()))
    names = ("price", "carat", "depth", "table", "x", "y", "z")
    price, *measured = (np.array([row[name] for row in rows], float) for name in names)
    named = [np.array([row[name] for row in rows]) for name in ("cut", "color", "clarity")]
    return _design(measured, named), price


def red(folder: Path) -> Data:
    """1,599 red wines: ten measurements, and their alcohol."""
    rows = np.genfromtxt(folder / "winequality-red-4.dat", delimiter=",", usecols=range(11))
    return rows[:, :10], rows[:, 10]


def _design(measured: list[Array], named: list[Array]) -> Array:
    """Measurements, and a column for each word that one row in a hundred has, but for the commonest.

    Columns that an intercept and those before them make up are left out.
    """
    columns = list(measured)
    for words in named:
        each, counts = np.unique(words, return_counts=True)
        columns += [
            (words == word).astype(float)
            for word, count in zip(each, counts, strict=True)
            if len(words) <= 100 * count < 100 * counts.max()
        ]
    basis, kept = [np.full(len(columns[0]), len(columns[0]) ** -0.5)], []
    for column in columns:
        rest = column - np.mean(column)
        size = np.linalg.norm(rest)
        for _ in range(2):
            rest = rest - np.array(basis).T @ (np.array(basis) @ rest)
        if (left := np.linalg.norm(rest)) > 1e-6 * size:
            basis.append(rest / left)
            kept.append(column)
    return np.column_stack(kept)


CASES: Mapping[str, tuple[str, Callable[[Path], Data], float]] = {
    "wine": ("linear", wine, 20),
    "protein": ("linear", protein, 4),
    "red wine": ("linear", red, 20),
    "diamonds": ("linear", diamonds, 4),
    "skin": ("linear", skin, 1),
    "digits 3 and 8": ("linear", digits, 10),
    "wine above 5": ("logistic", better, 20),
    "skin or not": ("logistic", skin, 1),
    "adult": ("logistic", adult, 4),
    "3 or 8": ("logistic", digits, 10),
}


def problem(kind: str, X: Array, y: Array) -> sg.Problem:
    """A regression on standard scores and an intercept; a linear one has its residuals' variance."""
    X = np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / X.std(axis=0)])
    if kind == "logistic":
        return sg.Problem.of({"model": "logistic_regression", "X": X, "y": y.astype(int), "ridge": 1})
    rest = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    content = {"model": "linear_regression", "X": X, "y": y, "ridge": 1}
    return sg.Problem.of(content | {"sigma2": float(rest.var())})


def grid(found: Advice, posed: Posed, passes: float) -> tuple[float, str, int]:
    """The least error of a grid of all samplers' numbers, whose it is, and how many there were."""
    budget = Budget.of(posed.N, posed.asked.D, passes)
    least, whose, count = np.inf, "", 0
    for name in dict.fromkeys(option.sampler for option in found.options):
        for arm in arms_of(name, posed, found.care, budget, {}, None):
            for numbers in _numbers(arm):
                one = arm.tried(numbers, final=True)
                count += 1
                if one is not None and one[0].value < least:
                    told = ", ".join(f"{k} = {float(x):.3g}" for k, x in numbers.items())
                    least, whose = one[0].value, f"{name} {arm.gain}: {told}"
    return least, whose, count


def _numbers(arm: Arm) -> list[dict[str, Fraction]]:
    step = arm.sampler.step.name
    others = [n for n in arm.free if n != step]
    found = []
    for values in itertools.product(*(_BATCHES if n == "S" else _SHARES for n in others)):
        chosen = {n: Fraction(x) for n, x in zip(others, values, strict=True)}
        limit = arm.limit(chosen)
        found += [{**chosen, step: Fraction(limit * share)} for share in _STEPS]
    return found


def row(name: str, folder: Path, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What was foretold, what was measured, and the best of the grid, or of that of a row before."""
    kind, read, passes = CASES[name]
    asked = problem(kind, *read(folder))
    _ = asked.examples  # the mode is found once
    begun = time.process_time()
    advice = sg.advise(asked, passes=passes)
    taken = time.process_time() - begun
    ran = [check(advice, chains=_CHAINS, seed=seed) for seed in _SEEDS]
    kept = before and tuple(before["grid"].values())
    least, whose, count = kept or grid(advice, Posed.of(asked, None), passes)
    best = advice.best
    return {
        "data": name,
        "model": kind,
        "N": int(asked.examples.N),
        "D": asked.D,
        "passes": passes,
        "choice": f"{best.name}: " + ", ".join(f"{k} = {x:.4g}" for k, x in best.params.items()),
        "seconds": round(taken, 1),
        **_together(ran),
        "grid": {"least": least, "whose": whose, "points": count},
        "over_grid": best.error.value / least,
    }


def _together(ran: list[Checked]) -> dict[str, Any]:
    """What the runs of all seeds measured."""
    return {
        "chains": sum(one.chains for one in ran),
        "steps": ran[0].steps,
        "seeds": len(ran),
        "expected": ran[0].expected,
        "foretold": list(ran[0].foretold),
        "measured": float(np.sqrt(np.mean([one.measured**2 for one in ran]))),
        "standard_error": float(np.mean([one.standard_error for one in ran]) / len(ran) ** 0.5),
        "deviations": [one.deviation for one in ran],
        "agrees": all(one.agrees for one in ran),
        "within": float(np.mean([one.within for one in ran])),
        "within_99": float(np.mean([one.within_99 for one in ran])),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The rows in Markdown."""
    lines = [
        "# The error that `advise` foretells, and that of runs",
        "",
        "Made by `python -m benchmarks.foretold`, which says what is measured. Errors are of means, in"
        " posterior standard deviations, and variances, as shares. *Single* is the share of single means"
        " and variances that lie in their 95 % and 99 % intervals, over all seeds, each with 1,000 runs"
        f" ({_pooled(rows)}); *over grid* is the choice's error over the least of a grid of all"
        " samplers' numbers. Logistic"
        " regression is run itself. It is held against what is foretold with the curvature and the noise"
        " that a run meets; what is stated for what these leave out stands in brackets, and is counted"
        " in the intervals of single quantities.",
        "",
        "| data | model | N | D | passes | choice | foretold | measured | off | single | seeds |"
        " over grid |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for r in rows:
        off = 100 * (r["measured"] / r["expected"] - 1)
        lines.append(
            f"| {r['data']} | {r['model']} | {r['N']:,} | {r['D']} | {r['passes']} | {r['choice']} |"
            f" {_foretold(r)} | {r['measured']:.4f} ± {r['standard_error']:.4f} | {off:+.1f} % |"
            f" {_singles(r)} | {r.get('seeds', 1)} |"
            f" {r['over_grid']:.3f} |"
        )
    return "\n".join(lines) + "\n"


def of_linear(rows: list[dict[str, Any]], interval: str) -> float:
    """The share of all single quantities of linear regressions that lie in an interval."""
    some = [r for r in rows if r["model"] == "linear" and "within_99" in r]
    counts = [r["D"] * r["seeds"] for r in some]
    return float(np.average([r[interval] for r in some], weights=counts))


def _pooled(rows: list[dict[str, Any]]) -> str:
    shares = (f"{100 * of_linear(rows, name):.1f} %" for name in ("within", "within_99"))
    return f"of linear regressions that have both together {' and '.join(shares)}"


def _singles(r: dict[str, Any]) -> str:
    shares = [r[name] for name in ("within", "within_99") if name in r]
    return ", ".join(f"{100 * share:.0f} %" for share in shares)


def _foretold(r: dict[str, Any]) -> str:
    low, high = r["foretold"]
    return f"{r['expected']:.4f}" + (f" ({low:.4f} to {high:.4f})" if low != high else "")


def main() -> None:
    """Write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=KEPT)
    parser.add_argument("--only", action="append", choices=list(CASES))
    parser.add_argument("--keep-grids", action="store_true")
    asked = parser.parse_args()
    rows = json.loads(asked.out.read_text())["rows"] if asked.out.exists() else []
    for name in asked.only or list(CASES):
        before = next((r for r in rows if asked.keep_grids and r["data"] == name), None)
        found = row(name, asked.data, before)
        rows = [r for r in rows if r["data"] != name] + [found]
        print(json.dumps(found), flush=True)
        write(asked.out, json.dumps({"schema": "sgtheory.foretold/1", "rows": rows}, indent=1) + "\n")
        write(asked.out.with_suffix(".md"), table(rows))


if __name__ == "__main__":
    main()
