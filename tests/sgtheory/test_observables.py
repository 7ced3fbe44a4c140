"""What a law shows beyond its covariance, recomputed from the recursion of brute force.

Every quantity is written differently than in the package: growth as a limit of norms, correlation times
as sums over lags, windows as double sums or quadratures, divergences by eigenvalues, temperatures by
running the first updates of a step.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.linalg
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgtheory import registry
from sgtheory.numbers.numeric import law
from sgtheory.numbers.observables import Average
from sgtheory.problem import Problem
from tests.sgtheory.brute_force import Evaluator, stationary
from tests.sgtheory.strategies import problems, scaled_for
from tests.sgtheory.test_numeric import CASES, SAMPLERS, closeness

CLOSE = 1e-9
NODES = 40
SLOW = (
    ("sgfs", "continuous"),
    ("nesterov", "continuous"),
    ("svrg_ld", "discrete"),
    ("sgldfp", "continuous"),
)
U = np.finfo(float).eps


class Reference:
    """A sampler on a problem by brute force: its recursion, or flow, and stationary covariance."""

    def __init__(self, name, problem, time="discrete"):
        self.sampler = registry.sampler(name)
        self.time, self.d = time, problem.D
        self.evaluator = Evaluator(self.sampler, problem.values(self.sampler))
        self.M, self.Q = self.evaluator.linear(time == "continuous")
        self.P = stationary(self.M, self.Q, time)
        self.period = self.evaluator.period
        self.N = self.evaluator.scalars["N"]
        self.slack = closeness(self.M, time)  # of the entries of P against the largest

    def block(self, whole, state="theta"):
        k = [s.name for s in self.sampler.state].index(state) * self.d
        return whole[k : k + self.d, k : k + self.d]

    def step(self):
        """The map of one step or of one unit of time."""
        return self.M if self.time == "discrete" else scipy.linalg.expm(self.M)


def same(found, expected, slack=0.0):
    """Equal to a part in 10^9, or as far as rounding of the inputs allows."""
    assert np.all(abs(np.asarray(found) - expected) <= CLOSE * np.abs(expected) + slack)


def check_growth(found, ref):
    """The radius is the limit of |M^n|^(1/n): n = 2^60, each power scaled to norm 1 as it is squared."""
    power, logarithm, n = ref.step(), 0.0, 1
    for _ in range(60):
        size = np.linalg.norm(power)
        if size == 0:
            same(found.spectral_radius, 0.0, U ** (1 / len(power)))
            return
        power, logarithm = power / size, logarithm + np.log(size) / n
        power, n = power @ power, 2 * n
    expected = np.exp(logarithm / ref.period)
    values, left, right = scipy.linalg.eig(ref.M, left=True)
    # a simple eigenvalue moves with the rounding of M times its condition, that is 1 / |y.x|
    k = abs(values).argmax() if ref.time == "discrete" else values.real.argmax()
    condition = 1 / max(abs(np.vdot(left[:, k], right[:, k])), U)
    slack = 64 * U * np.linalg.norm(ref.M) * condition
    if slack < 1e-3 * expected**ref.period:  # else two eigenvalues meet: nobody can tell
        slack = slack * expected ** (1 - ref.period)
        same(found.spectral_radius, expected, slack)
        same(found.to_json()["spectral_gap"], 1 - expected, slack + U)
    assert found.mean_square_radius is None  # of second moments: only where noise depends on the state


def summed(M):
    """The sum of M^k over k = 0, 1, ... by doubling, until nothing is added."""
    total, power = np.eye(len(M)), M
    while abs(power).max() > 1e-300 and abs(power @ total).max() > U**2 * abs(total).max():
        total, power = total + power @ total, power @ power
    return total


def check_correlation(found, ref):
    """The sum over all lags of both signs, in units of lag 0; in continuous time the integral."""
    if ref.period > 1:
        assert found.autocorrelation_time is None
        assert found.ess_per_pass is None
        return
    now = np.diag(ref.block(ref.P))
    if ref.time == "discrete":
        series = summed(ref.M)
        total = series @ ref.P + (series @ ref.P).T - ref.P
    else:
        series = np.linalg.inv(ref.M)
        total = series @ ref.Q @ series.T  # what the noise of unit time leaves behind in all
    seen = now > 1e-9 * abs(ref.P).max()
    expected = np.diag(ref.block(total))[seen] / now[seen]
    slack = ref.slack * abs(ref.P).max() / now[seen] * (1 + np.linalg.norm(series, np.inf))
    same(found.autocorrelation_time[seen], expected, slack)
    each = 1 / found.autocorrelation_time[seen]  # effective draws per step
    same(found.ess_per_pass[seen] * gradients(ref) / ref.N, each, 0)


def gradients(ref):
    """How many gradients of single examples a step takes, counted by hand."""
    name, S = ref.sampler.name, ref.evaluator.scalars["S"]
    if name == "lmc":
        return ref.N
    if name == "sgldfp":
        return 2 * S  # of the state and of the mode
    if name == "svrg_ld":  # with one step to an epoch
        return 2 * S + ref.N
    return S * (ref.sampler.word[1].count("B") if ref.sampler.word else 1)


def check_average(found, ref):
    """Sums over all pairs of steps in a window, or in two windows."""
    T = found.average.window if found.average else 0
    stiff = ref.time == "continuous" and np.linalg.norm(ref.M, 2) * T > NODES
    if not T or stiff:
        return
    if ref.time == "discrete":
        lags = [ref.P]
        for _ in range(2 * T):
            lags.append(ref.M @ lags[-1])
        inside = sum(lags[j - k] if j >= k else lags[k - j].T for j in range(T) for k in range(T))
        across = sum(lags[T + j - k] for j in range(T) for k in range(T))
    else:
        near, far = (integral(ref.M, a, a + T) for a in (0, T))
        half = near(lambda s: T - s) @ ref.P
        inside = half + half.T
        across = (near(lambda s: s) + far(lambda s: 2 * T - s)) @ ref.P
    slack = ref.slack * abs(ref.P).max()
    same(found.average.covariance, ref.block(inside) / T**2, slack)
    same(found.average.neighbour, ref.block(across) / T**2, slack)


def integral(F, a, b):
    """Integrals of weight(s) e^(F s) by Gauss and Legendre.

    With n nodes the error on e^(z s) is of the order of (e |z| (b - a) / (8 n))^(2 n): rounding, while
    |F| (b - a) is below n.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    nodes, weights = (b - a) / 2 * nodes + (a + b) / 2, (b - a) / 2 * weights
    flows = scipy.linalg.expm(F[None] * nodes[:, None, None])
    return lambda weight: np.einsum("n,nij->ij", weights * weight(nodes), flows)


def check_temperature(found, ref):
    """The mean square of the velocity at every place of a step where it can be read."""
    if not ref.sampler.kinetic:
        assert not found.temperature
        return
    ((v, unit),) = ref.sampler.kinetic
    scale = ref.evaluator.value(sp.sympify(unit), {}, {})
    places = {f"kinetic {v.name}": ref.P}
    if ref.time == "discrete" and ref.period == 1:
        for read in range(1, len(ref.sampler.updates)):
            target = ref.sampler.updates[read - 1][0]
            if target in ref.sampler.state:
                places[f"kinetic {v.name} after update {read} ({target})"] = partway(ref, read)
    expected = {k: sum(np.diag(ref.block(P, v.name))) / ref.d / scale for k, P in places.items()}
    assert list(found.temperature) == [*expected, "configurational"]
    for place, value in expected.items():
        same(found.temperature[place], value, ref.slack * abs(ref.P).max() / scale * 16)
    a, modes = np.linalg.eigh(ref.evaluator.matrices["A"])
    along = np.diag(modes.T @ ref.block(ref.P) @ modes)
    slack = ref.slack * abs(ref.P).max() * ref.N * sum(a)
    same(found.temperature["configurational"], ref.N * np.mean(a * along), slack)


def partway(ref, read):
    """The covariance after the first updates of a step."""
    keep = ("state", "noises", "gradients", "where", "parameters", "batches", "name")
    part = {k: getattr(ref.sampler, k) for k in keep} | {"updates": ref.sampler.updates[:read]}
    whole, ref.evaluator.sampler = ref.evaluator.sampler, SimpleNamespace(**part)
    M, noise = ref.evaluator._one(False, 0)
    ref.evaluator.sampler = whole
    return M @ ref.P @ M.T + noise @ noise.T


def check_distances(found, ref, P=None, mean=None):
    """From the posterior, of precision N A unless it is local, of the state that is the sample."""
    P = ref.block(ref.P if P is None else P, ref.sampler.sample.name)
    mean = np.zeros(ref.d) if mean is None else mean
    R = np.linalg.inv(ref.evaluator.precision)
    error = ref.slack * abs(P).max() * ref.d
    check_wasserstein(found, P, mean, R, error)
    spread = np.sqrt(np.diag(P))
    if not spread.all() or np.linalg.eigvalsh(P / np.outer(spread, spread))[0] < 1e-9:
        return  # degenerate, or too close to it to say
    r = scipy.linalg.eigh(P, R, eigvals_only=True)
    moved = error * np.linalg.norm(np.linalg.inv(R), 2)  # of every r
    shift = mean @ np.linalg.solve(R, mean)
    expected, slack = sum(r - 1 - np.log(r)) + shift, moved * sum(1 + 1 / r) + 64 * U * shift
    same(2 * found.kl_to_posterior, expected, slack)
    shift = mean @ np.linalg.solve(P, mean)
    expected, slack = sum(1 / r - 1 + np.log(r)) + shift, moved * sum(1 / r + 1 / r**2) * (1 + shift)
    same(2 * found.kl_from_posterior, expected, slack)


def check_wasserstein(found, P, mean, R, error):
    """The trace of (R^(1/2) P R^(1/2))^(1/2) is the sum of singular values of the factors' product."""

    def factor(m):
        w, U = np.linalg.eigh(m)
        return U * np.sqrt(np.clip(w, 0, None))

    singular = np.linalg.svd(factor(R).T @ factor(P), compute_uv=False)
    square = np.trace(P) + np.trace(R) - 2 * sum(singular) + mean @ mean
    # a root moves by the error over twice itself, and never by more than the error's root
    moved = error * np.linalg.norm(R, 2)
    slack = sum(min(moved / s if s else np.inf, moved**0.5) for s in singular)
    same(found.wasserstein2**2, square, 2 * slack + 64 * U * (np.trace(P) + np.trace(R) + mean @ mean))


CHECKS = (check_growth, check_correlation, check_average, check_temperature, check_distances)


@pytest.mark.parametrize(
    ("name", "time"),
    [pytest.param(*c, marks=[pytest.mark.strong] if c in SLOW else []) for c in CASES],
)
@settings(max_examples=8)
@given(problem=problems(sizes=(1, 5)), window=st.integers(1, 7))
def test_observables_of_the_limit(name, time, problem, window):
    problem = scaled_for(problem, registry.sampler(name))
    ref = Reference(name, problem, time)
    found = law(name, problem, time=time, average=window if ref.period == 1 else None)
    assume(found.stable and found.covariance["theta", "theta"].any())
    for check in CHECKS:
        check(found, ref)


@pytest.mark.parametrize("name", SAMPLERS)
@settings(max_examples=5)
@given(problem=problems(sizes=(1, 4)), steps=st.integers(1, 20))
def test_distance_on_the_way(name, problem, steps):
    problem = scaled_for(problem, registry.sampler(name))
    ref = Reference(name, problem)
    assume(law(name, problem).stable)
    M, P = ref.evaluator.linear(steps=steps)
    start = np.zeros(len(M))
    start[: ref.d] = [float(x) for x in problem.start["theta"]]  # theta is the first state
    k = [s.name for s in ref.sampler.state].index(ref.sampler.sample.name) * ref.d
    check_distances(law(name, problem, at=steps), ref, P, (M @ start)[k : k + ref.d])


GENERIC = Problem.of(
    {
        "hessian": [[3, 1], [1, 2]],
        "noise": [[2, 1], [1, 5]],
        "N": 13,
        "S": 2,
        "params": {"eps": "1/9", "mu": "1/2", "E": [[1, 0], [2, 1]]},
        "start": {"theta": [1, -2]},
    }
)


@pytest.mark.parametrize("name", ["sgd", "underdamped"])
def test_a_long_window(name):
    """As long as many correlation times: sums by doubling must not lose what cancels."""
    problem = scaled_for(GENERIC, registry.sampler(name))
    check_average(law(name, problem, average=400), Reference(name, problem))


def test_no_distance_is_zero_at_the_posterior():
    """In one dimension eps c / (s a (2 - eps a)) is 1 / (N a) at a step that is a fraction."""
    problem = {"hessian": [[2]], "noise": [[3]], "N": 6, "S": 1, "params": {"eps": "1/10"}}
    found = law("sgd", Problem.of(problem))
    assert found.covariance["theta", "theta"] == pytest.approx(1 / 12, rel=4 * U)
    # a divergence is of second order in what is off, the distance of first
    assert abs(found.kl_to_posterior) <= 4 * U
    assert abs(found.kl_from_posterior) <= 4 * U
    assert found.wasserstein2 <= 4 * U**0.5


def averaged(found, **changes):
    return {"average": replace(found.average, **changes)}


def read_elsewhere(found):
    """Temperatures of the velocity one place too early in the step."""
    (*places, last), values = found.temperature, list(found.temperature.values())
    return {"temperature": dict(zip([*places[1:], places[0], last], values, strict=True))}


def per_mean_loss(found):
    return {"temperature": {k: v / 13 for k, v in found.temperature.items()}}  # N is 13


WRONG = {  # what is plausible, and the check that has to notice it
    "the growth of two steps": (check_growth, lambda x: {"spectral_radius": x.spectral_radius**2}),
    "lags of one sign": (
        check_correlation,
        lambda x: {"autocorrelation_time": (x.autocorrelation_time + 1) / 2},
    ),
    "lag zero twice": (
        check_correlation,
        lambda x: {"autocorrelation_time": x.autocorrelation_time + 1},
    ),
    "draws per step": (check_correlation, lambda x: {"ess_per_pass": 1 / x.autocorrelation_time}),
    "independent steps": (
        check_average,
        lambda x: averaged(x, covariance=x.covariance["theta", "theta"] / x.average.window),
    ),
    "the window before": (check_average, lambda x: averaged(x, neighbour=x.average.neighbour.T)),
    "windows apart": (check_average, lambda x: averaged(x, neighbour=x.average.neighbour * 0)),
    "read elsewhere": (check_temperature, read_elsewhere),
    "the mean loss": (check_temperature, per_mean_loss),
    "divergence of the posterior": (
        check_distances,
        lambda x: {"kl_to_posterior": x.kl_from_posterior},
    ),
    "divergence to the posterior": (
        check_distances,
        lambda x: {"kl_from_posterior": x.kl_to_posterior},
    ),
    "a squared distance": (check_distances, lambda x: {"wasserstein2": x.wasserstein2**2}),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", ["underdamped", "sghmc"])
def test_wrong_observables_are_noticed(name, wrong):
    problem = scaled_for(GENERIC, registry.sampler(name))
    ref, found = Reference(name, problem), law(name, problem, average=3)
    check, twin = WRONG[wrong]
    check(found, ref)
    with pytest.raises(AssertionError):
        check(replace(found, **twin(found)), ref)


def a_little_off(value):
    """The same with its numbers off by a millionth: divergences may be 0."""
    if isinstance(value, dict):
        return {k: a_little_off(v) for k, v in value.items()}
    if isinstance(value, Average):
        return Average(value.window, a_little_off(value.covariance), a_little_off(value.neighbour))
    return value * (1 + 1e-6) + 1e-6


@pytest.mark.parametrize(("name", "time"), CASES)
def test_a_millionth_is_noticed(name, time):
    problem = scaled_for(GENERIC, registry.sampler(name))
    ref = Reference(name, problem, time)
    found = law(name, problem, time=time, average=3 if ref.period == 1 else None)
    watched = {
        check_growth: ("spectral_radius",),
        check_correlation: ("autocorrelation_time", "ess_per_pass"),
        check_average: ("average",),
        check_temperature: ("temperature",),
        check_distances: ("kl_to_posterior", "kl_from_posterior", "wasserstein2"),
    }
    for check, fields in watched.items():
        check(found, ref)
        for field in fields:
            value = getattr(found, field)
            if value is None or (isinstance(value, dict) and not value):
                continue
            with pytest.raises(AssertionError):
                check(replace(found, **{field: a_little_off(value)}), ref)


def test_the_posterior_stands_beside_the_law():
    """On one dimension the ratio is the law's variance times N a."""
    made = {"hessian": 2, "noise": 3, "N": 10, "S": 1, "params": {"eps": "1/2"}}
    found = law("sgd", made)
    assert found.posterior.covariance == pytest.approx(np.array([[1 / 20]]))
    assert found.posterior.variance_ratio == pytest.approx([0.75 * 20])
    assert found.posterior.ratio == pytest.approx((15, 15))


def test_ratios_of_all_directions_hold_those_of_the_coordinates():
    made = {
        "hessian": [[2, 1], [1, 3]],
        "noise": [[1, 0], [0, 5]],
        "N": 9,
        "S": 2,
        "params": {"eps": "1/9"},
    }
    found = law("sgd", made)
    posterior, covariance = found.posterior, found.covariance["theta", "theta"]
    least, most = posterior.ratio
    assert least < min(posterior.variance_ratio) <= max(posterior.variance_ratio) < most
    angles = np.linspace(0, np.pi, 2001)
    u = np.array([np.cos(angles), np.sin(angles)])
    ratios = np.einsum("ik,ij,jk->k", u, covariance, u) / np.einsum(
        "ik,ij,jk->k", u, posterior.covariance, u
    )
    assert (ratios.min(), ratios.max()) == pytest.approx((least, most), rel=1e-5)
    document = found.to_json()["posterior"]
    assert set(document) == {"covariance", "variance_ratio", "ratio"}


def test_without_a_size_of_the_data_there_is_no_posterior():
    found = law("sgd", {"hessian": 2, "noise": 3, "S": 1, "params": {"eps": "1/2"}})
    assert found.posterior is None
    assert "posterior" not in found.to_json()
