"""Sums of autocovariances of a stationary sequence: for every number of steps, and for many."""

import pytest

from verification.refuter.script import run
from verification.statements import (
    INFINITY,
    MINUS_INFINITY,
    Equal,
    Order,
    claim,
    expanded,
    growing,
    index,
    letters,
    mean,
    over,
    sequences,
    size,
)

(T,) = letters("T", "count")
(A,) = sequences("A", "autocovariances")
(x,) = sequences("x", "random sequence")
i, j, t = index("i"), index("j"), index("t")
PAIRS = over(over(A[size(i - j)], j, 1, T), i, 1, T)
ONE_MORE = over(over(A[size(i - j)], j, 0, T), i, 0, T)
WHOLE = over(A[size(t)], t, MINUS_INFINITY, INFINITY)
LATER = over(A[t], t, 1, INFINITY)
PRODUCT = Equal(mean(x[i] * x[j]), A[size(i - j)])


def stated(relation, *given):
    return claim("k", at="here", title="t", printed=relation, given=given)


def nearly(left, right, power=1):
    return expanded(left, right, T**-power if power > 1 else 1 / T, growing(T), "o")


@pytest.mark.parametrize(
    ("relation", "verdict"),
    [
        (Equal(mean(over(over(x[i] * x[j], j, 1, T), i, 1, T)), PAIRS), "proved"),
        (Equal(WHOLE, A[0] + 2 * LATER), "proved"),
        (Equal(WHOLE, A[0] + LATER), "refuted"),
        (nearly(PAIRS / T**2, WHOLE / T), "proved"),
        (Equal(PAIRS / T**2, WHOLE / T), "limit-only"),
        (nearly(PAIRS / T**2, 2 * WHOLE / T), "refuted"),
        (Equal(ONE_MORE, PAIRS + A[0] + 2 * over(A[t], t, 1, T)), "proved"),
        (nearly(over((T - t) * A[t], t, 1, T) / T**2, LATER / T), "proved"),
        (Equal(A[0] ** 2, A[1]), "refuted"),
    ],
)  # fmt: skip
def test_weights_of_lags(relation, verdict):
    one = stated(relation, PRODUCT)
    finding = one.find()
    assert finding.verdict == verdict
    twins = one.twins(finding)
    assert twins.rejected == twins.tried, twins.survivors
    if verdict != "proved":
        assert run(finding.counterexample.script) is False


def test_a_mean_over_pairs_is_corrected_lag_by_lag():
    finding = stated(Equal(PAIRS / T**2, WHOLE / T)).find()
    assert finding.gap.text.endswith("-2*t/T, of order 1 in 1/T")
    assert finding.corrected.printed[0].right == over((T - size(t)) * A[size(t)], t, 1 - T, T - 1) / T**2


def test_what_all_lags_have_together_may_be_larger_than_what_each_has():
    """Sums beyond 2 T lags, over T: smaller than 1/T, and no faster for all that have a finite sum."""
    far = over(A[t], t, 2 * T + 1, INFINITY) / T
    assert stated(Order(far, "o", 1 / T, growing(T))).find().verdict == "proved"
    assert stated(Order(far, "o", T**-2, growing(T))).find().verdict == "inconclusive"


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_generating_functions_have_the_weights_that_are_counted(steps):
    """The other route: lags of all pairs counted one by one."""
    import sympy as sp

    from verification.statements.deciding import asked

    known = asked(stated(Equal(PAIRS, WHOLE))).subject
    z = sp.Symbol("z")
    found = known.weights(PAIRS).generating.subs({sp.Symbol("rho", positive=True): -sp.log(z)})
    found = found.subs(sp.Symbol("T", integer=True, positive=True), steps)
    counted = sum(z ** abs(a - b) for a in range(steps) for b in range(steps))
    assert sp.simplify(found - counted) == 0


@pytest.mark.parametrize(
    ("relation", "verdict"),
    [(A[1] <= A[0], "inconclusive"), (2 * A[1] <= A[0], "inconclusive"), (3 * A[1] <= A[0], "refuted")],
)
def test_what_is_no_autocovariance_refutes_nothing_and_how_they_are_drawn_proves_nothing(
    relation, verdict
):
    finding = stated(relation).find()
    assert finding.verdict == verdict
    if finding.counterexample is not None:
        lag = {k: abs(int(x)) for k, x in finding.counterexample.problem.items()}
        assert 2 * lag["A[1]"] <= lag["A[0]"]
