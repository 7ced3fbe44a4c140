"""Five samplers of a stranger's, with claims on each: what is so is proved, what is not is refuted."""

import pytest

from verification.judging.judge import judge, plans
from verification.library import select

pytestmark = pytest.mark.strong

HEAD = """
from sympy import exp, sqrt
from sgtheory.onestep.affine import LAMBDA
from sgtheory.declare import Card, N, Sampler, full_gradient, gradient, local, normal, positive, state
from verification.statements import Printed
from verification.statements.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, identity, second
from verification.statements import Compare, Iff, Stable, claim

def law(key, left, right):
    return StationaryLaw(key, key, key, "x", OWN, (Printed(left, right),), (), "discrete")

def stable(key, *where, only=False):
    told = {"at": key, "title": key, "of": OWN, "time": "discrete"}
    if only:
        return claim(key, read=Iff(Stable(), *where), **told)
    return claim(key, read=Stable(), given=where, **told)
"""

OBABO = """
theta, p = state("theta p")
x1, x2 = normal("x1 x2")
h, g = positive("h g")
c = exp(-g * h / 2)
kick = p - h / 2 * N * gradient(theta)
OWN = Sampler(
    (theta, p),
    (
        (p, c * p + sqrt(1 - c**2) * x1),
        (p, kick),
        (theta, theta + h * p),
        (p, p - h / 2 * N * gradient(theta, 1)),
        (p, c * p + sqrt(1 - c**2) * x2),
    ),
    Card(loss="mean", drift="h N"),
    noises=(x1, x2),
)
not_so_1 = law("not_so_1", N * A * Sigma, identity)
not_so_2 = stable("not_so_2")
so_1 = stable("so_1", Compare(h**2 * N * LAMBDA, "<", 4))
so_2 = stable("so_2", Compare(h**2 * N * LAMBDA, "<", 4), only=True)
so_3 = law("so_3", second("theta", "p") + second("p", "theta"), 0 * Sigma)
"""

LAG = """
theta, old = state("theta old")
new, lr = local("new"), positive("lr")
OWN = Sampler(
    (theta, old),
    ((new, theta - lr * gradient(old)), (old, theta), (theta, new)),
    Card(loss="mean", drift="lr"),
)
so_1 = stable("so_1", Compare(lr * LAMBDA, "<", 1), only=True)
so_2 = law("so_2", second("old", "old"), Sigma)
cross = second("theta", "old") * A + A * second("old", "theta")
so_3 = law("so_3", cross, lr * A * Sigma * A + lr / S * C)
not_so_1 = stable("not_so_1", Compare(lr * LAMBDA, "<", 2))
not_so_2 = law("not_so_2", Sigma * A + A * Sigma - lr * A * Sigma * A, lr / S * C)
"""

POLYAK = """
theta, mean = state("theta mean")
lr, w = positive("lr w")
OWN = Sampler(
    (theta, mean),
    ((theta, theta - lr * gradient(theta)), (mean, (1 - w) * mean + w * theta)),
    Card(loss="mean", drift="lr"),
    given=(w < 1,),
)
M, X, Y = second("mean", "mean"), second("theta", "mean"), second("mean", "theta")
moved = identity - lr * A
so_1 = law("so_1", Sigma * A + A * Sigma - lr * A * Sigma * A, lr / S * C)
so_2 = law("so_2", (2 - w) * M, w * Sigma + (1 - w) * (moved * X + Y * moved))
so_3 = stable("so_3", Compare(lr * LAMBDA, "<", 2), only=True)
not_so_1 = law("not_so_1", (2 - w) * M, w * Sigma)
not_so_2 = stable("not_so_2", Compare(lr * w * LAMBDA, "<", 2))
"""

CORRELATED = """
theta, z = state("theta z")
xi = normal("xi")
eps, rho = positive("eps rho")
OWN = Sampler(
    (theta, z),
    (
        (z, rho * z + sqrt(1 - rho**2) * xi),
        (theta, theta - eps / 2 * N * gradient(theta) + sqrt(eps) * z),
    ),
    Card(loss="mean", drift="eps N/2"),
    noises=(xi,),
    given=(rho < 1,),
)
X = second("theta", "z")
so_1 = law("so_1", second("z", "z"), identity)
so_2 = stable("so_2", Compare(eps * N * LAMBDA, "<", 4), only=True)
so_3 = law("so_3", X, rho * (identity - eps * N * A / 2) * X + sqrt(eps) * identity)
sgld = N * (Sigma * A + A * Sigma) / 2 - eps * N**2 * A * Sigma * A / 4
not_so_1 = law("not_so_1", sgld, eps * N**2 / (4 * S) * C + identity)
not_so_2 = law("not_so_2", X, sqrt(eps) * identity)
"""

TWO_POINTS = """
theta, anchor = state("theta anchor")
xi = normal("xi")
eta, q = positive("eta q")
r = sqrt(1 - q)
variates = gradient(theta) - gradient(anchor) + full_gradient(anchor)
OWN = Sampler(
    (theta, anchor),
    (
        (theta, theta - eta / 2 * N * variates + sqrt(eta) * xi),
        (anchor, r * anchor + (1 - r) * theta),
    ),
    Card(loss="mean", drift="eta N/2"),
    noises=(xi,),
    given=(q < 1,),
)
left = N * (Sigma * A + A * Sigma) - eta * N**2 * A * Sigma * A / 2
cross = second("theta", "anchor") + second("anchor", "theta")
so_1 = law("so_1", left, 2 * identity)
so_2 = stable("so_2", Compare(eta * N * LAMBDA, "<", 4), only=True)
so_3 = law("so_3", (1 - r) * cross, (1 - r) ** 2 * Sigma + q * second("anchor", "anchor"))
not_so_1 = law("not_so_1", left, 2 * identity + eta * N**2 * C / (2 * S))
not_so_2 = law("not_so_2", second("anchor", "anchor"), Sigma)
"""

SAMPLERS = {
    "obabo": OBABO, "lag": LAG, "polyak": POLYAK, "correlated": CORRELATED, "two_points": TWO_POINTS
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLERS)
def test_claims_on_a_sampler_are_judged(name, tmp_path):
    path = tmp_path / f"{name}.py"
    path.write_text(HEAD + SAMPLERS[name])
    found = [judge(claim, plan) for claim, plan in plans(select((str(path),)))]
    told = {
        verdict.claim.key: (verdict.word, verdict.finding.reason, verdict.broken) for verdict in found
    }
    assert len(found) == 5
    for verdict in found:
        so = verdict.claim.key.startswith("so")
        words = ("proved",) if so else ("refuted", "proved-if", "limit-only")
        assert verdict.word in words, told
        assert so or verdict.finding.counterexample is not None
        assert verdict.twins.rejected == verdict.twins.tried, verdict.twins
        assert verdict.twins.tried or not so
