"""A quartic well in every coordinate: U = x^4/4 + x^2/2, with Gaussian gradient noise."""

from sympy import sqrt

from sgtheory.declare import Model, S, Vector, matrix, normal

x = Vector("x", real=True)
w = normal("w")
B = matrix("B")

QUARTIC = Model(
    x=x,
    gradient=x**3 + x + 1 / sqrt(S) * B @ w,
    full_gradient=x**3 + x,
    noises=(w,),
    reads=(("noise", "C"),),
)
