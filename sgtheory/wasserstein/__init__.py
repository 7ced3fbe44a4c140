"""Wasserstein-2 distances between the laws of two samplers after any number of steps, for quadratic U.

``Between`` has them in closed form in one eigen-direction (squares add over directions), ``bracket`` in
numbers for any problem with an affine gradient. They are exact where both laws are normal. Where
minibatches are real they are not: then moments are exact, and give a lower bound (Gelbrich), and chains
driven by the same noise and the same minibatches an upper one.
"""

from sgtheory.wasserstein.directions import DIFFUSION, Between
from sgtheory.wasserstein.numbers import Bracket, bracket

__all__ = ["DIFFUSION", "Between", "Bracket", "bracket"]
