"""A potential that the problem gives, the same in every coordinate, with Gaussian gradient noise."""

from sympy import sqrt

from sgtheory.declare import Model, S, Vector, matrix, normal

x = Vector("x", real=True)
w = normal("w")
B = matrix("B")

POTENTIAL = Model(
    x=x,
    gradient=x + 1 / sqrt(S) * B @ w,
    full_gradient=x,
    noises=(w,),
    reads=(("noise", "C"),),
    potential="x**2/2",
)
