"""Data sets: which are real, which are parts of real ones, which only stand in for one. All say so.

A user's own copy (``--data NAME=FILE``, an .npz) takes the place of what ships.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.reader import arrays as archives
from sgtheory.reader import files as reader

REAL, PART, STANDIN = "real", "a part of the real set", "synthetic"
_SHIPPED = Path(__file__).parent / "shipped"
_FEWEST = 20  # examples of a user's own set


@dataclass(frozen=True)
class Dataset:
    """Examples in rows; of a set with a test part, that too."""

    name: str
    X: Any
    y: Any
    kind: str
    source: str
    test_X: Any = None
    test_y: Any = None

    @property
    def words(self) -> str:
        """One sentence that goes onto every page that used it."""
        size = f"{len(self.X):,} examples in {self.X.shape[1]} numbers"
        test = f", {len(self.test_X):,} for testing" if self.test_X is not None else ""
        kind = {REAL: "real data", PART: "a part of the real data", STANDIN: "a synthetic stand-in"}
        return f"{self.name}: {kind[self.kind]}, {size}{test} ({self.source})."


def _table(name: str) -> Any:
    """Columns of whole numbers times powers of ten, as floats."""
    kept = archives.archive(_SHIPPED / f"{name}.npz")
    columns = [kept[k] for k in sorted(kept) if k.startswith("column")]
    scaled = [c / 10.0**p if p > 0 else c * 1.0 for c, p in zip(columns, kept["powers"], strict=True)]
    return np.column_stack(scaled)


def _own(name: str, files: Mapping[str, str], wanted: tuple[str, ...]) -> Mapping[str, Any] | None:
    """The user's own copy, if one was given: tables of examples, and a number for each of them.

    What is wanted comes in pairs, the table first. Every table has as many columns as the first.
    """
    if name not in files:
        return None
    file = Path(files[name])
    found = archives.archive(file, wanted)
    read: dict[str, Any] = {}
    for table, label in zip(wanted[::2], wanted[1::2], strict=True):
        X = read[table] = archives.real(found[table], table, "(N, D)", file.name)
        y = read[label] = archives.real(found[label], label, "(N,)", file.name)
        first = read[wanted[0]]
        least = max(_FEWEST, first.shape[1] + 1)
        if len(X) != len(y) or len(X) < least:
            got = f"{len(X)} rows of {table} and {len(y)} entries of {label} in {file.name}"
            raise UnusableInput(f"as many labels as examples, at least {least}", got, "give them all")
        if X.shape[1] != first.shape[1]:
            got = f"{X.shape[1]} in {table} of {file.name}"
            raise UnusableInput(f"{first.shape[1]} columns, as in {wanted[0]}", got, "match them")
        if (y == y[0]).all():
            raise UnusableInput(f"labels that differ, in {label}", f"only {y[0]:g}", "give them all")
    return read


def wine(files: Mapping[str, str] | None = None) -> Dataset:
    """White wines: eleven features, and a rating.

    >>> wine().X.shape, wine().kind
    ((4898, 11), 'real')
    """
    own = _own("wine", files or {}, ("X", "y"))
    if own is not None:
        return Dataset("wine", own["X"], own["y"], REAL, "your copy")
    numbers = _table("wine")
    return Dataset("wine", numbers[:, :-1], numbers[:, -1], REAL, "UCI Wine Quality, white")


def protein(files: Mapping[str, str] | None = None) -> Dataset:
    """Decoys of proteins: nine features, and how far they are from the true structure."""
    own = _own("protein", files or {}, ("X", "y"))
    if own is not None:
        return Dataset("protein", own["X"], own["y"], REAL, "your copy")
    numbers = _table("protein")
    return Dataset("protein", numbers[:, 1:], numbers[:, 0], REAL, "UCI Protein Tertiary Structure")


def skin(files: Mapping[str, str] | None = None) -> Dataset:
    """Pixels: three colours, skin (1) or not (-1)."""
    own = _own("skin", files or {}, ("X", "y"))
    kept = own or archives.archive(_SHIPPED / "skin.npz")
    labels = np.where(kept["y"] > 0, 1.0, -1.0)
    source = "your copy" if own else "UCI Skin Segmentation"
    return Dataset("skin", kept["X"].astype(float), labels, REAL, source)


def mnist(files: Mapping[str, str] | None = None) -> Dataset:
    """Digits, pixels between 0 and 1; a tenth of them ships."""
    own = _own("mnist", files or {}, ("train_x", "train_y", "test_x", "test_y"))
    kept = own or archives.archive(_SHIPPED / "mnist.npz")
    X, test = kept["train_x"] / 255.0, kept["test_x"] / 255.0
    kind = REAL if len(X) == 60_000 else PART
    source = "your copy" if own else "MNIST, the first of a shuffled copy"
    return Dataset(
        "mnist", X, kept["train_y"].astype(int), kind, source, test, kept["test_y"].astype(int)
    )


def adult(files: Mapping[str, str] | None = None) -> Dataset:
    """People: features as 0 and 1 in the way of a9a, income above 50,000 (1) or not (-1).

    Continuous features become fifths, the others one column for each word. What ships is the training
    file; its last third is for testing.
    """
    own = _own("adult", files or {}, ("X", "y", "test_X", "test_y"))
    if own is not None:
        return Dataset("adult", own["X"], own["y"], REAL, "your copy", own["test_X"], own["test_y"])
    X, y = _coded(archives.archive(_SHIPPED / "adult.npz"))
    cut = 2 * len(X) // 3
    source = "UCI Adult, the training file, its last third for testing"
    return Dataset("adult", X[:cut], y[:cut], PART, source, X[cut:], y[cut:])


def covertype(files: Mapping[str, str] | None = None, count: int = 120_000) -> Dataset:
    """Forest cover in the way of LIBSVM's scaled file; the set is not at hand, so a stand-in ships.

    The stand-in has ten numbers in [0, 1] that go together, 4 columns of which one is 1, and 40 more,
    the rarest of those in a few of 10^5 examples: sums of columns are alike, so that directions are
    left to the prior. A sixth is for testing, at random.
    """
    own = _own("covtype", files or {}, ("X", "y"))
    source = np.random.default_rng(54)
    if own is not None:
        X, y = own["X"].astype(float), np.where(own["y"] == own["y"].max(), 1.0, -1.0)
        words = "your copy"
    else:
        X, y = _cover(source, count)
        words = "as many columns of the same kinds as UCI Covertype, labels from a logistic model"
    order, cut = source.permutation(len(X)), 5 * len(X) // 6
    train, test = order[:cut], order[cut:]
    kind = STANDIN if own is None else REAL
    name = "covtype" if own is not None else "covtype stand-in"
    return Dataset(name, X[train], y[train], kind, words, X[test], y[test])


def _cover(source: Any, count: int) -> tuple[Any, Any]:
    """Numbers with one common factor, two choices, and labels of a model that is not sharp."""
    factor = source.standard_normal((count, 1))
    middle, spread = source.uniform(0.2, 0.8, 10), source.uniform(0.08, 0.2, 10)
    own = source.standard_normal((count, 10))
    numbers = np.clip(middle + spread * (0.5 * factor + 0.75**0.5 * own), 0, 1)
    areas, soils = np.array([0.45, 0.05, 0.44, 0.06]), np.exp(-0.25 * np.arange(40))
    chosen = [source.choice(len(s), count, p=s / s.sum()) for s in (areas, soils)]
    X = np.hstack([numbers, np.eye(4)[chosen[0]], np.eye(40)[chosen[1]]])
    effects = source.standard_normal(54) * np.repeat([3.0, 0.8], [10, 44])
    margin = X @ effects
    chance = 1 / (1 + np.exp(-(margin - np.median(margin))))
    return X, np.where(source.random(count) < chance, 1.0, -1.0)


_LABEL = "income-per-year"


def _coded(kept: Mapping[str, Any]) -> tuple[Any, Any]:
    columns = []
    for name, values in kept.items():
        if name == _LABEL or name.endswith(" means"):
            continue
        if f"{name} means" in kept:
            words = kept[f"{name} means"]
            known = [k for k, w in enumerate(words) if w != "?"]
            columns += [values == k for k in known]
        else:
            edges = np.unique(np.quantile(values, [0.2, 0.4, 0.6, 0.8]))
            fifth = np.searchsorted(edges, values, side="right")
            columns += [fifth == k for k in range(len(edges) + 1)]
    above = [">" in w for w in kept[f"{_LABEL} means"]].index(True)
    return np.column_stack(columns).astype(float), np.where(kept[_LABEL] == above, 1.0, -1.0)


def music(name: str, files: Mapping[str, str]) -> dict[str, list[Any]]:
    """Piano rolls of a .mat file that the user has: lists of 0-1 arrays (time, 88) by part."""
    if name not in files:
        remedy = f"give --data {name}=FILE.mat; the set may not ship"
        raise UnusableInput(f"the music set {name}", "no file", remedy)
    from scipy.io import loadmat

    what, remedy = f"a .mat file of piano rolls for {name}", "give the file that the set comes in"
    try:
        found = loadmat(io.BytesIO(reader.content(files[name], what)))
        return {part: [_roll(s) for s in found[key].ravel()] for part, key in _PARTS.items()}
    except UnusableInput:
        raise
    except Exception as error:  # SciPy's reader has an error of its own for everything that is broken
        reason = str(error) or type(error).__name__
        raise UnusableInput(what, f"{files[name]}: {reason}", remedy) from None


_PARTS = {"train": "traindata", "valid": "validdata", "test": "testdata"}


def _roll(found: Any) -> Any:
    roll = np.asarray(found, float)
    if roll.ndim != 2 or roll.shape[1] != 88 or not np.isin(roll, (0.0, 1.0)).all():
        raise ValueError(f"a piece of shape {roll.shape}, where zeros and ones (time, 88) are expected")
    return roll


def unit_columns(X: Any) -> Any:
    """Columns divided by their Euclidean length.

    >>> unit_columns(np.array([[3.0], [4.0]])).ravel()
    array([0.6, 0.8])
    """
    return X / _lengths(X, 0)


def unit_rows(X: Any) -> Any:
    """Examples divided by their Euclidean length."""
    return X / _lengths(X, 1)


def _lengths(X: Any, axis: int) -> Any:
    found = np.linalg.norm(X, axis=axis, keepdims=True)
    if not found.all():
        what = ("columns", "examples")[axis]
        raise UnusableInput(f"{what} that are not all zeros", "one that is", "leave it out")
    return found


def standard(X: Any) -> Any:
    """Columns with mean 0 and variance 1."""
    scale = X.std(0)
    if not scale.all():
        raise UnusableInput("columns that vary", "one that does not", "leave it out")
    return (X - X.mean(0)) / scale


def australian(files: Mapping[str, str] | None = None) -> Dataset:
    """Credit cards: 690 people in fourteen features, approved (1) or not (-1); here a stand-in.

    The one copy at hand has lost its decimal points. The stand-in has the size, columns of mean 0 and
    variance 1 with correlations up to about one half, and labels drawn from a logistic model.

    >>> australian().X.shape, australian().kind
    ((690, 14), 'synthetic')
    """
    own = _own("australian", files or {}, ("X", "y"))
    if own is not None:
        labels = np.where(own["y"] > 0, 1.0, -1.0)
        return Dataset("australian", standard(own["X"].astype(float)), labels, REAL, "your copy")
    source = np.random.default_rng(690)
    mixed = source.standard_normal((690, 14)) + 0.6 * source.standard_normal((690, 1))
    X = standard(mixed)
    weights = source.standard_normal(14) / 2
    labels = np.where(source.random(690) < 1 / (1 + np.exp(-X @ weights)), 1.0, -1.0)
    return Dataset("australian", X, labels, STANDIN, "N and D as printed; give --data australian=FILE")


LOADERS: Mapping[str, Callable[[Mapping[str, str]], Any]] = MappingProxyType(
    {
        "wine": wine,
        "protein": protein,
        "skin": skin,
        "mnist": mnist,
        "adult": adult,
        "covtype": covertype,
        "australian": australian,
    }
)


def load(name: str, files: Mapping[str, str]) -> Any:
    """The set of a name; of the others, the music of that name."""
    return LOADERS[name](files) if name in LOADERS else music(name, files)
