"""Moments of polynomial chains, by all of their paths and by the engine's fourth moments; bounds."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtheory.declare import rademacher
from sgtheory.dynamics.bounds import Certificate, bounds
from sgtheory.dynamics.chain import Drawn, Moments, NotClosed, settles
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.errors import UnusableInput
from sgtheory.numbers.fourth import fourth_moments
from sgtheory.problem import Problem
from sgtheory.reader.exact import is_exactly_definite

x, v, w, xi, A, B = sp.symbols("x v w xi A B", real=True)
a, b, h, s = sp.symbols("a b h s", positive=True)
sign = rademacher("sign")
ROOT = sp.Rational


def tower(noise):
    """Nonlinear, and closed: v is driven by x^2, w by v x."""
    rows = ((x, a * x + b * noise), (v, a * v + x**2 + noise * x), (w, w / 2 + v * x))
    return Step((x, v, w), rows, (noise,))


def test_a_nonlinear_chain_against_all_of_its_paths():
    """Three signs are eight paths; the mean over them is exact."""
    numbers = {a: ROOT(1, 2), b: ROOT(2, 3)}
    moments = Moments(tower(sign).put(numbers))
    assert moments.weights == (1, 2, 3)
    start = {x: 1, v: ROOT(1, 2), w: -1}
    for f in (x**2, v**2, w * x, w**2 - v):
        total = sp.Integer(0)
        for path in product((-1, 1), repeat=3):
            at = dict(start)
            for drawn in path:
                at = {k: e.subs(sign, drawn) for k, e in moments.step.after(at).items()}
            total += f.subs(at)
        assert moments.moved(f, start, 3) == total / 8
        assert (
            moments.moved(f, start, 3) != Moments(tower(xi).put(numbers)).moved(f, start, 3) or f == x**2
        )


def test_stationary_moments_are_what_a_step_keeps_and_are_reached_from_a_point():
    numbers = {a: ROOT(1, 2), b: ROOT(1, 3)}
    symbolic, exact = Moments(tower(xi)), Moments(tower(xi).put(numbers))
    for f in (v, v * x**2, v**2):
        value = symbolic.stationary(f)
        assert sp.simplify(symbolic.stationary(symbolic.image(f)) - value) == 0
        assert value.subs(numbers) == exact.stationary(f)
        assert exact.stable(f)
        # eigenvalues are products of 1/2: after 60 steps 2^-60 of the start is left, and powers of it
        assert abs(exact.moved(f, {x: 1, v: 1, w: 1}, 60) - exact.stationary(f)) < 1e-12


def test_stationary_moments_to_any_order_are_those_of_the_normal_law():
    linear = Moments(Step((x,), ((x, a * x + s * xi),), (xi,)))
    spread = s**2 / (1 - a**2)
    for k in (2, 4, 6, 8):
        assert sp.simplify(linear.stationary(x**k) - sp.factorial2(k - 1) * spread ** (k // 2)) == 0
    assert linear.stationary(x**3) == 0


COIN = {"model": "gaussian_mean", "X": [[-1], [1]], "S": 1, "params": {"eps": "1/2"}}


def test_a_coin_has_the_fourth_moments_that_the_engine_finds():
    moments = Moments(Step((x,), ((x, x / 2 + sign / 2),), (sign,)))
    found = fourth_moments("sgd", Problem.of(COIN))
    assert float(moments.stationary(x**4)) == pytest.approx(found.central(0, 0, 0, 0), rel=1e-12)
    normal = Moments(Step((x,), ((x, x / 2 + xi / 2),), (xi,)))
    assert float(normal.stationary(x**4)) != pytest.approx(found.central(0, 0, 0, 0), rel=1e-2)
    # the law is uniform on [-1, 1]
    assert [moments.stationary(x**k) for k in (2, 4, 6, 8)] == [ROOT(1, k + 1) for k in (2, 4, 6, 8)]


def regression(rows, eps):
    """SGD on least squares with one example at a time: A = X^2 and B = X y come together."""
    table = Drawn((A, B), tuple((X * X, X * y) for X, y in rows))
    return Moments(Step((x,), ((x, x - eps * (A * x - B)),)), (table,))


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(-3, 3)), min_size=2, max_size=5))
def test_minibatches_of_least_squares_have_the_moments_that_the_engine_finds(rows):
    eps = ROOT(1, 16)
    moments = regression(rows, eps)
    problem = Problem.of(
        {
            "model": "linear_regression",
            "X": [[X] for X, _ in rows],
            "y": [y for _, y in rows],
            "S": 1,
            "params": {"eps": "1/16"},
        }
    )
    found = fourth_moments("sgd", problem)
    mean = moments.stationary(x)
    assert mean == ROOT(sum(X * y for X, y in rows), sum(X * X for X, _ in rows))
    assert moments.stable(x**4)
    for k in (2, 3, 4):
        central = float(moments.stationary((x - mean) ** k))
        scale = float(moments.stationary((x - mean) ** 2)) ** (k / 2)
        assert abs(central - found.central(*(0,) * k)) <= 1e-9 * scale


def test_the_moment_that_does_not_close_is_named():
    well = Moments(Step((x,), ((x, x - h * (x**3 - x) + sp.sqrt(2 * h) * xi),), (xi,)))
    assert well.weights is None
    with pytest.raises(NotClosed, match=r"E\[x\*\*2\], whose equation holds x\*\*6") as refused:
        well.stationary(x**2)
    assert refused.value.chain[:2] == (x**2, x**6)
    with pytest.raises(UnusableInput, match="polynomial"):
        Moments(Step((x,), ((x, x / (1 + x**2) + xi),), (xi,)))
    # a mean may close where no second moment does
    odd = Moments(Step((x,), ((x, x / 2 + 1 + xi * x**2),), (xi,)))
    assert odd.stationary(x) == 2
    with pytest.raises(NotClosed):
        odd.stationary(x**2)


def test_moments_that_do_not_settle_are_told():
    heavy = Moments(Step((x,), ((x, a * x + b * x * xi + 1),), (xi,)))
    numbers = {a: ROOT(1, 2), b: ROOT(3, 4)}
    assert heavy.stable(x**2, numbers)  # 1/4 + 9/16 < 1
    assert not heavy.stable(x**4, numbers)  # 1/16 + 6/4 9/16 + 3 81/256 > 1
    with pytest.raises(UnusableInput, match="rational"):
        heavy.stable(x**2)
    still = Moments(Step((x,), ((x, x + xi),), (xi,)))
    with pytest.raises(UnusableInput, match="stationary"):
        still.stationary(x**2)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=5))
def test_the_test_of_the_unit_circle_against_roots(coefficients):
    roots = np.roots([7, *coefficients])
    radius = max(abs(roots), default=0.0)
    if abs(radius - 1) > 1e-6:
        assert settles([Fraction(7), *map(Fraction, coefficients)]) == (radius < 1)


WELL = Diffusion((x,), (x - x**3,), ((sp.sqrt(2),),))
SECOND = 1.0417972964871558  # of exp(-(x^2 - 1)^2/4), by quadrature in test_modified


def quadrature(power):
    from scipy.integrate import quad

    def weight(at):
        return np.exp(-((at * at - 1) ** 2) / 4)

    return quad(lambda at: at**power * weight(at), -9, 9)[0] / quad(weight, -9, 9)[0]


@pytest.mark.parametrize("power", [2, 4])
def test_bounds_of_a_double_well_close_in_on_what_quadrature_finds(power):
    truth, before = quadrature(power), np.inf
    for degree in (6, 10, 14):
        found = bounds(WELL, x**power, degree)
        assert float(found.low) < truth < float(found.high)
        width = float(found.high - found.low)
        assert width < before
        before = width
    assert width < 0.1


def test_a_certificate_with_anything_changed_does_not_hold():
    (found, _) = bounds(WELL, x**2, 8).certificates
    change = WELL.generator
    assert found.check(change, (x,))
    more = Fraction(1, 1000)
    raised = [list(row) for row in found.gram]
    raised[0][0] -= more
    fields = {**vars(found)}
    for name, wrong in (
        ("value", found.value + more),
        ("psi", found.psi + x / 100),
        ("gram", tuple(map(tuple, raised))),
        ("phi", x**2 - x / 100),
    ):
        assert not Certificate(**{**fields, name: wrong}).check(change, (x,))
    # a bound that is false has a matrix that is not positive, however it is written
    too_high = Fraction(11, 10) - found.value
    lowered = [list(row) for row in found.gram]
    lowered[0][0] -= too_high
    false = Certificate(**{**fields, "value": Fraction(11, 10), "gram": tuple(map(tuple, lowered))})
    assert not is_exactly_definite(false.gram, strictly=True)
    assert not false.check(change, (x,))
    # nor does it hold for another process
    assert not found.check(Diffusion((x,), (x - 2 * x**3,), ((sp.sqrt(2),),)).generator, (x,))


def test_bounds_of_a_high_degree_are_close():
    found = bounds(WELL, x**2, 20)
    assert found.low < Fraction(10418, 10000) < found.high < found.low + Fraction(1, 500)


def test_bounds_of_a_kinetic_double_well_need_weights():
    kinetic = Diffusion((x, v), (v, x - x**3 - v), ((0,), (sp.sqrt(2),)))
    found = bounds(kinetic, x**2, 8, weights=(1, 2))
    assert 0.5 < found.low < SECOND < found.high < 1.4
    with pytest.raises(UnusableInput, match="squares exist"):
        bounds(kinetic, x**2, 4)


def test_bounds_of_a_chain_hold_for_its_simulation():
    size = ROOT(1, 8)
    chain = Moments(Step((x,), ((x, x - size * (x**3 - x) + sp.sqrt(2 * size) * sign),), (sign,)))
    found = bounds(chain, x**2, 18, scale=ROOT(5, 2))
    source, at = np.random.default_rng(3), np.zeros(20_000)
    for _ in range(400):
        at = at - (at**3 - at) / 8 + 0.5 * source.choice([-1.0, 1.0], len(at))
    assert float(found.low) < np.mean(at**2) < float(found.high)
    with pytest.raises(UnusableInput, match="as high as"):
        bounds(chain, x**8, 6)
    with pytest.raises(UnusableInput, match="rational"):
        bounds(Diffusion((x,), (-a * x,), ((1,),)), x**2, 4)
