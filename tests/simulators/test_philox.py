"""The random numbers: published answers, no shared counters, the right law."""

from collections import Counter

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators import philox

stats = pytest.importorskip("scipy.stats")  # a machine with a GPU may lack it

PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)
FULL = 0xFFFFFFFF
KNOWN = [
    ((0,) * 4, (0,) * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((FULL,) * 4, (FULL,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (*PI, "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_known_answers_of_random123(counter, key, answer):
    assert " ".join(f"{int(w):08x}" for w in philox.words(counter, key)) == answer


def test_a_single_round_too_few_is_noticed(monkeypatch):
    monkeypatch.setattr(philox, "ROUNDS", 9)
    assert all(
        " ".join(f"{int(w):08x}" for w in philox.words(counter, key)) != answer
        for counter, key, answer in KNOWN
    )


def addresses(normals, dtype, steps, of=philox.address):
    return Counter(of(s, d, normals, dtype) for s in range(steps) for d in range(normals))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("normals", range(1, 13))
def test_no_two_draws_share_an_address_and_none_is_left_unused(normals, dtype):
    size, width = philox.group_size(normals, dtype), philox.width(dtype)
    seen = addresses(normals, dtype, 5 * size)
    assert set(seen.values()) == {1}
    blocks = size * normals // width
    assert {(a.group, a.block, a.lane) for a in seen} == {
        (g, b, lane) for g in range(5) for b in range(blocks) for lane in range(width)
    }


def test_the_audit_notices_a_counter_that_forgets_the_place_in_the_group():
    def forgetful(step, draw, normals, dtype):
        a = philox.address(step, draw, normals, dtype)
        return philox.Address(draw // philox.width(dtype), a.group, draw % philox.width(dtype))

    assert max(addresses(10, "float32", 10, forgetful).values()) > 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_part_of_the_counter_matters(dtype):
    chains = np.arange(100)
    base = philox.normals(1, 1, chains, 5, 3, dtype)
    others = [
        philox.normals(2, 1, chains, 5, 3, dtype),
        philox.normals(1, 2, chains, 5, 3, dtype),
        philox.normals(1, 1, chains + 100, 5, 3, dtype),
        philox.normals(1, 1, chains, 6, 3, dtype),
        philox.normals(1, 1, chains, 5 + 2**34, 3, dtype),  # beyond 32 bits of the step counter
    ]
    assert all((base != other).mean() > 0.99 for other in others)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normals_are_normal(dtype):
    """Kolmogorov-Smirnov and the first four moments, five tests at 2e-7 each."""
    z = philox.normals(7, 1, np.arange(50_000), 3, 4, dtype).astype(float).ravel()
    assert stats.kstest(z, "norm").pvalue > 2e-7
    limit = stats.norm.isf(1e-7)
    for k, variance in ((1, 1), (2, 2), (3, 15), (4, 96)):
        deviation = (z**k).mean() - (0, 0, 1, 0, 3)[k]
        assert abs(deviation) < limit * np.sqrt(variance / z.size)


def test_uniforms_in_the_place_of_normals_are_noticed():
    z = np.random.default_rng(0).uniform(-np.sqrt(3), np.sqrt(3), 200_000)
    assert stats.kstest(z, "norm").pvalue < 2e-7


def test_extreme_words_give_finite_normals():
    for word, dtype in ((np.uint32, "float32"), (np.uint64, "float64")):
        top = np.iinfo(word).max
        edge = np.array([0, 1, top // 2, top // 2 + 1, top - 1, top], word)
        radius, angle = (g.ravel() for g in np.meshgrid(edge, edge))
        z = np.concatenate(philox.box_muller(radius, angle, dtype))
        assert np.isfinite(z).all()
        assert 6.7 < abs(z).max() < 8.7


@pytest.mark.parametrize(("seed", "chains"), [(-1, 1), (2**32, 1), (0, 0), (0, 2**32), (True, 1)])
def test_seeds_and_chains_that_do_not_fit_are_refused(seed, chains):
    with pytest.raises(UnusableInput):
        philox.check(seed, chains)
