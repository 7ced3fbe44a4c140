"""Declarations are checked when they are made, and say expected, got, remedy."""

import pytest
import sympy as sp

from sgtheory.declare import (
    Card,
    Model,
    Parameter,
    Sampler,
    State,
    Vector,
    dot,
    gradient,
    kind,
    local,
    matrix,
    normal,
    ones,
    positive,
    positive_definite,
    rademacher,
    state,
    t,
)
from sgtheory.errors import DeclarationError

theta, v = state("theta v")
xi = normal("xi")
eps = positive("eps")
H = positive_definite("H")
CARD = Card(loss="mean", drift="eps")


def declared(*updates, state=(theta,), **more):
    return Sampler(state=state, updates=updates, convention=CARD, **more)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: declared((theta, theta - sp.Symbol("foo") * theta)), "the undefined symbol foo"),
        (lambda: declared((theta, sp.Function("mystery")(theta))), "mystery(theta)"),
        (lambda: declared((theta, theta), noises=(xi,)), "xi, which no update uses"),
        (lambda: declared((theta, theta + xi)), "add xi to noises="),
        (lambda: declared((theta, theta), (v, v)), "add v to state="),
        (lambda: declared((theta, theta + local("g"))), "g, which has no value yet"),
        (lambda: declared((theta, theta), state=(theta, v)), "v, which no update writes"),
        (lambda: declared((v, v), state=(v,)), "name the position theta"),
        (lambda: declared((theta, theta + eps)), "write eps*ones"),
        (lambda: declared((theta, eps**2)), "the scalar eps**2"),
        (lambda: declared((theta, theta - eps * H.name * theta)), "the bare matrix H"),
        (lambda: declared((theta, theta * Parameter("2x", positive=True))), "the name '2x'"),
        (lambda: declared((theta, theta * positive("é"))), "the name 'é'"),
        (lambda: declared((theta, theta * positive("A"))), "the name 'A'"),
        (lambda: declared((theta, v * positive("v")), (v, v), state=(theta, v)), "'v' as a"),
        (lambda: declared((theta, H @ eps)), "the scalar eps in"),
        (
            lambda: declared((theta, theta), start=((theta, 0 * theta),)),
            "theta starts where the user says",
        ),
        (
            lambda: declared((theta, v), (v, v), state=(theta, v), start=((v, eps),)),
            "multiply it by ones",
        ),
        (
            lambda: declared((theta, v), (v, v), state=(theta, v), start=((v, gradient(theta)),)),
            "gradients",
        ),
        (lambda: (H @ matrix("E")).name, "name one matrix"),
    ],
)
def test_wrong_declarations_are_refused(make, words):
    with pytest.raises(DeclarationError) as caught:
        make()
    message = str(caught.value)
    assert words in message
    assert message.startswith("expected ")
    assert message.count(";") >= 2
    assert "\n" not in message


def test_models_are_checked():
    x, w = Vector("x", real=True), normal("w")
    A = positive_definite("A")
    good = {"x": x, "full_gradient": A @ x, "posterior_precision": A @ x}
    Model(gradient=A @ x + w, noises=(w,), **good)
    with pytest.raises(DeclarationError, match="undefined symbol xi"):
        Model(gradient=A @ x + xi, **good)
    with pytest.raises(DeclarationError, match="w in no gradient"):
        Model(gradient=A @ x, noises=(w,), **good)
    with pytest.raises(DeclarationError, match="scalar eps"):
        Model(gradient=eps * sp.Integer(1), **good)


def test_the_language_holds_the_later_loads():
    """Adaptive preconditioners, annealing, burn-in, thermostats, half steps: all can be declared."""
    V, alpha = state("V alpha")
    g, G = local("g G")
    lam, sigma, gamma = positive("lam sigma gamma")
    beta = (t + 1) ** gamma
    declared(
        (g, gradient(theta)),
        (V, sigma * V + (1 - sigma) * g * g),
        (G, ones / (lam * ones + sp.sqrt(V))),
        (alpha, sp.Piecewise((alpha + (v * v - eps / beta * ones) / 2, t < 100), (alpha, True))),
        (v, sp.exp(-alpha / 2) * v - eps * G * g + sp.sqrt(2 * eps / beta) * xi),
        (theta, theta + G * v / 2 + dot(v, v) * v),
        state=(theta, v, V, alpha),
        noises=(xi,),
        start=((v, sp.sqrt(eps) * xi),),
    )


def test_kinds_and_noise_laws():
    assert kind(dot(theta, v) * eps) == "scalar"
    assert kind(sp.Piecewise((theta, t < 3), (v, True))) == "vector"
    with pytest.raises(DeclarationError):
        kind(sp.Piecewise((theta, t < 3), (eps, True)))
    assert [rademacher("s").moment(k) for k in range(4)] == [1, 0, 1, 0]
    assert [type(xi).moment(k) for k in (2, 4)] == [1, 3]
    assert isinstance(theta, State)
