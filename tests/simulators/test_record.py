"""Statistics over steps, against the same sums made with NumPy from every state."""

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators.cpu.engine import CpuEngine
from simulators.moments import LANES
from simulators.record import Factor, Recorder, Recording, Table, check, lagged, moments

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
    recorder = Recorder.of(table, engine, centre, CHAINS, BLOCKS)
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
    with pytest.raises(UnusableInput, match="last step, 5"):
        check([Recording(moments("theta", 1), 1, 6)], 5)
