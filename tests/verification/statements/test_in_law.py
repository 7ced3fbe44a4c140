"""Printed steps, limit processes and noises: true ones are proved, wrong ones refuted and corrected."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product as product_of

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm

from sgtheory.errors import UnusableInput
from verification.notation import EE, A, B, C, E, H, N, S, eps, identity, mu
from verification.refuter.parameters import is_one
from verification.refuter.script import run
from verification.statements import Assumption, InLaw, claim, deciding
from verification.terms.arithmetics import balls
from verification.terms.kinds import Transpose
from verification.terms.stochastic import (
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

ONE_EXAMPLE, EPS_ONE, MU_ONE = (is_one(name) for name in ("S", "eps", "mu"))
SGD = Row(Change(theta), -eps * GRADIENT * dt + eps / sp.sqrt(S) * B * dW)
KICK = Row(Change(v), -mu * v * dt - eps * A * theta * dt + eps / sp.sqrt(S) * B * dW)
DRIFTING = -eps * H * A * theta * dt


def fresh(of, *rows, lasts=1, **more):
    time = "continuous" if isinstance(rows[0].left, Change) else "discrete"
    statement = InLaw(rows, lasts=lasts)
    return claim("key", at="somewhere", title="a title", of=of, printed=statement, time=time, **more)


STEPS = {
    "sgd": fresh("sgd", Row(Difference(theta), -eps * GRADIENT + eps / sp.sqrt(S) * B * DeltaW)),
    "sgld": fresh(
        "sgld",
        Row(After(theta), theta - eps / 2 * N * NOISY_GRADIENT + sp.sqrt(eps) * V),
    ),
    "momentum": fresh(
        "momentum",
        Row(After(v), (1 - mu) * v - eps * NOISY_GRADIENT),
        Row(After(theta), theta + After(v)),
    ),
    "sgfs": fresh(
        "sgfs",
        Row(After(theta), theta - eps * H * NOISY_GRADIENT + sp.sqrt(eps) * H * E * W),
    ),
    "momentum, mu = 1": fresh(
        "momentum", Row(After(theta), theta - eps * NOISY_GRADIENT), given=(MU_ONE,)
    ),
}
SLOW = ("momentum", "sgfs")
LIMITS = {
    "sgd": fresh("sgd", SGD),
    "momentum": fresh("momentum", KICK, Row(Change(theta), v * dt)),
    "gain": fresh(
        "sgd",
        Row(Change(theta), -H * A * theta * dt + H * B * dW / sp.sqrt(S)),
        given=(EPS_ONE,),
    ),
    "sgfs": fresh(
        "sgfs",
        Row(Change(theta), DRIFTING + H * (eps * B * dW + sp.sqrt(eps) * E * dV)),
        given=(ONE_EXAMPLE,),
    ),
    "sgfs, a root": fresh(
        "sgfs",
        Row(Change(theta), DRIFTING + H * MatrixRoot(eps**2 * C + eps * EE) * dW),
        given=(ONE_EXAMPLE,),
    ),
    "another clock": fresh(
        "sgd",
        Row(Change(theta), -A * theta * dt + sp.sqrt(eps / S) * B * dW),
        lasts=eps,
    ),
}
ONE_NOISE = fresh(
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
    assert LIMITS[name].find("discrete").verdict == ("refuted" if name == "momentum" else "limit-only")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.strong] if n in SLOW else []) for n in LIMITS]
)
def test_what_is_true_of_the_algorithm_is_its_step(name):
    """Held against the declared updates on unit vectors, with gains that commute with nothing."""
    true = LIMITS[name].find("discrete").corrected
    step = replace(LIMITS[name], statement=true.printed[0], time="discrete")
    asked, source = deciding.asked(step), random.Random(name)
    for d in (1, 2, 3, 4):
        place = asked.space.random(source, d)
        for condition in asked.conditions:
            place = condition.imposed(place)
        assert asked.seen(place).holds
        halved = place.but(eps=place.scalars["eps"] / 2) if not asked.conditions else place
        assert asked.seen(halved).holds
    if name not in SLOW:
        assert step.twins(step.find()).survivors == ()


def test_a_process_whose_damping_is_fixed_is_none_that_the_algorithm_tends_to():
    """At mu = 1/2 the algorithm's squared velocity is 2/(2 - mu) times the process's, at every step."""
    found = LIMITS["momentum"].find("discrete")
    assert found.gap is None
    (remark,) = (e for e in found.evidence if "scaling" in e.data)
    assert "mu" in remark.words
    assert remark.data["scaling"] == "sqrt(eps)"
    for e in (1e-2, 1e-4):
        M = np.array([[1 - e, 0.5], [-e, 0.5]])
        law = np.linalg.solve(np.eye(4) - np.kron(M, M), np.full(4, e**2)).reshape(2, 2)
        assert law[1, 1] / (e**2 / (2 * 0.5)) == pytest.approx(2 / 1.5, rel=0.5 * e**0.5)


def test_a_process_whose_damping_is_taken_to_zero_is_one_that_the_algorithm_tends_to():
    small = Assumption("step and damping are small", small=("eps", "mu"))
    found = replace(LIMITS["momentum"], given=(*LIMITS["momentum"].given, small)).find("discrete")
    assert (found.verdict, found.gap.order, found.gap.term.text) == ("limit-only", "1/2", "O(sqrt(eps))")
    assert not any("scaling" in e.data for e in found.evidence)


def test_a_step_of_momentum_is_no_step_of_sgd_unless_mu_is_one():
    finding = replace(STEPS["momentum, mu = 1"], given=()).find()
    assert finding.verdict == "refuted"
    assert "(1 - mu)*v" in finding.corrected.text
    assert not run(finding.counterexample.script)


def test_momentum_at_mu_one_is_sgd_but_its_printed_process_is_not():
    at_one = fresh("momentum", SGD, given=(MU_ONE,))
    assert at_one.find().verdict == "refuted"
    said = "d theta = v*dt; d v = -v*dt - eps*A*theta*dt + eps*B*dW/sqrt(S)"
    assert at_one.find().corrected.text == said
    assert at_one.find("discrete").verdict == "limit-only"


def test_one_wiener_process_for_two_independent_noises():
    finding = ONE_NOISE.find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text.endswith("eps*H*B*dW + sqrt(eps)*H*E*dV")
    assert not run(finding.counterexample.script)


def test_noise_of_sgld_is_off_by_a_factor_of_two():
    drift, noise = -eps / 2 * N * A * theta * dt, sp.sqrt(eps) * dV
    wrong = fresh("sgld", Row(Change(theta), drift + noise + eps / sp.sqrt(S) * N * B * dW))
    right = wrong.find().corrected
    assert "eps*N*B*dW/(2*sqrt(S))" in right.text
    assert replace(wrong, statement=right.printed[0]).find().verdict == "proved"
    assert wrong.find("discrete").verdict == "refuted"


@pytest.mark.strong
def test_order_in_a_product_matters_unless_the_letters_commute():
    turned = fresh(
        "sgd",
        Row(Change(theta), -A * H * theta * dt + H * B * dW / sp.sqrt(S)),
        given=(EPS_ONE,),
    )
    assert (turned.find().verdict, turned.find().condition) == ("proved-if", "A and H commute")


def test_gap_of_the_mean_is_the_first_term_dropped():
    gap = LIMITS["sgd"].find("discrete").gap
    assert gap.term.text == "eps*A/2"
    assert LIMITS["sgfs"].find("discrete").gap.term.text == "eps*H*A/2"
    for x in (1e-3, 1e-4):
        assert (np.exp(-x) - (1 - x)) / x == pytest.approx(x / 2, rel=x)


def test_what_a_process_does_in_a_unit_of_time():
    """Blocks of both, against SciPy's exponential and the covariance as an integral."""
    source, enclosed = np.random.default_rng(4), balls(30)

    def ball(X):
        return enclosed.number([[Fraction(x) for x in row] for row in X.tolist()])

    first, second = map(enclosed.number, (0, 1))
    times = (np.arange(4000) + 0.5) / 4000
    for d in (1, 2, 3):
        F, G = source.integers(-8, 9, (2, d, d)) / 16
        Q = G @ G.T
        spread = sum(expm(F * t) @ Q @ expm(F.T * t) for t in times) / 4000
        found = (
            enclosed.exp_block(first, first, ball(F)),
            enclosed.spread_block(first, first, ball(F), ball(Q)),
        )
        for one, exact in zip(found, (expm(F), spread), strict=True):
            assert np.allclose(np.array(one.tolist(), dtype=float), exact, atol=1e-6)
        # two states, one of them driven by the other, with numbers among the blocks
        whole = np.block([[-np.eye(d) / 2, F], [0 * F, -np.eye(d)]])
        blocks = enclosed.number(Fraction(-1, 2)), ball(F), enclosed.number(0), enclosed.number(-1)
        corner = enclosed.exp_block(first, second, *blocks)
        assert np.allclose(np.array(corner.tolist(), dtype=float), expm(whole)[:d, d:], atol=1e-9)
    assert float(enclosed.exp_block(first, first, enclosed.number(-1))) == pytest.approx(np.exp(-1))


def test_a_drift_that_is_a_number_is_held_against_the_algorithm_too():
    finding = fresh("sgd", Row(Change(theta), -eps * theta * dt)).find("discrete")
    assert finding.verdict == "refuted"
    assert not run(finding.counterexample.script)


def test_a_covariance_is_the_mean_over_all_signs_of_the_noises():
    source = np.random.default_rng(5)
    values = {n: source.integers(-3, 4, (2, 2)).astype(float) for n in ("A", "B", "E", "X")}
    values["A"] = values["A"] @ values["A"].T
    values |= {"C": values["B"] @ values["B"].T, "EE^T": values["E"] @ values["E"].T}
    X = sp.Symbol("X", commutative=False)
    form = read(
        (
            Row(Change(theta), (A * B + 2 * E) * dW + X * dV),
            Row(Change(v), A * dV - (3 * B + X * E) * dW),
        )
    )

    def value(expr):
        total = np.zeros((2, 2))
        for term in sp.Add.make_args(sp.expand(expr)):
            scalars, words = term.args_cnc()
            product = np.eye(2) * float(sp.Mul(*scalars))
            for word in words:
                base, power = word.as_base_exp()
                name, turned = (base.args[0].name, True) if base.args else (base.name, False)
                one = values[name].T if turned else values[name]
                product = product @ np.linalg.matrix_power(one, int(power))
            total += product
        return total

    signs = [np.array(s) for s in product_of((1, -1), repeat=4)]
    for a, b in (("theta", "theta"), ("theta", "v"), ("v", "v")):
        drawn = {
            t: [value(form.noise[t, dW][0]) @ s[:2] + value(form.noise[t, dV][0]) @ s[2:] for s in signs]
            for t in (a, b)
        }
        average = sum(np.outer(x, y) for x, y in zip(drawn[a], drawn[b], strict=True)) / len(signs)
        assert np.allclose(value(form.covariance(a, b)), average)


def test_noises():
    pair = sp.symbols("C D", commutative=False)
    under_root = sum(x * Transpose(x) for x in pair)
    any_two = {"kinds": (("C", "any"), ("D", "any"))}
    both = pair[0] * dW + pair[1] * dV
    true = fresh("", Row(both, MatrixRoot(under_root) * dW, "~", plainly=True), **any_two)
    assert true.find().verdict == "proved"
    assert true.twins(true.find()).survivors == ()
    assert true.printed_latex() == [r"C dW + D dV \sim \sqrt{C C^{\top} + D D^{\top}} dW"]
    wrong = fresh("", Row(both, (pair[0] + pair[1]) * dW, "~", plainly=True), **any_two).find()
    assert wrong.verdict == "refuted"
    assert wrong.corrected.text == true.statement.text()
    assert not run(wrong.counterexample.script)


def test_independent_noises_add_their_covariances():
    both = sp.sqrt(eps) * dV + eps / sp.sqrt(S) * N * B * dW
    for factor, verdict in ((1, "proved"), (sp.Rational(1, 4), "refuted")):
        root = MatrixRoot(eps * identity + factor * eps**2 * N**2 / S * C)
        assert fresh("", Row(both, root * dW, "~")).find().verdict == verdict


def test_rows_that_say_nothing_are_refused():
    with pytest.raises(UnusableInput, match="right end"):
        read((Row(Change(theta), A * dt * theta),))
    with pytest.raises(UnusableInput, match="one root"):
        read((Row(Change(theta), (MatrixRoot(C) + E) * dW),))
