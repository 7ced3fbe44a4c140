"""SGDW: the weights shrink by lr wd in each step, beside the gradient's step."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta = state("theta")
lr, wd = positive("lr wd")

SGDW = Sampler(
    state=(theta,),
    updates=((theta, (1 - lr * wd) * theta - lr * gradient(theta)),),
    convention=Card(loss="mean", drift="lr", order="decay, then gradient"),
)
