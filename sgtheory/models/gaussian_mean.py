"""The mean of a Gaussian: half the squared distance to each example."""

from sgtheory.declare import Model, Vector, data_vector

x = Vector("x", real=True)
X = data_vector("X")

GAUSSIAN_MEAN = Model(x=x, example=x - X, cites=("mandt2017 Eq. 36",))
