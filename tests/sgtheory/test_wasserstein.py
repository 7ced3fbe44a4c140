"""Distances after n steps against exact laws, quantiles and listed paths; the bounds of Brosse et al."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy as sp

from sgtheory.errors import Unstable, UnusableInput
from sgtheory.numbers.divergence import bures
from sgtheory.numbers.numeric import law
from sgtheory.onestep.affine import LAMBDA
from sgtheory.perturbation import at_mode
from sgtheory.perturbation.symbols import GAMMA
from sgtheory.problem import Problem
from sgtheory.wasserstein import DIFFUSION, Between, bracket
from sgtheory.wasserstein.directions import STEPS, V11, V12, V22, as_N_grows

QUADRATIC = {"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 5, "S": 2}
DATA = {
    "model": "linear_regression",
    "X": [[1, 0], [1, 1], [1, 2], [1, 3]],
    "y": [0, 1, 1, 3],
    "ridge": 1,
    "S": 2,
}
LINE = {"model": "linear_regression", "X": [[1], [2], [-1]], "y": [1, 0, 2], "ridge": 1, "S": 1}
START = {"start": {"theta": [1, -2]}}
PAIRS = [("lmc", "sgld"), ("sgld", "sgd"), ("lmc", "sgldfp"), ("sgldfp", "sgld"), ("lmc", "sgd")]


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("at", [0, 1, 7, None])
@pytest.mark.parametrize("content", [QUADRATIC, DATA], ids=["normal noise", "minibatches"])
def test_moments_are_those_of_the_laws(pair, at, content):
    """``law`` reaches them by modes, or by moving moments through the declared updates."""
    problem = Problem.of({**content, **START, "params": {"gamma": "1/40"}})
    laws = [law(name, problem, at=at) for name in pair]
    P, Q = (found.covariance["theta", "theta"] for found in laws)
    gap = (laws[0].mean["theta"] - laws[1].mean["theta"]) if at is not None else np.zeros(2)
    found = bracket(*pair, problem, at=at)
    assert found.lower**2 == pytest.approx(bures(P, Q) + gap @ gap, rel=1e-6, abs=1e-13)
    assert found.lower <= found.upper + 1e-7
    assert found.exact == (content is QUADRATIC)


def test_the_diffusion_is_the_law_in_continuous_time():
    problem = Problem.of({**QUADRATIC, **START, "params": {"gamma": "1/20"}})
    for at in (1, 4):
        chain, flow = law("lmc", problem, at=at), law("lmc", problem, at=at, time="continuous")
        gap = chain.mean["theta"] - flow.mean["theta"]
        square = bures(*(f.covariance["theta", "theta"] for f in (chain, flow))) + gap @ gap
        assert bracket("lmc", DIFFUSION, problem, at=at).lower ** 2 == pytest.approx(square, rel=1e-6)


def test_bures_is_the_cost_of_the_best_plan():
    """In one dimension by quantiles, in two by the gradient of a convex function that maps P to Q."""
    u = (np.arange(200_000) + 0.5) / 200_000
    from scipy.special import ndtri

    assert bures(np.array([[4.0]]), np.array([[9.0]])) == pytest.approx(np.mean(ndtri(u) ** 2), rel=1e-4)
    P, Q = np.array([[2.0, 1], [1, 1.5]]), np.array([[1.0, -0.2], [-0.2, 3]])
    from scipy.linalg import sqrtm

    root = np.real(sqrtm(P))
    plan = np.linalg.inv(root) @ np.real(sqrtm(root @ Q @ root)) @ np.linalg.inv(root)
    assert plan @ P @ plan == pytest.approx(Q)
    assert np.linalg.eigvalsh(plan).min() > 0
    away = np.eye(2) - plan
    assert bures(P, Q) == pytest.approx(np.trace(away @ P @ away.T))
    assert bures(P, Q) != pytest.approx(np.trace(P + Q - 2 * np.real(sqrtm(P @ P) @ Q)), rel=0.1)


def letters(problem, start, n):
    found = at_mode(problem, problem.values("lmc"))
    return {
        LAMBDA: found.total((0, 0)), V11: found.joint(((0,), (0,))), V12: found.joint(((0,), (0, 0))),
        V22: found.joint(((0, 0), (0, 0))), GAMMA: Fraction(1, 40), STEPS: n,
    }, start - found.minimiser[0]  # fmt: skip


@pytest.mark.parametrize(
    "pair", [*PAIRS, ("lmc", DIFFUSION), ("sgldfp", DIFFUSION), (DIFFUSION, "sgd")], ids="-".join
)
def test_closed_forms_have_the_numbers(pair):
    problem = Problem.of({**LINE, "start": {"theta": [3]}, "params": {"gamma": "1/40"}})
    for n in (0, 1, 5, sp.oo):
        known, start = letters(problem, 3.0, n)
        pair_in_letters = Between(*pair, start=sp.Float(start), minibatches=True)
        found = bracket(*pair, problem, at=None if n == sp.oo else n)
        for formula, value in (
            (pair_in_letters.square(n), found.lower),
            (pair_in_letters.coupled(n), found.upper),
        ):
            assert float(formula.subs(known)) == pytest.approx(value**2, rel=1e-9, abs=1e-12)


def test_coupled_chains_by_listing_every_path():
    """Two chains through the same examples and the same noises: linear in the noises on each path."""
    problem = Problem.of({**LINE, "start": {"theta": [3]}, "params": {"gamma": "1/40"}})
    rows, labels, gamma, at = np.array([1, 2, -1.0]), np.array([1, 0, 2.0]), 1 / 40, 2
    center = at_mode(problem, problem.values("lmc")).minimiser[0]
    whole = rows @ rows + 1

    def drift(name, x, i):  # x: what does not depend on the noises, and what each of them adds
        moved = (3 * rows[i] ** 2 + 1) * x
        at_mode_there = 3 * rows[i] * (rows[i] * center - labels[i]) + center
        if name == "lmc":
            return whole * (x - center * np.eye(len(x))[0])
        if name == "sgldfp":
            return moved - (3 * rows[i] ** 2 + 1) * center * np.eye(len(x))[0]
        moved = moved - 3 * rows[i] * labels[i] * np.eye(len(x))[0]
        assert (
            abs(at_mode_there - (moved - (3 * rows[i] ** 2 + 1) * (x - center * np.eye(len(x))[0]))[0])
            < 1e-9
        )
        return moved

    for pair in PAIRS:
        total = 0.0
        for path in product(range(3), repeat=at):
            ends = []
            for name in pair:
                x = np.zeros(at + 1)
                x[0] = 3.0
                for k, i in enumerate(path):
                    x = x - gamma * drift(name, x, i)
                    x[k + 1] += 0 if name == "sgd" else (2 * gamma) ** 0.5
                ends.append(x)
            total += ((ends[0] - ends[1]) ** 2).sum() / 3**at
        assert bracket(*pair, problem, at=at).upper ** 2 == pytest.approx(total, rel=1e-9)


@pytest.mark.strong
def test_laws_of_real_minibatches_lie_between():
    """After one and two steps both laws are mixtures of normal laws: the distance by their quantiles."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    problem = Problem.of({**LINE, "params": {"gamma": "1/40"}})
    rows, labels, gamma = np.array([1, 2, -1.0]), np.array([1, 0, 2.0]), 1 / 40
    center = at_mode(problem, problem.values("lmc")).minimiser[0]
    problem = Problem.of(
        {
            **LINE,
            "start": {"theta": [str(Fraction(center).limit_denominator(1000))]},
            "params": {"gamma": "1/40"},
        }
    )
    begin = float(problem.start["theta"][0])
    slopes = 3 * rows**2 + 1

    def after(fixed, steps):
        parts = [(begin, 0.0)]
        for _ in range(steps):
            parts = [
                (
                    m - gamma * (a * (m - center * fixed) - (0 if fixed else b)),
                    (1 - gamma * a) ** 2 * v + 2 * gamma,
                )
                for m, v in parts
                for a, b in zip(slopes, 3 * rows * labels, strict=True)
            ]
        return parts

    def quantile(parts, u):
        return brentq(
            lambda x: np.mean([ndtr((x - m) / v**0.5) for m, v in parts]) - u, -20, 20, xtol=1e-11
        )

    for steps in (1, 2):
        u = (np.arange(2_000) + 0.5) / 2_000
        a, b = ([quantile(after(fixed, steps), x) for x in u] for fixed in (True, False))
        true = np.mean((np.array(a) - b) ** 2) ** 0.5
        found = bracket("sgldfp", "sgld", problem, at=steps)
        assert found.lower * 1.003 < true  # laws are not normal, and midpoints leave out tails
        assert true < found.upper * 1.002
        assert not found.exact


@pytest.mark.parametrize(
    "n", [1, pytest.param(3, marks=pytest.mark.long), pytest.param(sp.oo, marks=pytest.mark.strong)]
)
def test_leading_terms(n):
    """Leading terms against numbers; one power more or less is off by the factor of the step."""
    scaled, small = as_N_grows(sp.Symbol("N", positive=True))
    eta, a, v = (
        sp.Symbol("eta", positive=True),
        sp.Symbol("a", positive=True),
        sp.Symbol("v11", positive=True),
    )
    at = {eta: sp.Rational(1, 3), a: 2, v: 3}
    wanted = {("lmc", DIFFUSION): 1, ("sgld", "sgd"): 2, ("lmc", "sgld"): 0}
    for pair, power in wanted.items():
        found, coefficient = Between(*pair).leading(small, n, scaled)
        assert found == power
        tiny = Between(*pair).square(n).subs(scaled).subs(at).subs(small, sp.Rational(1, 10**8))
        assert sp.N(tiny * 10 ** (8 * power), 30) == pytest.approx(float(coefficient.subs(at)), rel=1e-3)


def test_asymptotics():
    scaled, small = as_N_grows(sp.Symbol("N", positive=True))
    # coupled chains of SGLD and SGD are N^(-1/2) apart, their laws N^-1 where gradient noise is normal
    assert Between("sgld", "sgd").leading(small, sp.oo, scaled, coupled=True)[0] == 1
    assert Between("lmc", DIFFUSION).leading(GAMMA, sp.oo) == (2, LAMBDA / 16)
    assert Between("lmc", "sgld").leading(GAMMA, sp.oo)[0] == 2
    assert Between("lmc", "lmc").leading(GAMMA, sp.oo) == (sp.oo, 0)


# --- the bounds of Brosse et al., Theorem 2, for d = 1 ---


def theorem_2(part, gamma, n, m, L, start, p=1):
    """Squares, from one starting point; ``n`` may be infinite."""
    left = 0.0 if n is None else (1 - m * gamma) ** n
    if part == "iii":
        return 2 / m
    if part == "i":
        once = 0.0 if n is None or n == 0 else n * (1 - m * gamma) ** (n - 1)
        return 2 * L**2 * gamma / (p * m**2) + L**2 * gamma**2 / p * once * start**2
    assert left <= 1
    half = (m + L) / (2 * m)
    late = 0.0 if n is None else n * np.exp(-m / 2 * gamma * (n - 1))
    return gamma * half * (3 + L / m) * (13 / 6 + L / m) + late * L**3 * gamma**3 * (1 + half) * start**2


@pytest.mark.parametrize("n", [1, 10, 100, None])
@pytest.mark.parametrize("gamma", [Fraction(1, 400), Fraction(1, 40)])
def test_theorem_2_holds_and_how_tight_it_is(gamma, n):
    """One example of curvature zero, one that has it all: ratios of bound and square are at least 1."""
    content = {"model": "linear_regression", "X": [[0], [2]], "y": [1, 1], "ridge": 1, "S": 1}
    problem = Problem.of({**content, "start": {"theta": [2]}, "params": {"gamma": gamma}})
    found = at_mode(problem, problem.values("lmc"))
    m, L, start = found.total((0, 0)), 3 * 4.5, 2 - found.minimiser[0]
    assert gamma <= 1 / L
    for part, pair in (("i", ("lmc", "sgldfp")), ("ii", ("lmc", DIFFUSION)), ("iii", ("sgld", "sgd"))):
        distance = bracket(*pair, problem, at=n)
        bound = theorem_2(part, float(gamma), n, m, L, start)
        assert bound >= distance.upper**2 > 0  # the proof couples: it bounds coupled chains too


def test_theorem_2_iii_is_attained_and_half_of_it_is_false():
    """SGD without noise at the step 1/L: its law is a point, that of SGLD has variance 2/m."""
    pair = Between("sgld", "sgd")
    without = pair.square(sp.oo).subs(V11, 0)
    assert sp.simplify(without - 2 / (LAMBDA * (2 - GAMMA * LAMBDA))) == 0
    assert without.subs(GAMMA, 1 / LAMBDA) == 2 / LAMBDA
    half = 1 / LAMBDA
    assert (without - half).subs({LAMBDA: 1, GAMMA: sp.Rational(1, 2)}) > 0


def test_what_is_refused():
    problem = Problem.of({**QUADRATIC, "params": {"gamma": "1/40"}})
    with pytest.raises(UnusableInput, match="two diffusions"):
        bracket(DIFFUSION, DIFFUSION, problem)
    with pytest.raises(UnusableInput, match="theta, v"):
        bracket("lmc", "momentum", problem)
    with pytest.raises(Unstable):
        bracket("lmc", "sgld", problem.with_params(gamma=3))
    curved = {"model": "logistic_regression", "X": [[1], [-1]], "y": [1, 1], "ridge": 1, "S": 1}
    with pytest.raises(UnusableInput, match="quadratic"):
        bracket("lmc", "sgld", Problem.of({**curved, "params": {"gamma": "1/9"}}))
