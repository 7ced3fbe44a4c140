"""Whole runs: the law is the exact one, the errors are right, the bits do not depend on the schedule."""

import json
import threading
from fractions import Fraction

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators.bind import factor_of
from simulators.cuda.devices import device_count
from simulators.ensemble import run, simulate

stats = pytest.importorskip("scipy.stats")  # a machine with a GPU may lack it

FALSE_ALARM = 1e-6
STEPS = {"sgd": 25, "momentum": 25, "sgld": 6}  # transient: the variances still follow the step
D = 2


def matrix(values, name):
    return np.array([[float(x) for x in row] for row in values.matrices[name]])


def recursion(name, numbers):
    """Mean and covariance after some steps: m <- M m, P <- M P M^T + Q, written out by hand."""
    A, B, H = matrix(numbers, "A"), factor_of(matrix(numbers, "C")), matrix(numbers, "H")
    eps, mu, N, S = (float(numbers.scalars[k]) for k in ("eps", "mu", "N", "S"))
    one = np.eye(D)
    start = np.array([float(x) for x in numbers.start["theta"]])
    if name == "sgd":
        M, Q = one - eps * H @ A, eps**2 / S * H @ B @ B.T @ H
    elif name == "sgld":
        M, Q = one - eps / 2 * N * H @ A, (eps / 2 * N) ** 2 / S * H @ B @ B.T @ H + eps * H
    else:
        push = -eps * H @ A
        M = np.block([[one + push, (1 - mu) * one], [push, (1 - mu) * one]])
        noise = np.vstack([H @ B, H @ B]) * eps / np.sqrt(S)
        Q, start = noise @ noise.T, np.concatenate([start, np.zeros(D)])
    m, P = start, np.zeros_like(Q)
    for _ in range(STEPS[name]):
        m, P = M @ m, M @ P @ M.T + Q
    return m, P


def directions(size):
    """Enough directions that their variances fix a covariance: e_i, and e_i + e_j."""
    unit = np.eye(size)
    pairs = [(i, j) for i in range(size) for j in range(i)]
    return np.array([*unit, *(unit[i] + unit[j] for i, j in pairs)])


def whole(ensemble):
    """Mean and covariance of the whole state."""
    names = list(ensemble.mean)
    rows = [
        [ensemble.covariance[f"{a},{b}"] if i <= j else ensemble.covariance[f"{b},{a}"].T
         for j, b in enumerate(names)]
        for i, a in enumerate(names)
    ]  # fmt: skip
    return np.concatenate(list(ensemble.mean.values())), np.block(rows)


def rejected(ensemble, mean, covariance):
    """Gaussian chains: each variance is exactly chi-square, each mean exactly normal."""
    n = ensemble.chains
    found_mean, found = whole(ensemble)
    rays = directions(len(mean))
    tests = 2 * len(rays)
    variances = np.einsum("ki,ij,kj->k", rays, covariance, rays)
    ratio = n * np.einsum("ki,ij,kj->k", rays, found, rays) / variances
    low, high = stats.chi2.ppf([FALSE_ALARM / tests / 2, 1 - FALSE_ALARM / tests / 2], n - 1)
    z = rays @ (found_mean - mean) / np.sqrt(variances / n)
    limit = stats.norm.isf(FALSE_ALARM / tests / 2)
    return bool((ratio < low).any() or (ratio > high).any() or (np.abs(z) > limit).any())


def chains_needed(name, numbers, twin):
    """Enough chains to see the twin's largest relative error of a variance, five deviations clear."""
    rays = directions(2 * D if name == "momentum" else D)
    right, wrong = (np.einsum("ki,ij,kj->k", rays, recursion(name, v)[1], rays) for v in (numbers, twin))
    limit = stats.norm.isf(FALSE_ALARM / (4 * len(rays)))
    return int(2 * ((limit + 5) / np.abs(wrong / right - 1).max()) ** 2)


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgld"])
def test_the_law_at_a_finite_step_is_the_exact_one_and_the_twin_is_not(tools, cpu_engine, name):
    scale = Fraction(1, 10) if name == "sgld" else 1  # a step at which SGLD on N = 10 is stable
    eps = Fraction(1, 20) * scale
    numbers, twin = (tools.values(D, eps=e) for e in (eps, eps * Fraction(101, 100)))
    chains = chains_needed(name, numbers, twin)
    assert chains < 3_000_000
    b = tools.bound(name, D, "float64", eps=eps)
    mean, covariance = recursion(name, numbers)
    ensemble = run(b, cpu_engine(b), chains, STEPS[name], seed=20_240_601)
    assert not rejected(ensemble, mean, covariance)
    assert rejected(ensemble, *recursion(name, twin))
    check_errors(ensemble, covariance)


def check_errors(ensemble, covariance):
    """Standard errors against the Gaussian ones. Their own error: the block covariances' kurtosis."""
    full = ensemble.chains // 64
    names = list(ensemble.mean)
    first = ensemble.standard_error["covariance"][f"{names[0]},{names[0]}"]
    P = covariance[:D, :D]
    variance = (P**2 + np.outer(np.diag(P), np.diag(P))) / 63 * 64 / ensemble.chains
    # a block's squared deviation has kurtosis at most 3 + 12/63
    own = np.sqrt((2 + 12 / 63) / full) / 2
    assert (np.abs(first / np.sqrt(variance) - 1) < 6 * own).all()
    assert (np.abs(first / np.sqrt(2 * variance) - 1) > 6 * own).all()  # a wrong factor is seen
    mean = ensemble.standard_error["mean"][names[0]]
    expected = np.sqrt(np.diag(P) / ensemble.chains)
    assert np.allclose(mean, expected, rtol=6 / np.sqrt(2 * ensemble.chains))


@pytest.mark.parametrize("centre", [None, [0.25]])
def test_threads_and_chunks_do_not_change_a_bit(tools, centre):
    numbers = tools.values(1)

    def digest(seed=5, **how):
        return simulate(
            tools.setting("sgd"), numbers, chains=10_001, steps=9, seed=seed, device="cpu",
            dtype="float32", centre=centre, **how,
        ).digest  # fmt: skip

    schedules = [{"threads": 1}, {"threads": 2}, {"threads": 3, "chunk": 1}, {"chunk": 6400}]
    assert len({digest(**how) for how in schedules}) == 1
    assert digest(seed=6) != digest(seed=5)


def test_a_random_start_has_the_declared_law(tools, cpu_engine):
    """At step 0: v = sqrt(eps) xi + 2."""
    b = tools.bound(tools.annealed, 3, "float64")
    n = 6400
    start = run(b, cpu_engine(b), n, 0, seed=11)
    limits = stats.chi2.ppf([FALSE_ALARM / 12, 1 - FALSE_ALARM / 12], n - 1)
    ratio = n * np.diag(start.covariance["v,v"]) / 0.05
    assert (ratio > limits[0]).all()
    assert (ratio < limits[1]).all()
    z = (start.mean["v"] - 2) / np.sqrt(0.05 / n)
    assert (np.abs(z) < stats.norm.isf(FALSE_ALARM / 12)).all()
    assert start.mean["theta"].tolist() == [0.5, 1.0, 1.5]


def test_a_start_that_is_given_replaces_the_declared_one(tools, cpu_engine, host_engine):
    b = tools.bound(tools.annealed, 3, "float64")
    given = dict(b.start) | {"v": np.array([1.0, 2.0, 4.0])}
    other = type(b)(b.program, b.D, b.dtype, b.exact, given)
    for make in (cpu_engine, host_engine):
        assert run(other, make(other), 70, 0, seed=1).mean["v"].tolist() == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("chains", [1, 63, 64, 65, 129])
def test_no_steps_leave_every_chain_at_its_start(tools, cpu_engine, chains):
    b = tools.bound("sgd", 1, "float32")
    ensemble = run(b, cpu_engine(b), chains, 0, seed=1)
    assert ensemble.mean["theta"].tolist() == [0.5]
    assert ensemble.covariance["theta,theta"].tolist() == [[0.0]]
    assert ensemble.finite


def test_divergence_is_reported_and_the_document_stays_json(tools):
    ensemble = simulate(
        tools.setting("sgd"), tools.values(1, eps=1000), chains=100, steps=200,
        device="cpu", dtype="float32",
    )  # fmt: skip
    assert not ensemble.finite
    document = json.loads(json.dumps(ensemble.to_json(), allow_nan=False))
    assert document["covariance"]["theta,theta"] == [[None]]


def test_the_document_has_the_agreed_keys(tools, cpu_engine):
    b = tools.bound("momentum", 2, "float32")
    ensemble = run(b, cpu_engine(b), 130, 5, seed=1)
    document = ensemble.to_json()
    assert set(document) == {
        "schema", "sampler", "device", "dtype", "normals", "path", "chains", "steps", "seed", "seconds",
        "cpu_seconds", "compile_seconds", "chain_steps_per_second",
        "chain_steps_per_cpu_second", "mean", "covariance", "standard_error", "digest",
    }  # fmt: skip
    assert document["schema"] == "sgtheory.ensemble/1"
    assert set(document["covariance"]) == {"theta,theta", "theta,v", "v,v"}
    assert set(document["standard_error"]) == {"mean", "covariance"}
    assert len(document["digest"]) == 64
    assert ensemble.text == cpu_engine(b).text
    assert len(ensemble.source) == 64
    assert any("1 - mu" in name for name in ensemble.constants)


BAD = [
    {"chains": 0}, {"chains": 2**32}, {"chains": 1.5}, {"steps": -1}, {"steps": True},
    {"seed": -1}, {"seed": 2**32}, {"dtype": "float16"}, {"device": "tpu"}, {"threads": 0},
    {"chunk": 0}, {"centre": [1.0, 2.0]}, {"centre": [float("nan")]},
]  # fmt: skip


@pytest.mark.parametrize("wrong", BAD, ids=str)
def test_what_cannot_be_run_is_refused_before_it_starts(tools, wrong):
    usual = {"chains": 64, "steps": 1, "device": "cpu", "dtype": "float32"}
    with pytest.raises(UnusableInput):
        simulate(tools.setting("sgd"), tools.values(1), **(usual | wrong))


def test_a_run_that_does_not_fit_is_refused_before_it_starts(tools, cpu_engine, monkeypatch):
    b = tools.bound("sgd", 1, "float32")
    engine = cpu_engine(b)
    monkeypatch.setattr(type(engine), "available_bytes", lambda self: 10_000_000)
    with pytest.raises(UnusableInput, match="of memory"):
        run(b, engine, 2**32 - 1, 10**9, seed=1, chunk=2**24)
    assert run(b, engine, 6400, 1, seed=1, chunk=6400).finite


@pytest.mark.skipif(device_count() > 0, reason="there is a CUDA device")
def test_a_device_that_is_not_there_is_named(tools):
    with pytest.raises(UnusableInput, match="CUDA"):
        simulate(tools.setting("sgd"), tools.values(1), chains=1, steps=1, device="cuda")
    run_ = simulate(tools.setting("sgd"), tools.values(1), chains=1, steps=1, dtype="float32")
    assert run_.device == "cpu"


def test_an_interruption_leaves_no_thread_behind(tools, cpu_engine):
    b = tools.bound("sgd", 1, "float32")
    before = threading.active_count()

    def interrupt(done, total):
        if done > total / 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(b, cpu_engine(b), 1_000_000, 1000, seed=1, progress=interrupt)
    assert threading.active_count() == before
    assert run(b, cpu_engine(b), 100, 10, seed=1).finite


def test_progress_counts_chain_steps(tools, cpu_engine):
    b = tools.bound("sgd", 1, "float32")
    shown = []
    run(b, cpu_engine(b), 1000, 10, seed=1, progress=lambda done, total: shown.append((done, total)))
    assert shown[-1] == (10_000, 10_000)
