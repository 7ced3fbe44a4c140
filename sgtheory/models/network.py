"""A network of one hidden layer with real minibatches: sigmoid units, squared residuals, and a ridge.

The output is c + sum_h v_h/(1 + exp(-a_h)), with a_h = W_h.X; a column of ones in X gives units their
biases. theta is W_1, ..., W_H, v, c. A problem file says how many ``hidden`` units there are.
"""

from typing import Any

from sympy import Add, Integer

from sgtheory.datamodels.coordinates import Letter
from sgtheory.datamodels.written import Shape, Share
from sgtheory.declare import Model, N, Vector, data_scalar, data_vector, nonnegative, positive

x = Vector("x", real=True)
X, y = data_vector("X"), data_scalar("y")
ridge, sigma2 = nonnegative("ridge"), positive("sigma2")


def _loss(coordinates: Any, row: Any, target: Any, hidden: int) -> Any:
    """Half the squared residual over sigma2."""
    weights = [coordinates(len(row)) for _ in range(hidden)]
    into, (bias,) = coordinates(hidden), coordinates(1)
    steps = []
    for h, own in enumerate(weights):
        a, unit = Letter(f"a{h}", real=True), Letter(f"h{h}", real=True)
        steps.append((a, Add(*(w * r for w, r in zip(own, row, strict=True)))))
        steps.append((unit, Share(a, Integer(0))))
    units = [name for name, _ in steps[1::2]]
    residual = Letter("e", real=True)
    output = bias + Add(*(v * u for v, u in zip(into, units, strict=True)))
    return (*steps, (residual, output - target)), residual**2 / (2 * sigma2)


SHAPE = Shape((("hidden", 2),), _loss)

NETWORK = Model(
    x=x,
    example=SHAPE.example(x, X, y) + ridge / N * x,
    defaults=((ridge, 0), (sigma2, 1)),
    shape=SHAPE,
    cites=("chen2016santa section 5", "li2016psgld section 4"),
)
