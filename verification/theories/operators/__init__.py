"""Functions left open, derivatives, densities, integrals, and solutions of differential equations."""

from verification.theories.operators.calculus import Calculus, calculus_of
from verification.theories.operators.flows import same_steps, solution
from verification.theories.operators.words import density, function, log_integral, mean_under, partial

__all__ = [
    "Calculus",
    "calculus_of",
    "density",
    "function",
    "log_integral",
    "mean_under",
    "partial",
    "same_steps",
    "solution",
]
