"""Eq. 21, the online estimate of C, against all its minibatches."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgtheory.errors import UnusableInput
from sgtheory.estimate import (
    Online,
    from_gradients,
    of_problem,
    online_bias,
    online_expectation,
)
from sgtheory.problem import Problem
from tests.sgtheory.estimate.tables import (
    enumerated,
    gradients,
    mean_of,
    minibatched,
    minibatches,
    moment,
    same,
    small,
    spread,
    tables,
)

# ---- Eq. 21: one term


@given(case=minibatched())
def test_one_term_on_average_is_the_factor_times_the_covariance(case):
    g, S, replacement = case
    assert same(
        enumerated(minibatches(g, S, replacement)), online_bias(S, len(g), replacement) * spread(g)
    )


WRONG = {
    "none, with": (True, lambda S, N: Fraction(1)),
    "none, without": (False, lambda S, N: Fraction(1) if S < N else None),  # for S = N it is right
    "as without": (True, lambda S, N: (1 - Fraction(1, S)) * Fraction(N, N - 1)),
    "as with": (False, lambda S, N: 1 - Fraction(1, S)),
    "inverted": (False, lambda S, N: (1 - Fraction(1, S)) * Fraction(N - 1, N)),
    "g1 and gS independent": (True, lambda S, N: 1 + Fraction(1, S)),
    "the noise of gS": (True, lambda S, N: Fraction(1, S) if S != 2 else None),  # equal at S = 2
    "finite": (False, lambda S, N: Fraction(N - S, N - 1) if (N - S) * S != (S - 1) * N else None),
}


@pytest.mark.parametrize("name", WRONG)
@given(case=minibatched(least=2))
def test_wrong_factors_are_noticed(name, case):
    g, S, _ = case
    replacement, factor = WRONG[name]
    wrong = factor(S, len(g))
    assume(spread(g).any() and wrong is not None)
    assert not same(enumerated(minibatches(g, S, replacement)), wrong * spread(g))


@given(case=minibatched(least=2))
def test_it_is_not_the_fisher_matrix(case):
    g, S, replacement = case
    assume(any(mean_of(g)))
    factor = online_bias(S, len(g), replacement)
    assert not same(enumerated(minibatches(g, S, replacement)), factor * moment(g, [0] * len(g[0])))


def test_the_first_must_be_any_of_them():
    g = [[0], [1], [5]]
    in_order = list(combinations(g, 2))
    in_any = [batch[::turn] for batch in in_order for turn in (1, -1)]
    expected = online_bias(2, 3, False) * spread(g)
    assert same(enumerated(in_any), expected)
    # two examples differ by as much whichever comes first; of three it matters
    g = [[0], [1], [5], [6]]
    expected = online_bias(3, 4, False) * spread(g)
    assert not same(enumerated(list(combinations(g, 3))), expected)
    assert same(enumerated(list(permutations(g, 3))), expected)


def test_the_factor_by_hand():
    assert online_bias(1) == 0 == online_bias(1, 1, False) == online_bias(1, 7, False)
    assert online_bias(10) == Fraction(9, 10)
    assert online_bias(2, 5, False) == Fraction(5, 8)
    assert all(online_bias(N, N, False) == 1 for N in range(2, 9))  # all of the data: C itself


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((0,), "S as a whole number"),
        ((2.5,), "S as a whole number"),
        ((True,), "a number for S"),
        (("many",), "a finite number for S"),
        ((2, 0), "N as a whole number"),
        ((3, 2, False), "S = 3 of N = 2"),
        ((3, None, False), "no N"),
    ],
)
def test_sizes_are_checked(arguments, word):
    with pytest.raises(UnusableInput, match=word):
        online_bias(*arguments)


# ---- Eq. 21: the recursion


@given(case=minibatched(most=4))
def test_the_class_fed_every_minibatch(case):
    g, S, replacement = case
    found = {}
    for corrected in (False, True) if S > 1 else (False,):
        online = Online(1, N=len(g), replacement=replacement, corrected=corrected)
        batches = minibatches(g, S, replacement)
        fed = [online.after(batch).C for batch in batches]
        again = [online.after_pair(batch[0], mean_of(batch), S).C for batch in batches]
        assert same(fed, again)
        found[corrected] = sum(fed) / Fraction(len(batches))
    assert same(found[False], online_bias(S, len(g), replacement) * spread(g))
    if S > 1:
        assert same(found[True], spread(g))
        biased = online_bias(S, len(g), replacement) != 1
        assert same(found[True], found[False]) == (not biased or not spread(g).any())


shares = st.fractions(0, 1, max_denominator=7)


@settings(max_examples=15)
@given(
    g=gradients(most=3, dimensions=2),
    S=st.integers(1, 2),
    replacement=st.booleans(),
    kappas=st.lists(shares, min_size=1, max_size=2),
    corrected=st.booleans(),
    data=st.data(),
)
def test_expectation_over_all_runs(g, S, replacement, kappas, corrected, data):
    corrected = corrected and S > 1
    N, d, t = len(g), len(g[0]), len(kappas)
    start = data.draw(st.none() | tables(d, d))
    batches = minibatches(g, S, replacement)
    online = Online(lambda i: kappas[i - 1], start, 0, N, replacement, corrected)
    total, runs = 0, list(product(batches, repeat=t))
    for run in runs:
        now = online
        for batch in run:
            now = now.after(batch)
        assert now.t == t
        total = total + now.C
    found = total / Fraction(len(runs))

    def claimed(C=None, **other):
        words = {"kappa": online.kappa, "start": start, "corrected": corrected} | other
        return online_expectation(spread(g) if C is None else C, t, S=S, N=N, **words)

    assert same(found, claimed(replacement=replacement))
    kept = prod(1 - k for k in kappas)
    biased = kept < 1 and spread(g).any() and online_bias(S, N, replacement) not in (0, 1)
    if biased:  # wrong twins
        assert not same(found, claimed(replacement=replacement, corrected=not corrected))
        if not corrected:
            assert not same(found, claimed(replacement=not replacement))
    if kept < 1 and any(mean_of(g)) and S > 1:
        assert not same(found, claimed(moment(g, [0] * d), replacement=replacement))
    if kept and start is not None and np.any(start):
        assert not same(found, claimed(replacement=replacement, start=None))


def test_expectation_by_hand():
    harmonic = online_expectation([[8]], 50, lambda t: Fraction(1, t), 4, start=[[100]])
    assert same(harmonic, [[6]])  # the start is forgotten at once, the factor never
    constant = online_expectation([[8]], 3, Fraction(1, 2), 4, start=[[100]])
    assert same(constant, [[Fraction(100, 8) + Fraction(7, 8) * 6]])
    none = online_expectation([[8]], 0, 1, 4, start=[[100]])
    assert same(none, [[100]])
    floats = online_expectation([[8.0]], 3, 0.5, 4, start=[[100]])
    assert floats.dtype == float
    assert floats[0, 0] == 17.75


@given(
    X=tables(4, 2),
    y=st.lists(small, min_size=4, max_size=4),
    theta=st.lists(small, min_size=2, max_size=2),
)
def test_away_from_the_mode_it_is_the_covariance_about_the_full_gradient_there(X, y, theta):
    content = {"model": "linear_regression", "X": X, "y": y, "ridge": 4, "S": 2}
    problem = Problem.of(content)
    g = [
        [
            (sum(a * b for a, b in zip(row, theta, strict=True)) - out) * a + t
            for a, t in zip(row, theta, strict=True)
        ]
        for row, out in zip(X, y, strict=True)
    ]
    assert same(
        mean_of(g), np.array(problem.examples.A) @ (np.array(theta) - np.array(problem.examples.mode))
    )
    there = from_gradients(g)
    for replacement in (True, False):
        found = enumerated(minibatches(g, 2, replacement))
        expected = online_expectation(there.C, 9, lambda t: Fraction(1, t), 2, 4, replacement)
        assert same(found, expected)
        at_mode = np.array(of_problem(problem).C)
        if not same(at_mode, there.C):  # wrong twin: C at the mode
            factor = online_bias(2, 4, replacement)
            assert not same(found, factor * at_mode)
        if any(there.mean_gradient):  # wrong twin: about zero instead of the full gradient
            assert not same(found, online_bias(2, 4, replacement) * np.array(there.fisher))


def test_corrected_minibatches_may_differ_in_size():
    g = [[0, 1], [2, -1], [5, 3]]
    online = Online(Fraction(1, 2), spread(g), N=3, replacement=False, corrected=True)
    runs = [online.after(a).after(b).C for a in permutations(g, 2) for b in permutations(g, 3)]
    assert same(sum(runs) / Fraction(len(runs)), spread(g))


def test_floats_are_the_fractions_rounded():
    rng = np.random.default_rng(0)
    whole = rng.integers(-9, 9, (20, 4, 3))
    for corrected in (False, True):
        exactly = roughly = Online(lambda t: Fraction(1, t), corrected=corrected)
        for batch in whole:
            exactly, roughly = exactly.after(batch), roughly.after(batch.astype(np.float32))
        assert roughly.C.dtype == float
        np.testing.assert_allclose(roughly.C, exactly.C.astype(float), rtol=1e-12)
    assert not np.allclose(roughly.C, exactly.C.astype(float) * 0.75)


def test_feeding_does_not_change_what_was():
    start = Online(Fraction(1, 3))
    after = start.after([[1], [2]])
    again = after.after([[4], [0]])
    assert (start.t, after.t, again.t) == (0, 1, 2)
    assert start.C is None
    assert same(after.C, [[Fraction(1, 12)]])


def test_numbers_of_two_kinds_meet_as_floats():
    mixed = Online(0.5, start := [[1]]).after([[0.5], [1.5]])
    assert mixed.C.dtype == float
    assert mixed.C[0, 0] == 0.5 * start[0][0] + 0.5 * 0.25
    assert mixed.after([[0], [1]]).C.tolist() == [[0.4375]]


@pytest.mark.parametrize("replacement", [True, False])
def test_one_example_says_nothing(replacement):
    online = Online(1, N=9, replacement=replacement)
    assert online.after([[3, 4]]).C.tolist() == [[0, 0], [0, 0]]
    with pytest.raises(UnusableInput, match="two examples or more; got S = 1"):
        replace(online, corrected=True).after([[3, 4]])
    with pytest.raises(UnusableInput, match="two examples or more"):
        online_expectation([[1]], 3, 1, 1, 9, replacement, corrected=True)


@pytest.mark.parametrize(
    ("word", "feed"),
    [
        ("S for a corrected", lambda: Online(1, corrected=True).after_pair([1], [2])),
        ("no N", lambda: Online(1, corrected=True, replacement=False).after([[1], [2]])),
        ("S = 2 of N = 1", lambda: Online(1, N=1, corrected=True, replacement=False).after([[1], [2]])),
        ("kappa from 0 to 1 at t = 1", lambda: Online(1.5).after([[1], [2]])),
        ("finite number for kappa", lambda: Online(float("nan")).after([[1], [2]])),
        ("kappa from 0 to 1 at t = 1; got -1", lambda: Online(lambda t: -t).after([[1], [2]])),
        ("S x D", lambda: Online(1).after([1, 2])),
        ("rows of different lengths", lambda: Online(1).after([[1], [2, 3]])),
        ("two gradients of one dimension", lambda: Online(1).after_pair([1, 2], [1])),
        ("start of C that is 1 x 1", lambda: Online(1, [[1, 0], [0, 1]]).after([[1], [2]])),
        ("start of C that is 2 x 2", lambda: Online(1).after([[1], [2]]).after([[1, 2], [3, 4]])),
        ("finite numbers", lambda: Online(1).after([[np.inf], [1.0]])),
    ],
)
def test_unusable_feed(word, feed):
    with pytest.raises(UnusableInput) as caught:
        feed()
    assert word in str(caught.value)
