"""Laws on real minibatches, against the enumeration of every minibatch that a step can draw."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgtheory.datamodels.data import Examples
from sgtheory.errors import NotAffine
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from tests.sgtheory.minibatches import (
    HAND,
    Chain,
    GaussianMean,
    Hand,
    LinearRegression,
    OneCurvature,
    exactly,
    eye,
    pairs,
)

MODELS = ("gaussian_mean", "linear_regression")
SETTLING = [n for n in HAND if n != "averaged_sgd"]  # of which there is no limit
CASES = [(m, n) for m in MODELS for n in SETTLING if (m, n) != ("linear_regression", "reshuffled_sgd")]
CLOSE = 1e-10
U = np.finfo(float).eps


def letters(name, step, N, mu):
    """The parameters that make a sampler's step times the largest curvature equal to ``step``."""
    if name.startswith("underdamped"):
        eps = Fraction(float(step / N) ** 0.5).limit_denominator(10**6)
        return {"eps": eps, "gamma": Fraction(3, 2), "tau": Fraction(4, 3)}
    if name.startswith("sghmc"):
        eta = step / N if name.endswith("velocity_first") else step * mu / 2 / N
        return {"eta": eta, "alpha": mu, "beta": mu / 4, "tau": Fraction(4, 3)}
    if name in ("lmc", "sgldfp"):
        return {"gamma": step / N}
    if name == "sgld":
        return {"eps": 2 * step / N}
    if name == "momentum_position_first":
        return {"eps": step * mu / 2, "mu": mu}
    return {"eps": step, "mu": mu} if name in ("momentum", "nesterov") else {"eps": step}


def numbers_of(name, data, S, share, mu, H, E, T):
    """All parameters of a sampler: steps that are a share of the stable ones, gains, windows."""
    gain = exactly(H)
    if "diagonal" in name:
        gain = np.diag(np.diag(gain)) + 0 * eye(data.D)
    if name == "sgd_square_root":  # the default gain, diag(C)^(-1/2)
        spread = sum(data.gradient(n, data.mode) ** 2 for n in range(data.N)) / data.N
        gain = eye(data.D) * exactly([float(x or 1) ** -0.5 for x in spread])
    if name in ("sgfs_scalar", "sgfs_bounded"):
        gain = Fraction(3, 4) * eye(data.D)
    ungained = name.startswith(("sghmc", "underdamped")) or name in ("lmc", "sgldfp")
    curvature = data.curvature if ungained else gain @ data.curvature
    largest = max(abs(np.linalg.eigvals(curvature.astype(float))))
    found = letters(name, share / Fraction(largest).limit_denominator(1000), data.N, mu)
    found |= {} if ungained else {"H": gain}
    found |= {"E": exactly(E)} if name.startswith("sgfs") else {}
    found |= {"h": Fraction(3, 4)} if name == "sgfs_scalar" else {}
    found |= {"h_max": Fraction(3, 4)} if name == "sgfs_bounded" else {}
    found |= {"T": T if data.N % S else data.N // S} if name == "iasg" else {}
    return found | ({"L": T} if name.endswith("refreshed") else {})


def problem_of(name, data, S, numbers, replacement, start=None):
    """The same as the package reads it; what is a default there is left out."""
    used = dict(numbers)
    if name in ("sgd_square_root", "sgfs_scalar", "sgfs_bounded"):
        del used["H"]
    if S * numbers.get("T", 0) == data.N:
        del used["T"]
    content = {"model": "gaussian_mean", "X": data.X, "S": S, "replacement": replacement}
    if isinstance(data, LinearRegression):
        content |= {k: getattr(data, k) for k in ("y", "ridge", "sigma2")} | {"model": MODELS[1]}
    content |= {"params": used, "start": start or {}}
    return Problem.of(_plain(content))


def _plain(value):
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return [_plain(v) for v in value]
    return value if isinstance(value, bool | str) else str(value)


small = st.integers(-3, 3)
GAINS = {1: ([[2]], [[3]]), 2: ([[2, 1], [1, 3]], [[1, -1], [2, 0]])}  # H and E


@st.composite
def data_sets(draw, model, rows):
    d, n = draw(st.integers(1, 2)), draw(rows)
    X = exactly(draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=n, max_size=n)))
    if model == "gaussian_mean":
        return GaussianMean(X)
    y = exactly(draw(st.lists(small, min_size=n, max_size=n)))
    ridge = Fraction(draw(st.sampled_from(["0", "1/2", "3"])))
    if abs(np.linalg.det((X.T @ X).astype(float))) < 0.5:  # flat directions: X'X is a whole matrix
        ridge = Fraction(1)
    return LinearRegression(X, y, ridge, Fraction(draw(st.sampled_from(["1", "4/3"]))))


@st.composite
def cases(draw, model, name):
    """A chain, and the problem that says the same."""
    hand = HAND[name]
    largest = 3 if hand.draws > 1 else 4 if name == "iasg" else 5
    if hand.reshuffled:
        n, S = draw(st.sampled_from([(2, 1), (3, 1), (4, 1), (4, 2), (3, 3)]))
        data = draw(data_sets(model, st.just(n)))
    else:
        data = draw(data_sets(model, st.integers(2, largest)))
        S = draw(st.integers(1, 3 if hand.draws == 1 else 2))
    replacement = hand.reshuffled or S > data.N or draw(st.booleans())
    if name == "sgd_square_root":  # the gain of a coordinate without noise would be infinite
        assume(all(sum(data.gradient(n, data.mode) ** 2 for n in range(data.N))))
    numbers = numbers_of(
        name,
        data,
        S,
        Fraction(draw(st.sampled_from(["1/20", "1/2", "1", "3/2"]))),
        Fraction(draw(st.sampled_from(["1/10", "1/2", "1"]))),
        *GAINS[data.D],
        T=draw(st.integers(1, 3)),
    )
    chain = Chain(hand, data, numbers, S, replacement)
    return chain, problem_of(name, data, S, numbers, replacement)


def stacked(found):
    keyed = dict(found.covariance)
    keyed |= {(b, a): m.T for (a, b), m in found.covariance.items()}
    return np.block([[keyed[a, b] for b in found.states] for a in found.states])


def units(P, d):
    """What a covariance's entries are measured in: the largest deviations of the two states."""
    s = np.repeat([max(np.diag(P)[k : k + d]) ** 0.5 for k in range(0, len(P), d)], d)
    unit = np.outer(s, s)
    return np.where(unit > 0, unit, 1)


def gap(found, expected, d):
    """The largest difference of two covariances."""
    return float((abs(found - expected) / units(expected, d)).max())


def promised(chain, P):
    """What rounding of the inputs alone can do to P.

    P solves P = L(P) + Q. Coefficients come with relative errors of some U, and P with these times
    |(1 - L)^(-1)| (|L| + 1). 64 stands for the operations that make a coefficient.
    """
    unit = np.array([units(P, chain.data.D)[i, j] for i, j in pairs(chain.size)])
    L = chain.contraction() * unit / unit[:, None]
    one = np.eye(len(L))
    return 64 * U * np.linalg.norm(abs(np.linalg.inv(one - L)) @ (abs(L) + one), np.inf)


def growth(chain):
    """The factor of second moments in a step, and how far rounding may move it.

    A simple eigenvalue moves by the perturbation times |x| |y| / |y.x|, its eigenvectors' condition.
    """
    L = chain.contraction()
    values, left, right = scipy.linalg.eig(L, left=True)
    k = abs(values).argmax()
    condition = 1 / max(abs(np.vdot(left[:, k], right[:, k])), U)
    radius = abs(values[k]) ** (1 / chain.period)
    return radius, 64 * U * np.linalg.norm(L) * condition / max(abs(values[k]), U)


def check_stability(found, chain):
    radius, slack = growth(chain)
    if abs(radius - 1) > 1e-6 + slack:  # else nobody can tell
        assert found.stable == (radius < 1)
    if found.spectral_radius < 1 and found.mean_square_radius is not None:  # of drawn curvatures
        assert found.mean_square_radius == pytest.approx(radius, rel=1e-12 + slack)


def check_observables(found, chain, covariance):
    """Correlation times and windows, from the mean map alone: it moves covariances to the next lag."""
    n, d, window = chain.size, chain.data.D, found.average.window
    M = chain.cycle.mean[:n, :n].astype(float)
    lags = [np.linalg.matrix_power(M, k) @ covariance for k in range(2 * window)]
    inside = sum(lags[j - k] if j >= k else lags[k - j].T for j in range(window) for k in range(window))
    across = sum(lags[window + j - k] for j in range(window) for k in range(window))
    assert gap(found.average.covariance, inside[:d, :d] / window**2, d) < CLOSE
    unit = units(covariance, d)[:d, :d]
    assert (abs(found.average.neighbour - across[:d, :d] / window**2) / unit).max() < CLOSE
    away = np.linalg.inv(np.eye(n) - M)
    now = np.diag(covariance)[:d]
    times = 1 + 2 * np.diag(away @ M @ covariance)[:d][now > 0] / now[now > 0]
    # a coordinate's later correlations may cancel: what is off is off by the share of one correlation
    slack = CLOSE * np.linalg.norm(away, np.inf)
    np.testing.assert_allclose(found.autocorrelation_time[now > 0], times, rtol=0, atol=slack)


def check_distances(found, chain, P):
    """Of the state that is the sample from N(mode, R): functions of the eigenvalues r of P against R."""
    at = -chain.data.D if chain.hand.states[-1] == "m" else 0
    P = P[at : at + chain.data.D or None, at : at + chain.data.D or None]
    R = np.linalg.inv((chain.data.N * chain.data.curvature).astype(float))
    if np.linalg.cond(P) > 1e4:  # logarithms and roots of small eigenvalues magnify rounding
        return
    r = scipy.linalg.eigh(P, R, eigvals_only=True)
    assert found.kl_to_posterior == pytest.approx(sum(r - 1 - np.log(r)) / 2, rel=1e-8, abs=1e-10)
    assert found.kl_from_posterior == pytest.approx(sum(1 / r - 1 + np.log(r)) / 2, rel=1e-8, abs=1e-10)
    square = np.trace(P + R - 2 * scipy.linalg.sqrtm(P @ R).real)
    assert found.wasserstein2**2 == pytest.approx(square, rel=1e-8, abs=1e-10 * np.trace(P + R))


@pytest.mark.parametrize(("model", "name"), CASES)
@settings(max_examples=6)
@given(drawn=st.data())
def test_stationary_law_is_that_of_all_minibatches(model, name, drawn):
    chain, problem = drawn.draw(cases(model, name))
    d, window = chain.data.D, drawn.draw(st.integers(1, 4)) if chain.period == 1 else None
    found = law(name, problem, average=window)
    check_stability(found, chain)
    if not found.stable:
        return
    mean, covariance = chain.stationary()
    assume(promised(chain, covariance) < CLOSE)
    np.testing.assert_allclose(
        np.concatenate([found.mean[s] for s in found.states]), mean, rtol=CLOSE, atol=CLOSE
    )
    assert gap(stacked(found), covariance, d) < CLOSE
    check_distances(found, chain, covariance)
    if window and covariance[:d, :d].any():
        check_observables(found, chain, covariance)


def fixed(model, name, replacement=True, S=2, share="1/3"):
    """A generic problem: no symmetry, curvatures that do not commute, S neither 1 nor N."""
    hand = HAND[name]
    X, y = exactly([[1, 2], [-1, 1], [2, -1], [0, 3]]), exactly([1, 0, 3, -2])
    X, y = (X, y) if hand.draws == 1 else (X[:3], y[:3])  # pairs of minibatches are many
    data = GaussianMean(X)
    if model == "linear_regression":
        data = LinearRegression(X, y, Fraction(1, 2), Fraction(4, 3))
    S = data.N if S == "N" else S
    numbers = numbers_of(name, data, S, Fraction(share), Fraction(1, 2), *GAINS[2], T=3)
    start = {"theta": exactly([3, -2])} | ({"v": exactly([1, 2])} if "v" in hand.states else {})
    chain, problem = Chain(hand, data, numbers, S, replacement), (name, data, S, numbers, replacement)
    first = np.concatenate([start.get(s, exactly([0, 0])) for s in hand.states])
    return chain, problem_of(*problem, start), first


IN_TIME = [*CASES, *((m, "averaged_sgd") for m in MODELS)]


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize(("model", "name"), IN_TIME)
def test_moments_after_some_steps(model, name, replacement):
    chain, problem, start = fixed(model, name, replacement)
    # every step multiplies rounding errors by at most |M|
    assert np.linalg.norm(chain.step(0).mean[:-1, :-1].astype(float), 2) < 4
    for n in (0, 1, 2, 5):
        found = law(name, problem, at=n)
        mean, covariance = chain.after(n, start)
        got = np.concatenate([found.mean[s] for s in found.states])
        np.testing.assert_allclose(got, mean, rtol=1e-12, atol=1e-12 * abs(mean).max())
        assert abs(stacked(found) - covariance).max() <= 1e-12 * max(1, abs(covariance).max())


def split_sgd(w, theta):
    """A wrong twin: curvature and gradient at the mode of two different minibatches."""
    return (theta - w.eps * w.H @ (w.g(theta, 0) - w.g(w.mode, 0) + w.g(w.mode, 1)),)


def redrawn_sgldfp(w, theta):
    """A wrong twin: the correction at the mode is taken on a minibatch of its own."""
    drift = w.g(theta, 0) - w.g(w.mode, 1) + w.full(w.mode)
    return (theta - w.gamma * w.N * drift + w.noise(2 * w.gamma),)


def replaced(chain, **changes):
    keep = {k: getattr(chain, k) for k in ("hand", "data", "numbers", "S", "replacement")}
    return Chain(**{**keep, **changes})


def tells_apart(found, right, wrong):
    return gap(found, right[1], 2) < CLOSE and gap(found, wrong[1], 2) > 1e-4


SPREAD = [n for m, n in CASES if m == "linear_regression" and n != "lmc"]


@pytest.mark.parametrize("name", SPREAD)
def test_noise_that_does_not_grow_is_noticed(name):
    chain, problem, _ = fixed("linear_regression", name)
    twin = replaced(chain, data=OneCurvature(chain.data.X, chain.data))
    assert tells_apart(stacked(law(name, problem)), chain.stationary(), twin.stationary())


# without a minibatch, or with one that its two gradients cancel, there is nothing to draw
NOTHING_DRAWN = [
    ("gaussian_mean", "sgldfp"),
    *((m, n) for m in MODELS for n in ("lmc", "reshuffled_sgd")),
]


@pytest.mark.parametrize(("model", "name"), [c for c in CASES if c not in NOTHING_DRAWN])
def test_the_other_way_to_draw_is_noticed(model, name):
    chain, problem, _ = fixed(model, name, replacement=False)
    twin = replaced(chain, replacement=True)
    assert tells_apart(stacked(law(name, problem)), chain.stationary(), twin.stationary())


def test_minibatches_that_forget_are_noticed():
    chain, problem, start = fixed("linear_regression", "sgd")
    twin = replaced(chain, hand=Hand(("theta",), split_sgd, 2))
    right, wrong = (c.after(3, start) for c in (chain, twin))
    assert tells_apart(stacked(law("sgd", problem, at=3)), right, wrong)
    chain, problem, _ = fixed("linear_regression", "sgldfp")
    twin = replaced(chain, hand=Hand(("theta",), redrawn_sgldfp, 2))
    assert tells_apart(stacked(law("sgldfp", problem)), chain.stationary(), twin.stationary())
    chain, problem, _ = fixed("gaussian_mean", "reshuffled_sgd")
    twin = replaced(chain, hand=HAND["sgd"], replacement=False)
    assert tells_apart(stacked(law("reshuffled_sgd", problem)), chain.stationary(), twin.stationary())


def test_growth_in_mean_square_is_found_where_the_mean_is_stable():
    seen = set()
    for share in ("1/3", "1", "3/2", "19/10"):
        chain, problem, _ = fixed("linear_regression", "sgd", S=1, share=share)
        found = law("sgd", problem)
        check_stability(found, chain)
        assert found.spectral_radius < 1
        seen.add(found.stable)
    assert seen == {True, False}


def test_growth_in_mean_square_is_a_number_where_the_mean_is_unstable():
    chain, problem, _ = fixed("linear_regression", "sgd", share="3")
    radius, slack = growth(chain)
    assert law("sgd", problem).mean_square_radius == pytest.approx(radius, rel=1e-12 + slack)


@pytest.mark.parametrize("name", [n for n in SPREAD if n != "sgldfp"])  # whose noise at the mode cancels
def test_the_whole_data_without_replacement(name):
    chain, problem, _ = fixed("linear_regression", name, replacement=False, S="N")
    assert gap(stacked(law(name, problem)), chain.stationary()[1], 2) < CLOSE


def test_an_epoch_that_couples_curvatures_is_refused():
    _, problem, _ = fixed("linear_regression", "reshuffled_sgd")
    with pytest.raises(NotAffine, match="second moments do not close"):
        law("reshuffled_sgd", problem)


def test_floating_point_data_give_the_same_law(tmp_path):
    chain, problem, _ = fixed("linear_regression", "momentum", replacement=False)
    data = chain.data
    np.savez(tmp_path / "data.npz", X=data.X.astype(float), y=data.y.astype(float))
    content = {k: v for k, v in problem.to_json().items() if k not in ("X", "y")}
    found = law("momentum", Problem.of({**content, "data": "data.npz"}, tmp_path))
    assert gap(stacked(found), chain.stationary()[1], 2) < CLOSE


@pytest.mark.strong
def test_many_coordinates_against_plain_iteration():
    """Beyond the dense equation and the table of fourth moments. S = 1, so that N maps are all."""
    d, n, eps = 45, 60, 0.02
    X = np.cos(np.outer(np.arange(1, n + 1) ** 2, np.arange(1, d + 1)) * 0.1)
    y = np.sin(np.arange(n))
    content = {"model": "linear_regression", "X": X.tolist(), "y": y.tolist(), "ridge": n, "S": 1}
    found = law("sgd", Problem.of({**content, "params": {"eps": str(eps)}}))
    mode = np.linalg.solve(X.T @ X / n + np.eye(d), X.T @ y / n)
    single = X[:, :, None] * X[:, None, :] + np.eye(d)
    M, h = np.eye(d) - eps * single, single @ mode - X * y[:, None]
    P, change = np.zeros((d, d)), np.inf
    while change > 1e-14 * abs(P).max():
        moved = (M @ P @ M.transpose(0, 2, 1)).mean(axis=0) + eps**2 * h.T @ h / n
        P, change = moved, abs(moved - P).max()
    # the iteration ends within change / (1 - radius) of its limit: 1e-14 over at least eps
    assert gap(stacked(found), P, d) < CLOSE


@pytest.mark.parametrize("kind", ["the same", "weighted", "turned"])
def test_tabled_moments_are_those_of_sums_over_examples(kind):
    rng = np.random.default_rng(1)
    U = rng.standard_t(4, size=(40, 13))
    V = {"the same": U * 2, "weighted": U * rng.normal(size=(40, 1)), "turned": U[:, ::-1]}[kind]
    h = rng.normal(size=(40, 13))
    examples = Examples(np.eye(13), np.zeros(13), h, U, V)
    P, m = rng.normal(size=(2, 13, 13)), rng.normal(size=(2, 13))
    P = P + P.transpose(0, 2, 1)
    twice = examples.scaled(2.0, 9.0)
    for one, other, spread, mixed in zip(P, m, examples.spread(P), examples.mixed(m), strict=True):
        assert spread == pytest.approx(np.einsum("na,nb,nc,nd,bc->ad", V, U, U, V, one) / 40)
        assert mixed == pytest.approx(np.einsum("na,nb,nc,b->ac", V, U, h, other) / 40)
        assert twice.spread(one) == pytest.approx(4 * spread)
        assert twice.mixed(other) == pytest.approx(6 * mixed)
