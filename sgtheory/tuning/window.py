"""The window of iterate averaging: a whole number, so it is certified by its neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from sgtheory.tuning.bench import Bench
from sgtheory.tuning.records import Certificate, Tuned

_LONGEST = 65_536


def tune_window(bench: Bench) -> Tuned:
    """The window whose mean is closest to the posterior."""
    known: dict[int, float] = {}

    def divergence(window: int) -> float:
        if window not in known:
            known[window] = bench.divergence({"T": window})
        return known[window]

    choices = []
    for rule in bench.sampler.rules:
        if rule.parameter == "T" and (value := bench.printed(rule)) is not None:
            window = max(1, round(value))
            more = {"formula": rule.value, "cites": rule.cites}
            choices.append(bench.choice("printed", {"T": window}, **more))
    best = _descend(divergence, _scan(divergence))
    if not np.isfinite(divergence(best)):
        return Tuned("T", tuple(choices), None, "no T gives a stable law that has a divergence")
    choices.append(bench.choice("exact", {"T": best}))
    return Tuned("T", tuple(choices), _certificate(divergence, best, len(known)), _note(best))


def _scan(divergence: Any) -> int:
    """The best of the windows 1, 2, 3, 4, 6, 8, 12, ... up to well beyond where it rises again."""
    best, window, risen = 1, 1, 0
    while window <= _LONGEST and risen < 6:
        for candidate in (window, window + window // 2):
            if divergence(candidate) < divergence(best):
                best, risen = candidate, 0
        risen += 1
        window *= 2
    return best


def _descend(divergence: Any, start: int) -> int:
    """From there downhill, by steps that are halved until they are one."""
    best, step = start, max(1, start // 4)
    while True:
        around = [w for w in (best - step, best + step) if 1 <= w <= _LONGEST]
        better = min(around, key=divergence, default=best)
        if divergence(better) < divergence(best):
            best = better
        elif step == 1:
            return best
        else:
            step //= 2


def _certificate(divergence: Any, best: int, tried: int) -> Certificate:
    around = [w for w in (best - 1, best + 1) if 1 <= w <= _LONGEST]
    least = divergence(best)
    holds = bool(np.isfinite(least) and all(divergence(w) >= least for w in around))
    text = (
        f"A window of one step less or more has a larger divergence; of {tried} windows that were"
        " tried, from 1 to well beyond, none is better."
    )
    known = {f"kl_at_{w}": divergence(w) for w in (*around, best)}
    return Certificate(text, holds, {at: kl for at, kl in known.items() if np.isfinite(kl)})


def _note(best: int) -> str:
    return "the longest window that is tried" if best >= _LONGEST else ""
