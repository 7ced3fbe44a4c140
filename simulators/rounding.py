"""What rounding does to a step: where it is as large as the noise, an ensemble has another law.

A state next to x is a multiple of its unit in the last place, so each step is off by a random part of
that. Noise of variance s^2 a step and rounding of variance r a step take the same way through the chain:
a variance comes out larger by the share r/s^2 (and where steps are smaller than the unit, none is made).
An ensemble of n chains states its variances to sqrt(2/n). Where the share is not well below that, the
error bar would exclude the truth, and the run is refused.

The share is measured, on the first chains where they are at the end: the next steps once as the kernel
rounds them, and once in twice the digits, of the same state, with the same noise.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from simulators.bind import Bound
from simulators.interpret import draw, run_block

Array = np.ndarray[Any, Any]

_STEPS = 4  # that are made twice: a clock may do something else at each
_SHARE = 0.25  # of a stated standard error that rounding may add
_NUMBERS = 20_000_000  # that making a step in NumPy may hold; beyond it nothing is measured
_WIDER = {np.dtype(np.float32): np.float64, np.dtype(np.float64): np.longdouble}


def check(bound: Bound | None, states: Array, chains: int, steps: int, seed: int) -> None:
    """Refuse an ensemble whose error bars rounding would make wrong; ``states`` are some at its end."""
    if bound is None or not steps:  # on a cluster's worker it is the driver that looks
        return
    resolved = math.sqrt(2 / max(chains, 2))
    name, share = share_of_rounding(bound, states, steps, seed)
    if share <= _SHARE * resolved:
        return
    narrow = bound.dtype == np.float32
    raise UnusableInput(
        f"steps that {bound.dtype} can tell from rounding",
        f"rounding that adds {share:.2g} of a step's variance to {name}, where {chains:,} chains state a"
        f" variance to {resolved:.2g} of itself",
        "use float64" if narrow else "take a larger step, or measure from a point near the mode",
    )


def share_of_rounding(bound: Bound, states: Array, step: int, seed: int) -> tuple[str, float]:
    """The state in which rounding's part of a step's variance is largest, and that part.

    Coordinates whose steps are alike in all chains have no scatter, and none is stated of them.
    """
    states = states[np.isfinite(states).all(axis=1)][: _chains(bound)]
    if len(states) < 2:
        return "", 0.0
    names = bound.program.states
    parts = np.split(states.astype(bound.dtype), len(names), axis=1)
    state = dict(zip(names, parts, strict=True))
    wide = replace(bound, dtype=np.dtype(_WIDER[np.dtype(bound.dtype)]))
    moved = dict.fromkeys(names, 0.0)
    lost = dict.fromkeys(names, 0.0)
    for at in range(step, step + _STEPS):
        noise = draw(bound, bound.program.body, np.arange(len(states)), at, seed)
        after = _stepped(bound, state, noise, at)
        exactly = _stepped(wide, _cast(state, wide.dtype), _cast(noise, wide.dtype), at)
        with np.errstate(all="ignore"):
            for name in names:
                moved[name] = moved[name] + (exactly[name] - state[name]).var(axis=0)
                lost[name] = lost[name] + (after[name] - exactly[name]).var(axis=0)
        state = after
    remainder = ((bound.D + 3) * float(np.finfo(bound.dtype).eps)) ** 2
    shares = {name: _largest(lost[name], moved[name], remainder) for name in names}
    worst = max(shares, key=lambda name: shares[name])
    return worst, shares[worst]


def _largest(lost: Any, moved: Any, remainder: float) -> float:
    """The largest share; noise whose parts cancel in a coordinate leaves a ``remainder`` of the largest.

    Such a coordinate has no scatter: a product of matrices of D rows is known no better than that.
    """
    with np.errstate(all="ignore"):
        scatters = moved > remainder * np.max(moved, where=np.isfinite(moved), initial=0.0)
        ratios = np.where(scatters, np.asarray(lost / moved, float), 0.0)
    return float(np.max(ratios, where=np.isfinite(ratios), initial=0.0))


def _stepped(bound: Bound, state: Any, noise: Any, step: int) -> dict[str, Array]:
    scheduled = dict(zip(bound.program.scheduled, bound.schedule(step, 1)[0], strict=True))
    found = run_block(bound, bound.program.body, state, noise, scheduled)
    return {name: np.asarray(value, bound.dtype) for name, value in found.items()}


def _cast(values: Any, dtype: Any) -> dict[str, Array]:
    """Numbers in a wider type; which examples were drawn stays as it is."""
    return {name: x.astype(dtype) if x.dtype.kind == "f" else x for name, x in values.items()}


def _chains(bound: Bound) -> int:
    """How many chains may be stepped in NumPy, where each holds the examples that it sees."""
    seen = 1
    if bound.batches is not None:
        drawn = {d.name for d in bound.program.body.batches}
        batches = [i for i in bound.program.body.instructions if i.op == "batch"]
        all_seen = any(i.args[1] not in drawn for i in batches)
        seen = bound.batches.examples if all_seen else bound.batches.size
    return int(min(64, _NUMBERS // (seen * bound.D)))
