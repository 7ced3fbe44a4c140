"""The exact law of stochastic-gradient samplers.

>>> import sgtheory as sg
>>> law = sg.derive(sg.samplers.sgd)
>>> law.covariance.pair
eps*C_ij/(S*(-eps*lambda_i*lambda_j + lambda_i + lambda_j))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what editors and type checkers see; at run time names are loaded when first used
    from sgtheory import (
        declare,
        dynamics,
        estimate,
        models,
        operator,
        perturbation,
        registry,
        samplers,
        sensitivity,
        wasserstein,
    )
    from sgtheory.advice import advise
    from sgtheory.declare import Card, Model, Sampler
    from sgtheory.errors import DeclarationError, NotAffine, Unstable, UnusableInput
    from sgtheory.notation.printing import latex
    from sgtheory.numbers.coefficient import learning_coefficient
    from sgtheory.numbers.fourth import fourth_moments
    from sgtheory.numbers.lawrecord import NumericLaw
    from sgtheory.numbers.numeric import law
    from sgtheory.problem import Problem, read_problem
    from sgtheory.registry import load
    from sgtheory.setting import Setting
    from sgtheory.symbolic import SymbolicLaw, derive
    from sgtheory.tuning import tune

__version__ = "0.2.0"
__all__ = [
    "Card",
    "DeclarationError",
    "Model",
    "NotAffine",
    "NumericLaw",
    "Problem",
    "Sampler",
    "Setting",
    "SymbolicLaw",
    "Unstable",
    "UnusableInput",
    "advise",
    "declare",
    "derive",
    "dynamics",
    "estimate",
    "fourth_moments",
    "latex",
    "law",
    "learning_coefficient",
    "load",
    "models",
    "operator",
    "perturbation",
    "read_problem",
    "registry",
    "samplers",
    "sensitivity",
    "tune",
    "wasserstein",
]

# SymPy takes half a second to import: names are loaded when first used.
_HOMES = {
    "Card": "sgtheory.declare",
    "DeclarationError": "sgtheory.errors",
    "Model": "sgtheory.declare",
    "NotAffine": "sgtheory.errors",
    "NumericLaw": "sgtheory.numbers.lawrecord",
    "Problem": "sgtheory.problem",
    "Sampler": "sgtheory.declare",
    "Setting": "sgtheory.setting",
    "SymbolicLaw": "sgtheory.symbolic",
    "Unstable": "sgtheory.errors",
    "UnusableInput": "sgtheory.errors",
    "advise": "sgtheory.advice",
    "derive": "sgtheory.symbolic",
    "fourth_moments": "sgtheory.numbers.fourth",
    "latex": "sgtheory.notation.printing",
    "law": "sgtheory.numbers.numeric",
    "learning_coefficient": "sgtheory.numbers.coefficient",
    "load": "sgtheory.registry",
    "read_problem": "sgtheory.problem",
    "tune": "sgtheory.tuning",
}
_ELSEWHERE = {"simulate": "simulators", "simulate_family": "simulators", "trace": "simulators.trace"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in __all__:
        return importlib.import_module(f"sgtheory.{name}")
    home = _ELSEWHERE.get(name)
    where = f"; from {home} import {name}" if home else "; dir(sgtheory) shows what there is"
    raise AttributeError(f"module 'sgtheory' has no attribute {name!r}{where}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
