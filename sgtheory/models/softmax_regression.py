"""Softmax regression with real minibatches: K classes, and a ridge shared among the examples.

The labels are 0, 1, ..., K - 1; theta has the weights of one class after those of another. A
problem file says how many ``classes`` there are.
"""

from typing import Any

from sympy import Add, Eq, Piecewise

from sgtheory.datamodels.coordinates import Letter
from sgtheory.datamodels.written import LogSum, Shape
from sgtheory.declare import Model, N, Vector, data_scalar, data_vector, nonnegative

x = Vector("x", real=True)
X, y = data_vector("X"), data_scalar("y")
ridge = nonnegative("ridge")


def _loss(coordinates: Any, row: Any, label: Any, classes: int) -> Any:
    """log(sum of exp(margins)) - the label's margin."""
    margins = [Letter(f"m{k}", real=True) for k in range(classes)]
    products = [Add(*(w * r for w, r in zip(coordinates(len(row)), row, strict=True))) for _ in margins]
    own = Add(*(m * Piecewise((1, Eq(label, k)), (0, True)) for k, m in enumerate(margins)))
    return tuple(zip(margins, products, strict=True)), LogSum(*margins) - own


def _labels(classes: int) -> tuple[int, ...]:
    return tuple(range(classes))


SHAPE = Shape((("classes", 3),), _loss, _labels)

SOFTMAX_REGRESSION = Model(
    x=x,
    example=SHAPE.example(x, X, y) + ridge / N * x,
    defaults=((ridge, 0),),
    labels=((y, _labels(3)),),
    shape=SHAPE,
    cites=("mandt2017 Eq. 35",),
)
