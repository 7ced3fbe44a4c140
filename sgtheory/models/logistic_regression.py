"""Logistic regression with real minibatches: labels -1 and 1, and a ridge shared among the examples."""

from sympy import exp

from sgtheory.declare import Model, N, Vector, data_scalar, data_vector, dot, nonnegative

x = Vector("x", real=True)
X, y = data_vector("X"), data_scalar("y")
ridge = nonnegative("ridge")

LOGISTIC_REGRESSION = Model(
    x=x,
    example=-y / (1 + exp(y * dot(X, x))) * X + ridge / N * x,
    defaults=((ridge, 0),),
    labels=((y, (-1, 1)),),
    cites=("li2016psgld section 4", "welling2011"),
)
