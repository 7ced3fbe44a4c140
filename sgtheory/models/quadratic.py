"""A quadratic loss with Gaussian gradient noise: curvature A, noise C of one example's gradient."""

from sympy import sqrt

from sgtheory.declare import Model, N, S, Vector, matrix, normal, positive_definite

x = Vector("x", real=True)
w = normal("w")
A = positive_definite("A")
B = matrix("B")  # any factor of the noise covariance: C = B B^T

QUADRATIC = Model(
    x=x,
    gradient=A @ x + 1 / sqrt(S) * B @ w,
    full_gradient=A @ x,
    posterior_precision=N * A @ x,
    noises=(w,),
    reads=(("hessian", "A"), ("noise", "C")),
    cites=("mandt2017 Eqs. 6, 7, 10, 14",),
)
