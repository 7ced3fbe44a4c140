"""The double well of the Santa paper: two modes in every coordinate.

U = (x + 4)(x + 1)(x - 1)(x - 3)/14 + 0.5; the gradient is made from this text, and has Gaussian noise
where that is given.
"""

from sympy import diff, sqrt

from sgtheory.declare import Model, S, Vector, matrix, normal
from sgtheory.reader.potentials import POINT, at_every_coordinate, parsed

x = Vector("x", real=True)
w = normal("w")
B = matrix("B")

U = "(x+4)*(x+1)*(x-1)*(x-3)/14+0.5"
SLOPE = at_every_coordinate(diff(parsed(U).expand(), POINT), x)

SANTA_DOUBLE_WELL = Model(
    x=x,
    gradient=SLOPE + 1 / sqrt(S) * B @ w,
    full_gradient=SLOPE,
    noises=(w,),
    reads=(("noise", "C"),),
    standard=(("C", ((0,),)), ("N", 1), ("S", 1)),
    cites=("chen2016santa section 5.1", "ding2014"),
)
