"""Printed steps, limit processes and noises: true ones are proved, wrong ones refuted and corrected."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm

from sgtheory.errors import UnusableInput
from verification.claims.limit_process import LimitProcess, transition
from verification.claims.one_step import OneStep
from verification.claims.same_noise import SameNoise
from verification.miner.scalars import Equal
from verification.notation import EE, A, B, C, E, H, N, S, eps, identity, mu
from verification.refuter.script import run
from verification.wiener import (
    GRADIENT,
    NOISY_GRADIENT,
    After,
    Change,
    DeltaW,
    Difference,
    MatrixRoot,
    Row,
    V,
    W,
    dt,
    dV,
    dW,
    read,
    theta,
    v,
)

ONE_EXAMPLE, EPS_ONE, MU_ONE = (Equal((name, "1")) for name in ("S", "eps", "mu"))
SGD = Row(Change(theta), -eps * GRADIENT * dt + eps / sp.sqrt(S) * B * dW)
KICK = Row(Change(v), -mu * v * dt - eps * A * theta * dt + eps / sp.sqrt(S) * B * dW)
DRIFTING = -eps * H * A * theta * dt


def claim(kind, of, *rows, **more):
    return kind("key", at="somewhere", title="a title", says="It says so.", of=of, printed=rows, **more)


STEPS = {
    "sgd": claim(
        OneStep, "sgd", Row(Difference(theta), -eps * GRADIENT + eps / sp.sqrt(S) * B * DeltaW)
    ),
    "sgld": claim(
        OneStep,
        "sgld",
        Row(After(theta), theta - eps / 2 * N * NOISY_GRADIENT + sp.sqrt(eps) * V),
    ),
    "momentum": claim(
        OneStep,
        "momentum",
        Row(After(v), (1 - mu) * v - eps * NOISY_GRADIENT),
        Row(After(theta), theta + After(v)),
    ),
    "sgfs": claim(
        OneStep,
        "sgfs",
        Row(After(theta), theta - eps * H * NOISY_GRADIENT + sp.sqrt(eps) * H * E * W),
    ),
    "momentum, mu = 1": claim(
        OneStep, "momentum", Row(After(theta), theta - eps * NOISY_GRADIENT), given=(MU_ONE,)
    ),
}
SLOW = ("momentum", "sgfs")
LIMITS = {
    "sgd": claim(LimitProcess, "sgd", SGD),
    "momentum": claim(LimitProcess, "momentum", KICK, Row(Change(theta), v * dt)),
    "gain": claim(
        LimitProcess,
        "sgd",
        Row(Change(theta), -H * A * theta * dt + H * B * dW / sp.sqrt(S)),
        given=(EPS_ONE,),
    ),
    "sgfs": claim(
        LimitProcess,
        "sgfs",
        Row(Change(theta), DRIFTING + H * (eps * B * dW + sp.sqrt(eps) * E * dV)),
        given=(ONE_EXAMPLE,),
    ),
    "sgfs, a root": claim(
        LimitProcess,
        "sgfs",
        Row(Change(theta), DRIFTING + H * MatrixRoot(eps**2 * C + eps * EE) * dW),
        given=(ONE_EXAMPLE,),
    ),
    "another clock": claim(
        LimitProcess,
        "sgd",
        Row(Change(theta), -A * theta * dt + sp.sqrt(eps / S) * B * dW),
        lasts=eps,
    ),
}
ONE_NOISE = claim(
    LimitProcess,
    "sgfs",
    Row(Change(theta), DRIFTING + H * (eps * B + sp.sqrt(eps) * E) * dW),
    given=(ONE_EXAMPLE,),
)


@pytest.mark.parametrize("name", STEPS)
def test_a_printed_step_is_the_declared_one(name):
    finding = STEPS[name].find()
    assert finding.verdict == "proved"
    twins = STEPS[name].twins(finding)
    assert twins.survivors == ()
    assert twins.rejected > 5


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.strong] if n in SLOW else []) for n in LIMITS]
)
def test_a_printed_process_is_the_limit_and_not_the_algorithm(name):
    limit = LIMITS[name].find()
    assert limit.verdict == "proved"
    assert LIMITS[name].twins(limit).survivors == ()
    assert LIMITS[name].find("discrete").verdict == "limit-only"


def test_a_step_of_momentum_is_no_step_of_sgd_unless_mu_is_one():
    finding = replace(STEPS["momentum, mu = 1"], given=()).find()
    assert finding.verdict == "refuted"
    assert "(1 - mu)*v" in finding.corrected.text
    assert not run(finding.counterexample.script)


def test_momentum_at_mu_one_is_sgd_but_its_printed_process_is_not():
    at_one = claim(LimitProcess, "momentum", SGD, given=(MU_ONE,))
    assert at_one.find().verdict == "refuted"
    assert at_one.find().corrected.text == "d theta = v*dt"
    assert at_one.find("discrete").verdict == "limit-only"


def test_one_wiener_process_for_two_independent_noises():
    finding = ONE_NOISE.find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text.endswith("eps*H*B*dW + sqrt(eps)*H*E*dV")
    assert not run(finding.counterexample.script)


def test_noise_of_sgld_is_off_by_a_factor_of_two():
    drift, noise = -eps / 2 * N * A * theta * dt, sp.sqrt(eps) * dV
    wrong = claim(
        LimitProcess, "sgld", Row(Change(theta), drift + noise + eps / sp.sqrt(S) * N * B * dW)
    )
    right = wrong.find().corrected
    assert "eps*N*B*dW/(2*sqrt(S))" in right.text
    assert replace(wrong, printed=right.printed).find().verdict == "proved"
    assert wrong.find("discrete").verdict == "refuted"


@pytest.mark.strong
def test_order_in_a_product_matters_unless_the_letters_commute():
    turned = claim(
        LimitProcess,
        "sgd",
        Row(Change(theta), -A * H * theta * dt + H * B * dW / sp.sqrt(S)),
        given=(EPS_ONE,),
    )
    assert (turned.find().verdict, turned.find().condition) == ("proved-if", "A and H commute")


def test_gap_of_the_mean_is_the_first_term_dropped():
    gap = LIMITS["sgd"].find("discrete").gap
    assert gap.text == "relative gap eps*lambda/2, of order 1 in eps"
    for x in (1e-3, 1e-4):
        assert (np.exp(-x) - (1 - x)) / x == pytest.approx(x / 2, rel=x)


def test_transition_against_matrix_exponentials():
    source = np.random.default_rng(4)
    for d in (1, 2, 3):
        F = source.integers(-8, 9, (d, d)) / 16
        G = source.integers(-8, 9, (d, d)) / 16
        Q = G @ G.T

        def exact(m):
            return [[Fraction(x) for x in row] for row in m.tolist()]

        mean, covariance, error = transition(exact(F), exact(Q))
        assert error < 1e-9
        assert np.allclose(np.array(mean, dtype=float), expm(F), atol=1e-12)
        block = expm(np.block([[F, Q], [np.zeros((d, d)), -F.T]]))
        assert np.allclose(np.array(covariance, dtype=float), block[:d, d:] @ expm(F).T, atol=1e-12)
    nilpotent = [[Fraction(0), Fraction(1)], [Fraction(0), Fraction(0)]]
    assert transition(nilpotent, nilpotent)[2] == 0


def test_noises():
    pair = sp.symbols("C D", commutative=False)
    under_root = sum(x * sp.Symbol(f"{x}^T", commutative=False) for x in pair)
    both = pair[0] * dW + pair[1] * dV
    true = claim(SameNoise, "", Row(both, MatrixRoot(under_root) * dW, "~", plainly=True))
    assert true.find().verdict == "proved"
    assert true.twins(true.find()).survivors == ()
    assert true.printed_latex() == [r"C dW + D dV \sim \sqrt{C C^{\top} + D D^{\top}} dW"]
    wrong = claim(SameNoise, "", Row(both, (pair[0] + pair[1]) * dW, "~", plainly=True)).find()
    assert wrong.verdict == "refuted"
    assert wrong.corrected.printed == true.printed
    assert not run(wrong.counterexample.script)


def test_independent_noises_add_their_covariances():
    both = sp.sqrt(eps) * dV + eps / sp.sqrt(S) * N * B * dW
    for factor, verdict in ((1, "proved"), (sp.Rational(1, 4), "refuted")):
        root = MatrixRoot(eps * identity + factor * eps**2 * N**2 / S * C)
        assert claim(SameNoise, "", Row(both, root * dW, "~")).find().verdict == verdict


def test_rows_that_say_nothing_are_refused():
    with pytest.raises(UnusableInput, match="right end"):
        read((Row(Change(theta), A * dt * theta),))
    with pytest.raises(UnusableInput, match="one root"):
        read((Row(Change(theta), (MatrixRoot(C) + E) * dW),))
