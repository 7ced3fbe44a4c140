"""The law of a chain in one to three numbers by its transition operator, whatever its update is.

``stationary`` discretises the operator, finds its invariant weights, and states an error: by how much
each expectation changes when grid, box and quadrature are all refined.
"""

from sgtheory.operator.stationary import Reference, stationary

__all__ = ["Reference", "stationary"]
