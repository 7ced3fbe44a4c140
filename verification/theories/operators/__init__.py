"""Functions left open, derivatives, densities, integrals, and solutions of differential equations."""

from verification.theories.operators.calculus import Calculus, subject
from verification.theories.operators.flows import error_of_step, same_steps, solution
from verification.theories.operators.words import density, function, log_integral, mean_under, partial

__all__ = [
    "Calculus",
    "density",
    "error_of_step",
    "function",
    "log_integral",
    "mean_under",
    "partial",
    "same_steps",
    "solution",
    "subject",
]
