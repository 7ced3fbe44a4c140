"""Optax transforms against their exact law. Where optax is absent all is skipped."""

import pytest
from sympy import sqrt

from sgtheory.declare import Card, Sampler, gradient, normal, positive, state
from verification.checking import check
from verification.checking.adapters import adapter

optax = pytest.importorskip("optax", reason="optax is not installed")

CARD = Card(loss="mean", drift="the mean loss")
SMALL = {"dimensions": (1, 2)}

theta, v = state("theta v")
xi = normal("xi")
eps, mu, tau = positive("eps mu tau")
PLAIN = Sampler(convention=CARD, state=(theta,), updates=((theta, theta - eps * gradient(theta)),))
MOMENTUM = Sampler(
    convention=CARD,
    state=(theta, v),
    updates=((v, (1 - mu) * v - eps * gradient(theta)), (theta, theta + v)),
    given=(mu <= 1,),
)
NOISY = Sampler(
    convention=CARD,
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * gradient(theta) - eps * sqrt(tau) * xi),),
)


def with_gain(eps, H):
    return optax.chain(optax.stateless(lambda updates, params: H @ updates), optax.sgd(eps))


def momentum(eps, mu):
    return optax.sgd(eps, momentum=1 - mu)


def noisy(eps, tau, key):
    return optax.noisy_sgd(eps, tau, 0.0, key=key)


def noisy_with_one_key(eps, tau):
    return optax.noisy_sgd(eps, tau, 0.0, key=0)


def of_the_sum(eps, N):
    return optax.sgd(eps / N)


of_the_sum.loss = "sum"

RIGHT = [
    (lambda eps: optax.sgd(eps), PLAIN),
    (of_the_sum, PLAIN),
    (with_gain, "sgd"),
    (momentum, MOMENTUM),
    (noisy, NOISY),
]
WRONG = [
    (lambda eps: optax.sgd(2 * eps), PLAIN),
    (lambda eps: optax.sgd(0.01), PLAIN),
    (lambda eps, mu: optax.sgd(eps, momentum=mu), MOMENTUM),
    (lambda eps, mu: optax.sgd(eps, momentum=1 - mu, nesterov=True), MOMENTUM),
    (lambda eps: optax.adam(eps), PLAIN),
    (noisy_with_one_key, NOISY),
]


@pytest.mark.parametrize(("build", "like"), RIGHT)
def test_right_transforms_conform(build, like):
    found = check(build, like, kind="optax", **SMALL)
    assert found.verdict == "conforms", found.diagnosis


@pytest.mark.parametrize(("build", "like"), WRONG)
def test_others_deviate(build, like):
    assert check(build, like, kind="optax", **SMALL).verdict == "deviates"


def test_transforms_are_recognised():
    assert adapter(optax.sgd(0.1)).KIND == "optax"
    assert adapter(optax.sgd).KIND == "optax"
    assert check(optax.sgd(0.1), PLAIN, dimensions=(1,)).verdict == "deviates"  # its step is its own
