"""Linear regression with real minibatches: squared residuals, and a ridge shared among the examples."""

from sgtheory.declare import (
    Model,
    N,
    Vector,
    data_scalar,
    data_vector,
    dot,
    nonnegative,
    positive,
)

x = Vector("x", real=True)
X, y = data_vector("X"), data_scalar("y")
ridge, sigma2 = nonnegative("ridge"), positive("sigma2")

LINEAR_REGRESSION = Model(
    x=x,
    example=(dot(X, x) - y) / sigma2 * X + ridge / N * x,
    defaults=((ridge, 0), (sigma2, 1)),
    cites=("mandt2017 Eq. 37", "brosse2018 section 3"),
)
