"""The Gaussian of the pSGLD paper in two dimensions: variances 0.16 and 1.

Gradients have no noise unless it is given. A problem may give another precision as "hessian", and the
noise of gradients as "noise". With N = 1, which is usual here, the posterior is that Gaussian; with more
it is narrower, as with the quadratic model.
"""

from dataclasses import replace

from sgtheory.models.quadratic import QUADRATIC

GAUSSIAN2D = replace(
    QUADRATIC,
    standard=(("A", (("25/4", 0), (0, 1))), ("C", ((0, 0), (0, 0))), ("N", 1), ("S", 1)),
    cites=("li2016psgld section 4.1",),
)
