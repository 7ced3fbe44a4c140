"""The Gaussian of the pSGLD paper in two dimensions: variances 0.16 and 1.

Gradients have no noise unless it is given. A problem may give another precision as "hessian", and the
noise of gradients as "noise". With N = 1, which is usual here, the posterior is that Gaussian; with more
it is narrower, as with the quadratic model.
"""

from sympy import sqrt

from sgtheory.declare import Model, N, S, Vector, matrix, normal, positive_definite

x = Vector("x", real=True)
w = normal("w")
A = positive_definite("A")
B = matrix("B")

GAUSSIAN2D = Model(
    x=x,
    gradient=A @ x + 1 / sqrt(S) * B @ w,
    full_gradient=A @ x,
    posterior_precision=N * A @ x,
    noises=(w,),
    reads=(("hessian", "A"), ("noise", "C")),
    standard=(("A", (("25/4", 0), (0, 1))), ("C", ((0, 0), (0, 0))), ("N", 1), ("S", 1)),
    cites=("li2016psgld section 4.1",),
)
