"""SGD with an L2 penalty: the decay is added to the gradient."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta = state("theta")
lr, wd = positive("lr wd")

SGD_DECAY = Sampler(
    state=(theta,),
    updates=((theta, theta - lr * (gradient(theta) + wd * theta)),),
    convention=Card(loss="mean", drift="lr", order="one update"),
)
