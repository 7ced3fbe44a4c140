"""What a run may cost: passes over the data, gradients of single examples, or seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from sgtheory.errors import UnusableInput

_TRIALS = 200  # of a step, when its cost is measured


@dataclass(frozen=True)
class Budget:
    """So many units; a step costs ``step`` of them, and ``gradient`` for each example that it meets."""

    amount: float
    step: float
    gradient: float
    words: str

    @classmethod
    def of(
        cls,
        N: float,
        D: int,
        passes: float | None = None,
        gradients: float | None = None,
        seconds: float | None = None,
    ) -> Budget:
        """The one that is given.

        >>> Budget.of(1000, 2, passes=20).steps(10)
        2000
        """
        given = {"passes": passes, "gradients": gradients, "seconds": seconds}
        named = [name for name, amount in given.items() if amount is not None]
        if len(named) != 1:
            got = " and ".join(named) or "none"
            raise UnusableInput(
                "a budget in passes, gradients or seconds", got, "give one, such as passes 200"
            )
        amount = given[named[0]]
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 < amount < 1e15:
            raise UnusableInput(f"a positive number of {named[0]}", repr(amount), "change the budget")
        if seconds is not None:
            step, gradient = measured(D)
            told = (
                f"{seconds:g} seconds; a step of S examples takes {step:.2g} + {gradient:.2g} S of them"
            )
            return cls(seconds, step, gradient, told)
        if passes is not None:
            return cls(passes * N, 0.0, 1.0, f"{passes:g} passes over the data")
        return cls(
            float(gradients or 0),
            0.0,
            1.0,
            f"{float(gradients or 0):,.15g} gradients of single examples",
        )

    def steps(self, gradients: float) -> int:
        """How many steps can be paid that meet so many examples each."""
        return int(self.amount / (self.step + self.gradient * gradients) * (1 + 1e-12))

    def times(self, factor: float) -> Budget:
        """A larger budget, or a smaller one."""
        return Budget(self.amount * factor, self.step, self.gradient, self.words)


def measured(D: int) -> tuple[float, float]:
    """Seconds for a step and for each example in it, by NumPy on this machine, for gradients of rows."""
    rows = np.random.default_rng(0).normal(size=(4096, D))
    taken = []
    for S in (16, 2048):
        picked = np.arange(S) * 7 % len(rows)
        seconds = []
        for _ in range(_TRIALS):
            begun = time.perf_counter()
            batch = rows[picked]
            batch.T @ (batch @ rows[0])
            seconds.append(time.perf_counter() - begun)
        taken.append(float(np.median(seconds)))
    gradient = max((taken[1] - taken[0]) / (2048 - 16), 1e-12)
    return max(taken[0] - 16 * gradient, 1e-9), gradient
