"""Statistics over steps, against the same sums made with NumPy from every state."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from sgtheory import Problem, registry
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
from sgtheory.setting import Setting
from simulators import plan
from simulators.cpu.engine import CpuEngine
from simulators.ensemble import simulate
from simulators.moments import LANES
from simulators.record import Factor, Histogram, Recording, Table, lagged, moments
from simulators.recorder import recorder_of

SEED, CHAINS, BLOCKS = 3, 150, 3


def history(b, steps):
    """Every state after each step: (steps, chains, size), in double precision."""
    engine = CpuEngine(b, 1)
    x, states = engine.start(0, BLOCKS, SEED), []
    for t in range(steps):
        engine.advance(x, 0, t, 1, SEED)
        states.append(engine.host(x)[:CHAINS].astype(float))
    return np.array(states)


def brute_force(recording, states, b, centre):
    """Sums of monomials over steps, for each block of chains."""
    blocks = np.arange(CHAINS) // LANES
    sums = []
    for monomial in recording.monomials:
        total = np.zeros(CHAINS)
        for t in range(recording.first, recording.last + 1, recording.every):
            product = np.ones(CHAINS)
            for f in monomial:
                number = b.program.states.index(f.state) * b.D + f.coordinate
                product = product * (states[t - f.lag - 1, :, number] - centre[number])
            total = total + product
        sums.append(np.bincount(blocks, total, BLOCKS))
    return np.array(sums).T


def recorded(b, recordings, steps, cuts, centre):
    engine = CpuEngine(b, 1)
    table = Table(tuple(recordings), b.program.states, b.D)
    recorder = recorder_of(table, engine, centre, CHAINS, BLOCKS)
    x, done = engine.start(0, BLOCKS, SEED), 0
    for end in (*cuts, steps):
        recorder.advance(x, 0, done, end - done, SEED)
        done = end
    return recorder.sums, engine.host(x)


RECORDINGS = [
    Recording(moments("theta", 2, 4), 7, 7),
    Recording(moments("theta", 2), 1, 100),
    Recording((*moments("v", 2, 3), *lagged("theta", 2, (0, 1, 5))), 11, 95, 7),
    Recording(((Factor("theta", 0), Factor("v", 1, 40), Factor("theta", 1, 3)),), 50, 100, 2),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_are_those_of_every_state(tools, dtype):
    """Up to 32 products of factors of a few units are added in the type of the run."""
    b = tools.bound("momentum", 2, dtype)
    centre = np.array([0.25, -0.5, 0.125, 0.0])
    states = history(b, 100)
    sums, last = recorded(b, RECORDINGS, 100, (13, 64), centre)
    assert (last[:CHAINS] == states[-1]).all()
    begin = 0
    for recording in RECORDINGS:
        expected = brute_force(recording, states, b, centre)
        size = brute_force(recording, np.abs(states - centre) + centre, b, centre)
        found = sums[:, begin : begin + len(recording.monomials)]
        begin += len(recording.monomials)
        assert (np.abs(found - expected) <= 40 * np.finfo(dtype).eps * size).all()
        assert (np.abs(found - 1.001 * expected) > 40 * np.finfo(dtype).eps * size).any()


@pytest.mark.parametrize("name", ["momentum", "annealed"])
def test_sums_do_not_depend_on_where_the_run_is_cut_beyond_rounding(tools, name):
    b = tools.bound(getattr(tools, name, name), 2, "float64")
    centre = np.zeros(4)
    wanted = [Recording(lagged("theta", 2, (0, 3)), 5, 60, 3)]
    whole, _ = recorded(b, wanted, 60, (), centre)
    pieces, _ = recorded(b, wanted, 60, (1, 2, 4, 31, 33), centre)
    assert np.allclose(whole, pieces, rtol=1e-13, atol=1e-12)
    later, _ = recorded(b, [Recording(lagged("theta", 2, (0, 3)), 6, 60, 3)], 60, (), centre)
    assert not np.allclose(whole, later)


def test_large_dimensions_take_the_looped_form(tools):
    b = tools.bound("sgd", 40, "float32")
    centre = np.zeros(40)
    wanted = Recording(((Factor("theta", 39), Factor("theta", 3, 2)),), 4, 9)
    states = history(b, 9)
    sums, _ = recorded(b, [wanted], 9, (5,), centre)
    assert np.allclose(sums, brute_force(wanted, states, b, centre), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("monomials", "steps", "message"),
    [
        ((), (1, 2), "monomials of 1 to 4"),
        (((Factor("theta"),) * 5,), (1, 2), "monomials of 1 to 4"),
        (moments("theta", 1), (0, 2), "1 <= first"),
        (lagged("theta", 1, (3,)), (3, 9), "before the first step"),
    ],
)
def test_what_cannot_be_recorded_is_refused(monomials, steps, message):
    with pytest.raises(UnusableInput, match=message):
        Recording(monomials, *steps)


def test_names_and_steps_are_checked(tools):
    with pytest.raises(UnusableInput, match="number of the state"):
        _ = Table((Recording(((Factor("v", 0),),), 1, 1),), ("theta",), 2).parts


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_histograms_count_every_state(tools, dtype):
    b = tools.bound("momentum", 2, dtype)
    wanted = Histogram("v", 1, -0.05, 0.125, 9, 5, 59, 3)
    sums, _ = recorded(b, [Recording(moments("theta", 1), 3, 3), wanted], 60, (7, 40), np.zeros(4))
    values = history(b, 60)[4:59:3, :, 3]
    middle, _ = np.histogram(values, np.append(wanted.edges[:-1], wanted.edges[-1]))
    on_the_end = (values == wanted.edges[-1]).sum()  # which NumPy counts inside
    expected = [(values < -0.05).sum(), *middle, (values >= wanted.edges[-1]).sum()]
    expected[-2] -= on_the_end
    assert (sums[:, 2:].sum(axis=0) == expected).all()
    assert sum(expected) == values.size
    assert min(expected) > 0
    other, _ = recorded(b, [dataclasses.replace(wanted, coordinate=0)], 60, (), np.zeros(4))
    assert (other.sum(axis=0) != expected).any()


@pytest.mark.parametrize("wrong", [{"bins": 0}, {"high": -1.0}, {"low": float("nan")}, {"first": 0}])
def test_histograms_without_bins_are_refused(wrong):
    with pytest.raises(UnusableInput):
        Histogram(**{"state": "theta", "coordinate": 0, "low": 0.0, "high": 1.0, "bins": 3,
                     "first": 1, "last": 2} | wrong)  # fmt: skip


# -- whole ensembles --------------------------------------------------------------------------------

CONTENT = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, 0], [0, 2]], "N": 8, "S": 4,
    "params": {"eps": "1/10", "mu": "1/3"}, "start": {"theta": [1, -1]},
}  # fmt: skip


def ensemble(recordings, **options):
    problem, sampler = Problem.of(CONTENT), registry.sampler("momentum")
    setting = Setting(sampler, problem.model)
    options = {"chains": 50_000, "steps": 60, "seed": 5} | options
    return simulate(setting, problem.values(sampler), record=recordings, **options)


def deviations(recorded, expected):
    return np.abs(recorded.mean - expected) / recorded.standard_error


def test_moments_over_steps_are_those_of_the_exact_law():
    """To order 4: at each step the law is normal, so that Isserlis' theorem has the products."""
    problem = Problem.of(CONTENT)
    times = range(20, 61, 4)
    recording = Recording(moments("theta", 2, 4), 20, 60, 4)
    (found,) = ensemble([recording]).recorded
    expected = np.zeros(len(recording.monomials))
    for at in times:
        exact = law("momentum", problem, at=at)
        mean = exact.mean["theta"] - found.centre["theta"]
        second = exact.covariance["theta", "theta"] + np.outer(mean, mean)
        draws = [normal_moment(mean, second - np.outer(mean, mean), m) for m in recording.monomials]
        expected += np.array(draws) / len(times)
    assert deviations(found, expected).max() < 6
    assert deviations(found, 1.02 * expected).max() > 6


def normal_moment(mean, covariance, monomial):
    """E of a product of coordinates of a normal vector, by conditioning on the first (Stein's lemma)."""
    if not monomial:
        return 1.0
    i, *rest = (f.coordinate for f in monomial)
    total = mean[i] * normal_moment(mean, covariance, tuple(Factor("theta", j) for j in rest))
    for k, j in enumerate(rest):
        others = tuple(Factor("theta", n) for n in rest[:k] + rest[k + 1 :])
        total += covariance[i, j] * normal_moment(mean, covariance, others)
    return total


def test_lagged_products_are_those_of_the_exact_law():
    """Far from the start E x(t) x(t - k)^T is F^k times the stationary covariance, F a step."""
    problem = Problem.of(CONTENT)
    recording = Recording((*moments("theta", 2, 1), *lagged("theta", 2, (3,))), 400, 440, 10)
    (found,) = ensemble([recording], steps=440, chains=20_000).recorded
    stationary = law("momentum", problem).covariance
    A, eps, mu, one = np.array([[2, 1], [1, 1.5]]), 0.1, 1 / 3, np.eye(2)
    step = np.block([[one - eps * A, (1 - mu) * one], [-eps * A, (1 - mu) * one]])
    both = np.vstack([stationary["theta", "theta"], stationary["theta", "v"].T])
    exact = (np.linalg.matrix_power(step, 3) @ both)[:2]
    measured = found.covariance("theta", lag=3)
    error = found.standard_error[2:].reshape(2, 2)
    assert (np.abs(measured - exact) < 6 * error).all()
    assert (np.abs(measured - exact.T * 1.1) > 6 * error).any()


def test_recording_changes_nothing_else_and_nothing_changes_it():
    recordings = [Recording(moments("v", 2), 30, 30), Recording(lagged("theta", 2, (2,)), 9, 57, 3)]
    plain = ensemble(())
    runs = [ensemble(recordings, threads=n, chunk=c) for n, c in ((1, None), (2, 640), (2, 64_000))]
    assert len({r.digest for r in runs}) == 1
    assert all((r.sums == runs[0].sums).all() for r in runs)
    # the pilot's chains are summed in another place when they are recorded: the same to rounding
    assert np.allclose(runs[0].sums, plain.sums, rtol=1e-12)
    assert runs[0].digest != plain.digest


@pytest.mark.strong
@pytest.mark.parametrize("operations", [pytest.param(1e6, marks=pytest.mark.long), 2e5])
def test_calls_that_are_cut_elsewhere_give_the_same_bits(monkeypatch, operations):
    """Steps are kept and summed in groups; a cut inside a group would change the order of a sum."""
    recordings = [Recording(moments("theta", 2) + lagged("theta", 2, (1, 5)), 50, 600, 3)]
    expected = ensemble(recordings, steps=600)
    monkeypatch.setattr(plan, "_OPERATIONS_A_CALL", operations)
    for chunk in (None, 64, 300):
        assert ensemble(recordings, steps=600, chunk=chunk).digest == expected.digest
    monkeypatch.setattr(Table, "group", 31)  # the wrong twin: other groups
    assert ensemble(recordings, steps=600).digest != expected.digest


@pytest.mark.parametrize("chunk", [None, 64])  # that of the pilot is no chunk's
def test_a_recording_that_is_broken_off_goes_on_to_the_same_bits(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(plan, "_OPERATIONS_A_CALL", 1e6)
    recordings = [Recording(lagged("theta", 2, (0, 5)), 100, 1500, 10)]
    options = {"chains": 640, "steps": 1500, "threads": 1, "chunk": chunk}
    expected = ensemble(recordings, **options)

    class Broken(Exception):
        pass

    def stop(done, total):
        if done > 0.4 * total:
            raise Broken

    with pytest.raises(Broken):
        ensemble(recordings, **options, checkpoint=tmp_path, save_every=0.0, progress=stop)
    assert list(tmp_path.iterdir())
    again = ensemble(recordings, **options, checkpoint=tmp_path, save_every=0.0)
    assert again.digest == expected.digest
    assert (again.recorded[0].mean == expected.recorded[0].mean).all()
    with pytest.raises(UnusableInput):
        ensemble([Recording(moments("theta", 2), 5, 5)], **options, checkpoint=tmp_path)


def test_shares_are_those_of_the_exact_law():
    """At one step the law is normal: shares of its distribution function, binomial errors."""
    wanted = Histogram("theta", 0, -0.2, 0.2, 8, 60, 60)
    (found,) = ensemble([wanted], chains=200_000).recorded
    exact = law("momentum", Problem.of(CONTENT), at=60)
    scale = np.sqrt(exact.covariance["theta", "theta"][0, 0])
    below = stats.norm(exact.mean["theta"][0], scale).cdf([-np.inf, *wanted.edges, np.inf])
    shares = np.diff(below)
    assert (np.abs(found.mean - shares) < 6 * np.sqrt(shares / 200_000) + 1e-6).all()
    assert np.isclose(found.mean.sum(), 1)
    wrong = np.diff(
        stats.norm(exact.mean["theta"][0], 1.05 * scale).cdf([-np.inf, *wanted.edges, np.inf])
    )
    assert (np.abs(found.mean - wrong) > 6 * np.sqrt(shares / 200_000)).any()


@pytest.mark.parametrize("first", [[], [Recording(moments("theta", 1), 1, 1)]])
def test_a_histogram_of_an_unknown_state_is_refused_before_the_run(first):
    with pytest.raises(UnusableInput, match="number of the state"):
        ensemble([*first, Histogram("w", 0, -1.0, 1.0, 4, 5, 5)], progress=lambda *_: pytest.fail("ran"))


def test_a_recording_beyond_the_last_step_is_refused():
    with pytest.raises(UnusableInput, match="last step, 60"):
        ensemble([Recording(moments("theta", 1), 1, 61)])
