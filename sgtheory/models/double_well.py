"""A double well in every coordinate, U = (x^2 - 1)^2/4, with Gaussian gradient noise."""

from sympy import sqrt

from sgtheory.declare import Model, S, Vector, matrix, normal

x = Vector("x", real=True)
w = normal("w")
B = matrix("B")

DOUBLE_WELL = Model(
    x=x,
    gradient=x**3 - x + 1 / sqrt(S) * B @ w,
    full_gradient=x**3 - x,
    noises=(w,),
    reads=(("noise", "C"),),
)
