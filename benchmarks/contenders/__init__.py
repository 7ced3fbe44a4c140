"""Who competes: a file each, found by scanning this folder.

A file defines ``CONTENDER``. Each contender runs in a process of its own (``python -m
benchmarks.contenders NAME``), so that libraries neither share nor disturb each other's threads.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.workloads import Array, Workload


class NotApplicable(Exception):
    """The library cannot express a workload, or not yet; the reason is the message."""


@dataclass(frozen=True)
class Answer:
    """Mean and covariance over the chains at the end.

    A contender that knows how long its run took without preparation says so; else the whole call counts.
    """

    mean: Array
    covariance: Array
    wall: float | None = None
    cpu: float | None = None
    compile: float | None = None


Run = Callable[[int, int, int], Answer]  # of chains, steps, seed


@dataclass(frozen=True)
class Contender:
    """``make`` gives what runs a workload in a precision; ``share`` of the workload's steps are run.

    A rate does not depend on how many steps are run, so slow contenders run fewer.
    """

    name: str
    title: str
    needs: tuple[str, ...]  # modules
    make: Callable[[Workload, str], Run]
    share: float = 1.0

    def steps(self, work: Workload) -> int:
        """How many steps it runs: about a second's work, and not so few that its start would count."""
        if self.share == 1:
            return work.steps
        # W4 has few chains, W5 many
        weight = 3 if work.rows else 0.4 if work.D == 1 else 1
        return max(round(work.steps * self.share * weight), min(work.steps, 20))


def contenders() -> Mapping[str, Contender]:
    """All of them by name, ours first.

    >>> next(iter(contenders()))
    'ours'
    """
    files = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    found: list[Contender] = [importlib.import_module(f"{__name__}.{file}").CONTENDER for file in files]
    return {c.name: c for c in sorted(found, key=lambda c: c.name != "ours")}


def versions(contender: Contender) -> dict[str, Any]:
    """The versions of what a contender needs."""
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, Any] = {}
    for module in contender.needs:
        try:
            found[module] = version(module)
        except PackageNotFoundError:
            found[module] = None
    return found
