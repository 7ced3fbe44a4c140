"""Third and fourth moments: against the enumeration of all minibatches, and against wrong twins."""

import json
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgtheory import law
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.numbers.fourth import _Minibatch, fourth_moments
from sgtheory.problem import Problem
from tests.sgtheory.minibatches import (
    HAND,
    GaussianMean,
    LinearRegression,
    OneCurvature,
    World,
    affine_map,
    draws,
    exactly,
)
from tests.sgtheory.test_data_models import MODELS, data_sets, numbers_of, problem_of

SETTLING = [n for n in HAND if n not in ("averaged_sgd", "reshuffled_sgd")]

# three numbers with the moments of a standard normal number up to the fifth
NODES = ((-(3**0.5), 1 / 6), (0.0, 2 / 3), (3**0.5, 1 / 6))


class Enumeration:
    """The chain's moments from every minibatch and every value of a noise with three values."""

    def __init__(self, name, data, numbers, S, replacement):
        self.hand, self.data, self.numbers = HAND[name], data, numbers
        self.choices = draws(data.N, S, replacement)
        self.n = len(self.hand.states) * data.D
        self.period = self.hand.period(data.N, S, numbers)
        still = np.zeros(data.D)
        mode = np.array([float(x) for x in data.mode])
        self.center = np.concatenate([still if s == "v" else mode for s in self.hand.states])

    def maps(self, clock):
        """All (z, 1) -> (z', 1) of a step, z measured from the mode, with their chances."""
        for batches in product(self.choices, repeat=self.hand.draws):
            chance = float(np.prod([self.choices[b] for b in batches]))
            M, c, Q = affine_map(self.hand, World(self.data, self.numbers, batches, clock))
            M, c, Q = M.astype(float), c.astype(float), Q.astype(float)
            values, vectors = np.linalg.eigh(Q)
            columns = (vectors * np.sqrt(np.clip(values, 0, None))).T[
                values > 1e-14 * max(values.max(), 1)
            ]
            T = np.eye(self.n + 1)
            T[:-1, :-1], T[:-1, -1] = M, c + M @ self.center - self.center
            for picks in product(NODES, repeat=len(columns)):
                moved = T.copy()
                for (z, _), column in zip(picks, columns, strict=True):
                    moved[:-1, -1] += z * column
                yield moved, chance * float(np.prod([w for _, w in picks]))

    @cached_property
    def operator(self):
        """The mean of T (x) T (x) T (x) T over a period, on all tensors."""
        size = self.n + 1
        total = np.eye(size**4)
        for clock in range(self.period):
            pairs, chances = zip(*((np.kron(T, T).ravel(), w) for T, w in self.maps(clock)), strict=True)
            both = (np.array(pairs).T * np.array(chances)) @ np.array(pairs)
            both = both.reshape((size**2,) * 4).transpose(0, 2, 1, 3).reshape(size**4, size**4)
            total = both @ total
        return total

    @cached_property
    def moments(self):
        """E[y y y y] as a tensor, y = (z, 1)."""
        L, size = self.operator, self.n + 1
        found = np.linalg.solve(np.eye(size**4 - 1) - L[:-1, :-1], L[:-1, -1])
        return np.append(found, 1.0).reshape((size,) * 4)

    def central(self, *index):
        """The mean of a product of coordinates."""
        return self.moments[index + (self.n,) * (4 - len(index))]

    @cached_property
    def radius(self):
        """The growth of fourth powers, per step."""
        size = self.n + 1
        inner = [k for k in range(size**4) if self.n not in np.unravel_index(k, (size,) * 4)]
        values = np.linalg.eigvals(self.operator[np.ix_(inner, inner)])
        return abs(values).max() ** (1 / self.period)


def farthest(found, other, n):
    """The largest difference between two sets of moments, in units of the deviations."""
    deviations = np.sqrt([max(other.central(k, k), 1e-300) for k in range(n)])
    indices = [i for order in (1, 2, 3, 4) for i in combinations_with_replacement(range(n), order)]
    return max(
        abs(found.central(*i) - other.central(*i)) / float(np.prod(deviations[list(i)])) for i in indices
    )


@st.composite
def cases(draw, model, name):
    """A small chain twice: by hand, and as a problem. Both have steps that are far from unstable."""
    hand = HAND[name]
    largest = {"theta": 4}.get("".join(hand.states), 3)
    data = draw(data_sets(model, st.integers(2, largest)))
    assume(data.D == 1 or (hand.draws == 1 and not name.startswith("sghmc")))
    S, replacement = draw(st.integers(1, 2 if hand.draws > 1 else 3)), draw(st.booleans())
    replacement = replacement or data.N < S
    if name == "sgd_square_root":
        assume(all(sum(data.gradient(n, data.mode) ** 2 for n in range(data.N))))
    share = Fraction(draw(st.sampled_from(["1/20", "1/4", "1/2"])))
    mu = Fraction(draw(st.sampled_from(["1/2", "4/5"])))
    gains = {1: ([[2]], [[3]]), 2: ([[2, 1], [1, 3]], [[1, -1], [2, 0]])}[data.D]
    numbers = numbers_of(name, data, S, share, mu, *gains, T=draw(st.integers(1, 2)))
    problem = problem_of(name, data, S, numbers, replacement)
    return Enumeration(name, data, numbers, S, replacement), problem


@pytest.mark.parametrize(
    ("model", "name"),
    [
        pytest.param(m, n, marks=[pytest.mark.strong] if n == "nesterov" else [])
        for m, n in product(MODELS, SETTLING)
    ],
)
@settings(max_examples=3)
@given(data=st.data())
def test_moments_are_those_of_all_minibatches(model, name, data):
    chain, problem = data.draw(cases(model, name))
    stable = law(name, problem)
    assume(stable.stable and chain.radius < 0.98)
    variances = [chain.central(k, k) for k in range(chain.n)]
    assume(min(variances) > max(1e-6 * max(variances), 1e-12))
    found = fourth_moments(name, problem)
    assert farthest(found, chain, chain.n) < 1e-9
    # at a critical damping eigenvalues meet, and rounding moves each by its root of order up to five
    assert found.radius == pytest.approx(chain.radius, rel=5e-3)
    for k in range(chain.data.D):
        skew, square = chain.central(k, k, k), chain.central(k, k)
        assert found.skewness[k] == pytest.approx(skew / square**1.5, abs=1e-9)
        kurtosis = chain.central(k, k, k, k) / square**2
        assert found.excess_kurtosis[k] == pytest.approx(kurtosis - 3, abs=1e-9)


DATA = LinearRegression(
    exactly([[1, 0], [0, 1], [1, 1], [2, -1]]), exactly([1, -1, 2, 0]), Fraction(0), Fraction(1)
)
STEP = {"eps": Fraction(1, 8), "H": exactly([[1, 0], [0, 1]])}


def chain_of(data=DATA, S=2, replacement=False):
    return Enumeration("sgd", data, STEP, S, replacement)


def problem_with(S=2, replacement=False):
    return problem_of("sgd", DATA, S, STEP, replacement)


def test_wrong_twins_are_seen(monkeypatch):
    found = fourth_moments("sgd", problem_with())
    assert farthest(found, chain_of(), 2) < 1e-12
    assert farthest(found, chain_of(replacement=True), 2) > 1e-2  # the other way of drawing
    assert farthest(found, chain_of(OneCurvature(DATA.X, DATA)), 2) > 1e-2  # one curvature for all
    gaussian = fourth_moments("sgd", gaussian_problem(found.covariance))
    assert farthest(gaussian, chain_of(), 2) > 1e-2
    whole = _Minibatch.cumulants.func
    for forgotten in (3, 4):  # what of a minibatch is not Gaussian, in one order

        def twin(self, forgotten=forgotten):
            return {k: m * (k != forgotten) for k, m in whole(self).items()}

        monkeypatch.setattr(_Minibatch, "cumulants", property(twin))
        found = fourth_moments("sgd", problem_with(S=1))
        assert farthest(found, chain_of(S=1), 2) > 1e-2


def gaussian_problem(covariance):
    """Constant SGD with eps = A = 1: its covariance is C/S."""
    whole = {"hessian": [[1, 0], [0, 1]], "noise": covariance.tolist(), "N": 4, "S": 1}
    return Problem.of({**whole, "params": {"eps": 1}})


def test_regression_in_one_dimension_by_hand():
    """z' = a z + b with a = 1 - eps x^2, b = eps x r: E[(a z + b)^k] for one k after the other."""
    X, y, eps = [1, 2, 1, 3], [1, 1, -2, 2], Fraction(1, 16)
    mode = Fraction(sum(x * v for x, v in zip(X, y, strict=True)), sum(x * x for x in X))
    pairs = [(1 - eps * x * x, eps * x * (v - x * mode)) for x, v in zip(X, y, strict=True)]

    def mean(i, j):
        return sum(a**i * b**j for a, b in pairs) / len(pairs)

    two = mean(0, 2) / (1 - mean(2, 0))
    three = (mean(0, 3) + 3 * mean(2, 1) * two) / (1 - mean(3, 0))
    four = (mean(0, 4) + 4 * mean(3, 1) * three + 6 * mean(2, 2) * two) / (1 - mean(4, 0))
    found = fourth_moments("sgd", Problem.of({
        "model": "linear_regression", "X": [[x] for x in X], "y": y, "S": 1, "params": {"eps": str(eps)},
    }))  # fmt: skip
    assert found.central(0, 0, 0) == pytest.approx(float(three), rel=1e-13)
    assert found.central(0, 0, 0, 0) == pytest.approx(float(four), rel=1e-13)
    assert found.radius == pytest.approx(float(mean(4, 0)), rel=1e-13)
    assert found.skewness[0] == pytest.approx(float(three) / float(two) ** 1.5, rel=1e-13)
    assert found.excess_kurtosis[0] == pytest.approx(float(four / two**2) - 3, rel=1e-12)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("S", [1, 2, 3, 4, 5])
def test_means_of_draws_have_the_moments_that_are_said(S, replacement):
    """Powers of the mean of S of five numbers, over all draws."""
    numbers = [Fraction(x) for x in (-7, -1, 2, 1, 5)]
    drawn = draws(5, S, replacement)

    class Five(_Minibatch):
        def __init__(self):
            object.__setattr__(self, "S", Fraction(S))
            object.__setattr__(self, "replacement", replacement)
            object.__setattr__(self, "examples", GaussianMean(exactly([[x] for x in numbers])))

    def mean(k):
        return float(sum(p * (sum(numbers[i] for i in b) / S) ** k for b, p in drawn.items()))

    def one(k):
        return float(sum(x**k for x in numbers) / 5)

    weight = Five()._weight
    assert mean(2) == pytest.approx(weight(2) * one(2), abs=1e-13)
    assert mean(3) == pytest.approx(weight(3) * one(3), abs=1e-13)
    assert mean(4) == pytest.approx(weight(4) * one(4) + 3 * weight(2, 2) * one(2) ** 2, abs=1e-12)


def test_small_and_large_coordinates_do_not_meet():
    """A coordinate in other units has the same skewness and kurtosis."""

    def at(unit):
        rows = [[1, 2], [2, -1], [3, 1], [1, 1], [-2, 4]]
        content = {"model": "gaussian_mean", "X": [[a, b * unit] for a, b in rows], "S": 2}
        return fourth_moments("sgld", Problem.of({**content, "params": {"eps": "1/20",
                              "H": [["1/2", 0], [0, 1]]}}))  # fmt: skip

    quiet = fourth_moments("sgd", Problem.of({"model": "gaussian_mean", "S": 1, "params": {"eps": "1/3"},
                           "X": [[1, "1e-9"], [2, "3e-9"], [7, "-4e-9"]]}))  # fmt: skip
    loud = fourth_moments("sgd", Problem.of({"model": "gaussian_mean", "S": 1, "params": {"eps": "1/3"},
                          "X": [[1, 1], [2, 3], [7, -4]]}))  # fmt: skip
    np.testing.assert_allclose(quiet.excess_kurtosis, loud.excess_kurtosis, rtol=1e-10)
    np.testing.assert_allclose(quiet.skewness, loud.skewness, rtol=1e-10)
    assert at(1).excess_kurtosis[0] == pytest.approx(at(1000).excess_kurtosis[0], rel=1e-9)


GAUSSIAN = Problem.of({"hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 1]], "N": 9, "S": 1,
                       "params": {"eps": "1/9", "mu": "1/2"}})  # fmt: skip


def test_a_gaussian_chain_has_the_moments_of_isserlis():
    found = fourth_moments("momentum", GAUSSIAN)
    assert not found.skewness.any()
    assert not found.excess_kurtosis.any()
    assert found.radius == pytest.approx(law("momentum", GAUSSIAN).spectral_radius ** 4)
    P = found.covariance
    expected = P[0, 0] * P[1, 3] + 2 * P[0, 1] * P[0, 3]
    assert found.central(0, 0, 1, 3) == pytest.approx(expected)
    assert found.central(3, 1) == P[1, 3]
    assert found.central(0, 0, 1) == found.central(2) == 0
    wide = {"model": "linear_regression", "X": np.eye(12, dtype=int).tolist(), "y": [1] * 12, "S": 1}
    quiet = fourth_moments("lmc", Problem.of({**wide, "params": {"gamma": "1/50"}}))
    assert quiet.excess_kurtosis.tolist() == [0.0] * 12  # the whole gradient has no minibatch


def test_what_does_not_move_has_no_kurtosis():
    whole = fourth_moments("sgd", problem_with(S=4))  # all examples, without replacement
    flat = {"model": "gaussian_mean", "X": [[1, 2], [1, 3], [1, 5]], "S": 1, "params": {"eps": "1/8"}}
    for found, absent in (
        (whole, [True, True]),
        (fourth_moments("sgd", Problem.of(flat)), [True, False]),
    ):
        document = json.loads(json.dumps(found.to_json(), allow_nan=False))
        assert [x is None for x in document["excess_kurtosis"]] == absent
        assert [x is None for x in document["skewness"]] == absent
        assert 0 < document["radius"] < 1


def test_fourth_moments_may_be_missing_where_second_ones_are_not():
    """One example in four is steep: rarely, but then by a lot, the chain is thrown away."""
    data = {"model": "linear_regression", "X": [[3], [3], [3], [7]], "y": [1, -1, 1, 0], "S": 1}

    def growth(eps, power):
        return np.mean([(1 - eps * x * x) ** power for x in (3, 3, 3, 7)])

    tame = Problem.of({**data, "params": {"eps": "1/25"}})
    assert fourth_moments("sgd", tame).radius == pytest.approx(growth(1 / 25, 4))
    wild = Problem.of({**data, "params": {"eps": "1/18"}})
    assert law("sgd", wild).stable
    assert growth(1 / 18, 2) < 1 < growth(1 / 18, 4)
    with pytest.raises(Unstable, match="fourth"):
        fourth_moments("sgd", wild)
    with pytest.raises(Unstable, match="second"):
        fourth_moments("sgd", Problem.of({**data, "params": {"eps": "1/14"}}))


def test_what_has_no_such_moments_is_refused():
    with pytest.raises(UnusableInput, match="drawn independently"):
        fourth_moments("reshuffled_sgd", problem_with())
    with pytest.raises(UnusableInput, match="never settles"):
        fourth_moments("averaged_sgd", problem_with())
    wide = {"model": "linear_regression", "X": np.eye(9, dtype=int).tolist(), "y": [1] * 9, "S": 2}
    with pytest.raises(UnusableInput, match="at most 8 coordinates"):
        fourth_moments("sgd", Problem.of({**wide, "params": {"eps": "1/9"}}))
    with pytest.raises(UnusableInput, match="a period of at most"):
        fourth_moments("iasg", problem_with().with_params(T=100_000))
    with pytest.raises(UnusableInput, match="up to four coordinates below 2"):
        fourth_moments("sgd", problem_with()).central(0, 2)
