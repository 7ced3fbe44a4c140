"""Simulation: kernels generated from a declaration, and the ensembles that they run.

``Setting --lower--> Program --bind--> Bound``, which three readers turn into numbers: a plain
NumPy interpreter, Numba on a CPU, CUDA on a GPU.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what editors and type checkers see; at run time names are loaded when first used
    from simulators.ensemble import Ensemble, simulate
    from simulators.family import simulate_family
    from simulators.program import Program

__all__ = ["Ensemble", "Program", "simulate", "simulate_family"]

# NumPy, SymPy and Numba take seconds to import: names are loaded when first used.
_HOMES = {
    "Ensemble": "simulators.ensemble",
    "Program": "simulators.program",
    "simulate": "simulators.ensemble",
    "simulate_family": "simulators.family",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'simulators' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
