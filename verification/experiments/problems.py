"""Problems on arrays that are at hand."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.files.writing import whole
from sgtheory.problem import Problem


def problem_on(content: Mapping[str, Any], **arrays: Any) -> Problem:
    """The problem with these arrays for its data, unrounded.

    >>> problem_on({"model": "linear_regression", "ridge": 1}, X=np.eye(3), y=np.arange(3.0)).D
    3
    """
    with tempfile.TemporaryDirectory() as folder:
        with whole(Path(folder) / "data.npz", durable=False) as file:
            np.savez(file, **arrays)
        # no name of a file: it is gone when the problem is used
        return replace(Problem.of({**content, "data": "data.npz"}, Path(folder)), source="")
