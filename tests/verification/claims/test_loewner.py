"""Orders of matrices, certified and refuted; gains beside injected noise."""

from dataclasses import replace

import numpy as np
import pytest

from verification.claims.base import Printed
from verification.claims.loewner import Loewner, Ordered
from verification.claims.posterior_noise import SamplesPosteriorWithNoise
from verification.notation import EE, A, C, Diagonal, H, N, S, Sigma, eps, identity
from verification.papers.mandt2017.hypotheses import ONE_EXAMPLE
from verification.refuter.script import run

FULL_RANK = (("B", "positive definite"),)


def order(left, right, relation, of="", **more):
    printed = (Ordered(left, right, relation),)
    return Loewner("key", at="here", title="t", says="s.", of=of, paper="test", printed=printed, **more)


def gain(right, *given):
    return SamplesPosteriorWithNoise(
        "key", at="here", title="t", says="s.", of="sgfs", paper="test", given=given,
        printed=(Printed(H, right),),
    )  # fmt: skip


ORDERS = [
    (order(Sigma, (N * A) ** -1, ">=", "sgld"), "proved", "proved"),
    # without gradient noise the process samples the posterior, and the algorithm still does not
    (order(Sigma, (N * A) ** -1, ">", "sgld"), "refuted", "proved"),
    (order(Sigma, (N * A) ** -1, ">", "sgld", kinds=FULL_RANK), "proved", "proved"),
    (order(Sigma, (N * A) ** -1, "<=", "sgld"), "refuted", "refuted"),
    (order(Sigma, 0, ">", "sgfs", kinds=(("E", "positive definite"),)), "proved", "proved"),
    (order(Sigma, 0, ">", "sgfs"), "refuted", "refuted"),
    (order(Sigma, 0, ">=", "sgd"), "proved", "proved"),
]


@pytest.mark.parametrize(("claim", "process", "algorithm"), ORDERS)
@pytest.mark.strong
def test_orders_of_laws(claim, process, algorithm):
    found = claim.find()
    assert (found.verdict, claim.find("discrete").verdict) == (process, algorithm)
    assert claim.twins(found).survivors == ()
    if process == "refuted":
        assert not run(found.counterexample.script)


def test_orders_of_letters():
    assert order(eps * C + EE, 0, ">=").find().verdict == "proved"
    assert order(eps * C + EE, 0, ">").find().verdict == "refuted"
    assert order(eps * C + EE, eps / 2 * C, ">=").find().verdict == "proved"
    wrong = order(Diagonal((C + identity) ** -1), Diagonal(C + identity) ** -1, "<=").find()
    assert wrong.verdict == "refuted"
    assert not run(wrong.counterexample.script)


def test_an_unsymmetric_difference_is_in_no_order():
    assert order(A * C, 0, ">=").find().verdict == "refuted"


def test_how_an_order_is_written():
    assert order(Sigma, (N * A) ** -1, ">", "sgld").printed_latex() == [r"\Sigma \succ \frac{A^{-1}}{N}"]


def test_gains_beside_injected_noise():
    printed = gain(2 / N * (eps * C + EE) ** -1, ONE_EXAMPLE)
    assert printed.find().verdict == "proved"
    assert printed.twins(printed.find()).survivors == ()
    discrete = printed.find("discrete")
    assert discrete.verdict == "limit-only"
    assert discrete.gap.term.text == "O(1/N)"
    exact = replace(printed, printed=discrete.corrected.printed)
    assert exact.find("discrete").verdict == "proved"
    any_minibatch = printed.without(ONE_EXAMPLE)
    assert any_minibatch.find().verdict == "refuted"
    assert any_minibatch.find().corrected.text == "H = 2*(EE^T + eps*C/S)**(-1)/N"
    assert gain(2 / N * (eps / S * C + EE) ** -1).find().verdict == "proved"


def test_the_smallest_eigenvalue_of_an_overestimate():
    source = np.random.default_rng(3)
    for d in (2, 3, 5):
        g, h = source.standard_normal((2, d, d))
        K, N_, S_, step = g @ g.T + np.eye(d), 20.0, 2.0, 0.002
        M = np.eye(d) - step / 2 * N_ * K
        Q = step * np.eye(d) + (step * N_ / 2) ** 2 / S_ * h @ h.T
        P = np.linalg.solve(np.eye(d * d) - np.kron(M, M), Q.ravel()).reshape(d, d)
        assert np.linalg.eigvalsh(P - np.linalg.inv(N_ * K)).min() > 0
