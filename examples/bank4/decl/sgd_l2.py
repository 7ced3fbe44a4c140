"""SGD on the loss with an L2 penalty wd/2 |theta|^2."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta = state("theta")
lr, wd = positive("lr wd")

SGD_L2 = Sampler(
    state=(theta,),
    updates=((theta, theta - lr * gradient(theta) - lr * wd * theta),),
    convention=Card(loss="mean", drift="lr", order="one update"),
)
