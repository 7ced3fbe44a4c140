"""What a failure leaves: the smallest problem as a file, and the commands that show it again."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from sgtheory.files import writing


def write(problem: Any, folder: Path, test: str) -> Path:
    """A problem as a file of its own, named after the test; ``sgtheory law`` reads it.

    >>> import tempfile
    >>> from sgtheory import Problem
    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "params": {"eps": "1/2"}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(problem, Path(folder), "tests/test_mine.py::test_it[3]").name
    'test-mine-test-it-3-a66195b1.json'
    """
    text = json.dumps(problem.to_json(), indent=1) + "\n"
    stem = re.sub(r"[^A-Za-z0-9]+", "-", test.rpartition("/")[2].replace(".py", "")).strip("-")
    path = folder / f"{stem[:80]}-{sha256(text.encode()).hexdigest()[:8]}.json"
    return writing.write(writing.try_file(path), text)


def commands(sampler: str, path: Path, steps: int | None) -> list[str]:
    """The commands that show a sampler on a problem, where the sampler is one that they know."""
    from sgtheory import registry
    from sgtheory.errors import UnusableInput

    try:
        registry.sampler(sampler)
    except UnusableInput:
        return []
    at = "" if steps is None else f" --at {steps}"
    return [f"sgtheory {verb} {sampler} --problem {path}{at}" for verb in ("law", "verify")]


def shown(path: Path) -> Path:
    """A path as one would type it here."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
