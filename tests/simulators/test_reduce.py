"""The tree: the same bits however the rows arrive."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.reduce import Tree, subtrees

ROWS = np.random.default_rng(0).normal(size=(1000, 2)) * 10.0 ** np.arange(1000)[:, None] ** 0.2


def summed(rows, cuts):
    tree = Tree()
    for part in np.split(rows, cuts):
        tree.add(part)
    return tree.total()


@given(st.integers(1, 1000), st.lists(st.integers(0, 1000)))
def test_chunks_do_not_matter(count, cuts):
    rows = ROWS[:count]
    whole = summed(rows, [])
    cut = summed(rows, sorted(min(c, count) for c in cuts))
    assert whole.tobytes() == cut.tobytes()


@given(st.integers(0, 40), st.integers(1, 60), st.integers(0, 40))
def test_rows_may_come_added_up(before, count, after):
    rows = ROWS[: before + count + after]
    tree = Tree()
    tree.add(rows[:before])
    folds = []

    def fold(rows):
        folds.append(len(rows))
        return rows[0::2] + rows[1::2]

    parts = subtrees(rows[before : before + count], before, fold)
    assert len(parts) <= 2 * (count.bit_length() + 1)
    assert sum(len(p.values) << p.level for p in parts) == count
    for part in parts:
        tree.add(part.values, part.level)
    tree.add(rows[before + count :])
    assert tree.total().tobytes() == summed(rows, []).tobytes()


def test_a_subtree_must_begin_where_it_can():
    tree = Tree()
    tree.add(ROWS[:1])
    with pytest.raises(AssertionError, match="begins"):
        tree.add(ROWS[1:2], level=1)


def test_the_sum_is_right_to_the_tree_bound():
    """Pairwise summation errs by at most log2(n) roundings of the sum of absolute values."""
    total = summed(ROWS, [1, 17, 500])
    for column in range(2):
        exact = math.fsum(ROWS[:, column])
        size = math.fsum(np.abs(ROWS[:, column]))
        assert abs(total[column] - exact) <= 10 * 2**-53 * size


def test_a_sum_by_chunks_would_be_noticed():
    by_chunks = [sum(part.sum(axis=0) for part in np.split(ROWS, cuts)) for cuts in ([333], [100, 700])]
    assert by_chunks[0].tobytes() != by_chunks[1].tobytes()


def test_an_empty_sum_is_a_mistake():
    with pytest.raises(AssertionError):
        Tree().total()
