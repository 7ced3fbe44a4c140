"""The law of a chain in one to three numbers by its transition operator, whatever its update is.

``stationary`` discretises the operator, finds its invariant weights, and states an error: by how much
each expectation changes when grid, box and quadrature are all refined. ``local_coefficient`` foretells
estimates of local learning coefficients at minima that are no quadratic.
"""

from sgtheory.operator.local import LocalCoefficient, local_coefficient
from sgtheory.operator.stationary import Reference, stationary

__all__ = ["LocalCoefficient", "Reference", "local_coefficient", "stationary"]
