"""Functions left open, derivatives, densities, integrals, and solutions of differential equations."""

from verification.theories.operators.averages import subject
from verification.theories.operators.calculus import Calculus
from verification.theories.operators.words import density, function, log_integral, mean_under

__all__ = ["Calculus", "density", "function", "log_integral", "mean_under", "subject"]
