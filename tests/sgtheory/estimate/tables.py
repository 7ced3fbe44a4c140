"""Tables of gradients in small whole numbers, and their sums as they are written."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
from hypothesis import strategies as st

small = st.integers(-3, 3)


def tables(rows, columns):
    return st.lists(st.lists(small, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def gradients(draw, most=5, dimensions=3):
    return draw(tables(draw(st.integers(2, most)), draw(st.integers(1, dimensions))))


@st.composite
def minibatched(draw, most=5, dimensions=3, least=1):
    g = draw(gradients(most, dimensions))
    return g, draw(st.integers(least, len(g))), draw(st.booleans())


def minibatches(g, S, replacement):
    """Every minibatch, in order: the tuples that are equally likely."""
    return list(product(g, repeat=S) if replacement else permutations(g, S))


def mean_of(g):
    return [Fraction(sum(column), len(g)) for column in zip(*g, strict=True)]


def outer(v):
    return np.array([[a * b for b in v] for a in v], object)


def moment(g, center):
    """The mean of (g - center)(g - center)^T, summed as it is written."""
    return sum(outer([x - c for x, c in zip(row, center, strict=True)]) for row in g) / Fraction(len(g))


def spread(g):
    return moment(g, mean_of(g))


def enumerated(batches):
    """The mean of (g1 - gS)(g1 - gS)^T over a list of minibatches: S g1 - sum is a whole number."""
    S, total = len(batches[0]), 0
    for batch in batches:
        total = total + outer(
            [
                S * first - sum(all_)
                for first, all_ in zip(batch[0], zip(*batch, strict=True), strict=True)
            ]
        )
    return total / Fraction(S * S * len(batches))


def same(a, b):
    return bool((np.asarray(a, object) == np.asarray(b, object)).all())
