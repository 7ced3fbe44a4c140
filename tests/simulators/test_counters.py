"""The collision audit: no two random numbers of a run come from the same place of the generator.

A number comes from a counter (block, group low, group high, chain), a key (seed, purpose) and a lane.
Chain, seed and purpose are words of their own, so two numbers can only meet where block, group and
lane do, for one chain and one purpose: that is what is enumerated here, as the kernels do it.
"""

from itertools import product

import numpy as np
import pytest

from simulators import philox
from simulators.emit import Layout, calls, place
from simulators.program import MINIBATCH, PURPOSES

LAWS = ["normal", "rademacher", "uniform", "student:5"]
STEPS = 64


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("law", LAWS)
def test_addresses_of_a_purpose_are_distinct(dtype, law):
    purpose = philox.stream(2, law)
    for normals in (*range(1, 14), 40, 64):
        found = [
            philox.address(step, draw, normals, dtype, purpose)
            for step, draw in product(range(STEPS), range(normals))
        ]
        assert len(set(found)) == len(found)
        width = philox.width(dtype, purpose)
        assert all(0 <= a.lane < width and 0 <= a.block < 2**32 for a in found)
        # nothing goes to waste: as many places as numbers
        blocks = {(a.block, a.group) for a in found}
        size = philox.group_size(normals, dtype, purpose)
        assert STEPS % size == 0
        assert len(blocks) * width == len(found)


def test_a_twin_that_forgets_the_group_collides():
    found = [(a.block, a.lane) for a in (philox.address(t, 0, 1, "float32") for t in range(STEPS))]
    assert len(set(found)) < len(found)


def test_purposes_and_laws_are_different_keys():
    purposes = [philox.stream(p, law) for p in range(len(PURPOSES)) for law in LAWS]
    assert len(set(purposes)) == len(purposes)
    assert max(purposes) < 2**32


def test_minibatches_of_a_step_have_words_of_their_own():
    for size in (1, 3, 4, 5, 32):
        words = {(slot * -(-size // 4) + s // 4, s % 4) for slot in range(5) for s in range(size)}
        assert len(words) == 5 * size
    chains = np.arange(50)
    drawn = [philox.indices(1, MINIBATCH, chains, 3, k, 10**6, 5, True) for k in range(2)]
    assert not (drawn[0] == drawn[1]).any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "D"), [("sgd", 1), ("sgld", 3), ("momentum", 5), ("sgld", 10)])
def test_fused_kernels_use_each_place_of_a_call_once(tools, dtype, name, D):
    """What the unrolled code asks for: every number of every call, once in a group of steps."""
    layout = Layout.of(tools.bound(name, D, dtype))
    body = layout.program.body
    asked = [
        place(layout, draw, i, s)
        for s in range(layout.fused) for draw in body.draws for i in range(D)
    ]  # fmt: skip
    assert len(set(asked)) == len(asked)
    made = {
        f"z{p}_{r}_{block * philox.width(dtype, p) + lane}"
        for s in range(layout.fused)
        for p, r, block in calls(layout, s)
        for lane in range(philox.width(dtype, p))
    }
    assert made == set(asked)
