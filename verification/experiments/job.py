"""One run of an experiment: its numbers, its seed, and the parts that are kept when it is broken off."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.files import keeper
from verification.verdicts.provenance import fingerprint, versions

SEED = 2026


def silent(words: str, done: float) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Job:
    """What ``Experiment.run`` is given.

    >>> Job("mandt2017.figure2", "laptop", {"chains": 100}).size("chains")
    100
    """

    experiment: str
    scale: str
    sizes: Mapping[str, Any] = field(hash=False)
    seed: int = SEED
    device: str = "cpu"
    files: Mapping[str, str] = field(default_factory=dict, hash=False)  # the user's own data sets
    tell: Callable[[str, float], None] = field(default=silent, compare=False)
    keep: bool = True

    def size(self, name: str) -> Any:
        """A number of this scale."""
        if name not in self.sizes:
            raise UnusableInput(
                f"a number {name}", ", ".join(self.sizes), f"add it to {self.experiment}"
            )
        return self.sizes[name]

    def rng(self, name: str) -> Any:
        """A generator for one purpose, the same in every run with this seed."""
        words = np.frombuffer(f"{self.experiment} {name}".encode(), np.uint8)
        return np.random.default_rng([self.seed, *words.tolist()])

    def part(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` returns, made once: a run that is broken off goes on after its last part.

        ``name`` says all that the part depends on beside the scale, the seed and our own sources.
        """
        self.tell(name, 0.0)
        if not self.keep:
            return make()
        facts = (self.experiment, self.scale, sorted(self.sizes.items()), self.seed, name)
        own = (self.device, sorted(_contents(self.files).items()), versions())
        return keeper.made("experiments", fingerprint(*facts, *own), make)


def _contents(paths: Mapping[str, str]) -> dict[str, str]:
    """Hashes of what is in files: other data under the same name are other data."""
    found = {}
    for name, path in paths.items():
        try:
            with open(path, "rb") as file:
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise UnusableInput(
                "a data set that can be read", f"{path}: {error.strerror}", "give another"
            ) from None
    return found
