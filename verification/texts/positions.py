"""Which state of a text's sampler is the position: gradients are taken there, whatever it is called."""

from __future__ import annotations

import re

_GRADIENT = re.compile(r"(?:\bg|grad|[A-Za-z]\}?|\})\s*\(([^()]*)\)")
_USUAL = ("theta", "x", "q", "w", "y", "z", "u")


def position_in(body: str, states: list[str]) -> str:
    """The state at which a gradient is taken; else the only one, or one that is called so usually.

    >>> position_in("r' = r - h g(x)\\nx' = x + h r'", ["r", "x"])
    'x'
    >>> position_in("v' = v - h A q\\nq' = q + h v'", ["v", "q"]), position_in("w' = w/2", ["w"])
    ('q', 'w')
    """
    if "theta" in states:
        return "theta"
    for inside in _GRADIENT.findall(body):
        names = re.findall(r"\\?([A-Za-z]+)", inside)
        found = next((s for s in states if s in names), None)
        if found is not None:
            return found
    if len({*states}) == 1:
        return states[0]
    return next((s for s in _USUAL if s in states), "")
