"""Holm's procedure against what it is short for: testing every intersection by Bonferroni."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from verification.statistics.multiplicity import holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=6)


def closed(p):
    """A statement's p-value is the largest of all intersections that it is in."""
    sets = [s for k in range(1, len(p) + 1) for s in combinations(range(len(p)), k)]
    return [max(min(1.0, len(s) * min(p[k] for k in s)) for s in sets if j in s) for j in range(len(p))]


@given(p_values)
def test_holm_is_the_closure_of_bonferroni(p):
    assert np.allclose(holm(p), closed(p), rtol=1e-12)


def test_a_step_that_forgets_what_came_before_is_another():
    p = [0.01, 0.012, 0.5]
    forgetful = [min(1.0, (3 - rank) * x) for rank, x in enumerate(p)]
    assert not np.allclose(forgetful, closed(p))
