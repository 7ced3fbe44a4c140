"""The exact law of stochastic-gradient samplers.

>>> import sgtheory as sg
>>> law = sg.derive(sg.samplers.sgd)
>>> law.covariance.pair
eps*C_ij/(S*(-eps*lambda_i*lambda_j + lambda_i + lambda_j))
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"
__all__ = [
    "DeclarationError",
    "NotAffine",
    "Problem",
    "Unstable",
    "UnusableInput",
    "derive",
    "law",
    "models",
    "read_problem",
    "samplers",
    "tune",
]

# SymPy takes half a second to import: names are loaded when first used.
_HOMES = {
    "DeclarationError": "sgtheory.errors",
    "NotAffine": "sgtheory.errors",
    "Unstable": "sgtheory.errors",
    "UnusableInput": "sgtheory.errors",
    "Problem": "sgtheory.problem",
    "read_problem": "sgtheory.problem",
    "derive": "sgtheory.symbolic",
    "law": "sgtheory.numeric",
    "tune": "sgtheory.tuning",
}


def __getattr__(name: str) -> Any:
    if name in ("samplers", "models"):
        return importlib.import_module(f"sgtheory.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'sgtheory' has no attribute {name!r}")
