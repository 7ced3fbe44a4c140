"""What the fixture ``assert_samples_law`` hands to a test: a foreign sampler against its exact law."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sgtheory.errors import UnusableInput
from verification.checking import check
from verification.checking.judging import EFFECTS, POWER, Conformance
from verification.checking.telling import failure
from verification.properties import failures
from verification.properties.budget import Demand, of_check
from verification.properties.experiment import derived
from verification.properties.fixtures import Test

_OURS = ("seed", "false_alarm", "effect", "power", "budget")


@dataclass(frozen=True)
class SamplesLaw:
    """The fixture ``assert_samples_law``: one line that fails unless a sampler has its law."""

    test: Test
    demand: Demand  # its false_alarm is the share of the whole test
    record: Callable[[dict[str, Any]], None]
    checks: list[Conformance] = field(default_factory=list)

    def __call__(self, target: Any, like: Any = None, **settings: Any) -> Conformance:
        """Hold a sampler against the exact law of ``like``; ``settings`` are those of ``check``.

        A sampler of a library, such as ``"torch.sgd"``, needs no ``like``: it has its own declaration.

        The false-alarm probability, effect and power are those of the marker ``ensemble``, and the
        seed is that of the run. What is inconclusive fails too.
        """
        __tracebackhide__ = True
        ours = [name for name in settings if name in _OURS]
        if ours:
            remedy = "say it with pytest.mark.ensemble or --sgtheory-seed"
            raise UnusableInput("settings that a run of tests leaves to a test", ", ".join(ours), remedy)
        number = len(self.checks) + 1
        assert self.demand.false_alarm is not None
        share = of_check(self.demand.false_alarm, number)
        seed = derived(self.test.seed, self.test.name, number)
        wanted = {"effect": self.demand.effect, "power": self.demand.power, "seed": seed}
        found = check(target, like, false_alarm=share, **wanted, **settings)  # type: ignore[arg-type]
        self.checks.append(found)
        self.record(self._spent(found))
        if found.verdict != "conforms":
            pytest.fail(
                "\n".join([*failure(found), *self._again(target, found, settings)]), pytrace=False
            )
        return found

    def _spent(self, found: Conformance) -> dict[str, Any]:
        seen = [o.comparison.resolution for o in found.outcomes if o.comparison is not None]
        return {
            "spent": found.false_alarm,
            "problems": len(found.outcomes),
            "resolution": max(seen, default=found.effect),
            "power": found.power,
        }

    def _again(self, target: Any, found: Conformance, settings: dict[str, Any]) -> list[str]:
        """The smallest problem as a file, and the commands that show it and run it again."""
        lines = []
        bad = [o for o in found.outcomes if not o.agrees]
        if bad:
            case = min(bad, key=lambda o: o.case.D).case
            path = failures.shown(failures.write(case.problem, self.test.folder, self.test.name))
            at = max(case.times)
            lines = [
                f"  problem: {path}",
                f"  law: sgtheory law {found.like} --problem {path} --at {at}",
            ]
        address = address_of(target)
        if address and not settings and found.power == POWER and found.effect in EFFECTS.values():
            words = ["sgtheory", "check", address, "--like", found.like, "--seed", str(found.seed)]
            budget = next(name for name, effect in EFFECTS.items() if effect == found.effect)
            words += ["--budget", budget]
            lines.append(f"  see: {shlex.join([*words, '--false-alarm', repr(found.false_alarm)])}")
        return [*lines, f"  again: {self.test.again()}"]


def address_of(target: Any) -> str:
    """The address under which ``sgtheory check`` finds a target; empty where it has none.

    >>> address_of("mine.py:step"), address_of(lambda state: state)
    ('mine.py:step', '')
    """
    if isinstance(target, str):
        return target
    name = getattr(target, "__qualname__", "")
    found: Any = sys.modules.get(getattr(target, "__module__", None) or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    if not name or found is not target:
        return ""
    try:
        file = inspect.getsourcefile(target)
    except TypeError:
        return ""
    return f"{failures.shown(Path(file))}:{name}" if file else ""
