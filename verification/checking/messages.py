"""What a child tells its parent: numbers, words and arrays in one file, which runs nothing when read."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from verification.checking.running import Measured
from verification.checking.signatures import Asks

_ARRAYS = ("mean", "covariance", "shown", "sample", "early")
_WORDS = "words"  # of the file: everything that is no array


def plain(value: Any) -> bytes:
    """A message as bytes: what was measured, what a target asks for, a fault, or our own refusal.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "one"
    ...     _ = file.write_bytes(plain(Measured("case 1", 3, np.zeros(2), remarks=(("a", "b"),))))
    ...     message(file).mean, message(file).remarks
    (array([0., 0.]), (('a', 'b'),))
    """
    arrays: dict[str, Any] = {}
    told: Any = value
    if isinstance(value, Measured):
        arrays = {n: getattr(value, n) for n in _ARRAYS if getattr(value, n) is not None}
        told = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in _ARRAYS}
    elif isinstance(value, UnusableInput):
        told = {"expected": value.expected, "got": value.got, "remedy": value.remedy}
    elif isinstance(value, dict):
        told = {n: asdict(x) if isinstance(x, Asks) else x for n, x in value.items()}
    words = json.dumps({"kind": type(value).__name__, "told": told}).encode()
    file = io.BytesIO()
    arrays[_WORDS] = np.frombuffer(words, np.uint8)
    np.savez(file, **arrays)
    return file.getvalue()


def message(path: Path) -> Any:
    """What was written; a fault where it cannot be read, for foreign code may have written it."""
    try:
        with np.load(path, allow_pickle=False) as file:
            known = json.loads(bytes(file[_WORDS]))
            return _meant(known["kind"], known["told"], {n: file[n] for n in file.files})
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        return "crashed", f"its answer could not be read: {type(error).__name__}"


def _meant(kind: str, told: Any, arrays: dict[str, Any]) -> Any:
    if kind == "Measured":
        told["remarks"] = tuple((str(n), str(w)) for n, w in told["remarks"])
        return Measured(**told, **{n: x for n, x in arrays.items() if n in _ARRAYS})
    if kind == "UnusableInput":
        return UnusableInput(told["expected"], told["got"], told["remedy"])
    if kind == "tuple":
        return str(told[0]), str(told[1])
    asks = told.get("asks")
    if asks is not None:
        asks = Asks(**{n: _fixed(x) for n, x in asks.items()})
    return {**told, "asks": asks}


def _fixed(value: Any) -> Any:
    """Lists as the tuples that they were."""
    return tuple(map(_fixed, value)) if isinstance(value, list) else value
