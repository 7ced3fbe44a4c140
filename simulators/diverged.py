"""When chains ran away: about how many steps that takes, found by running some of them again."""

from __future__ import annotations

from typing import Any

from sgtheory.errors import Unstable
from sgtheory.setting import Setting
from simulators.bind import Values
from simulators.ensemble import Ensemble, simulate

_CHAINS = 4096  # the first of them are run again


def since(setting: Setting, values: Values, found: Ensemble, **how: Any) -> int | None:
    """A step after which the first chains of an ensemble are no longer finite; None where they stay so.

    ``how`` is what ``simulate`` was told beside chains, steps and seed.
    """
    few = min(found.chains, _CHAINS)

    def finite(steps: int) -> bool:
        return simulate(setting, values, chains=few, steps=steps, seed=found.seed, **how).finite

    if finite(found.steps):
        return None
    whole, gone = 0, found.steps
    while gone - whole > 1:
        middle = (whole + gone) // 2
        whole, gone = (middle, gone) if finite(middle) else (whole, middle)
    return gone


def told(setting: Setting, values: Values, found: Ensemble, **how: Any) -> Unstable:
    """What is said of an ensemble with chains that are not finite."""
    step = since(setting, values, found, **how)
    few = min(found.chains, _CHAINS)
    when = f"from step {step:,} on" if step is not None else f"none of the first {few:,} among them"
    return Unstable(
        f"chains of {found.sampler} ran away to numbers that {found.dtype} cannot square ({when})"
    )
