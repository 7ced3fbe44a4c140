"""SGD whose gradient is the mean of four micro-batches."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta = state("theta")
lr = positive("lr")

ACCUMULATED_SGD = Sampler(
    state=(theta,),
    updates=((theta, theta - lr * (gradient(theta) + gradient(theta, 1) + gradient(theta, 2) + gradient(theta, 3)) / 4),),
    convention=Card(loss="mean", drift="lr", order="one update"),
)
