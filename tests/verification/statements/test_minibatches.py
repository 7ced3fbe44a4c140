"""Statements about minibatches and losses: fresh true ones, wrong ones, and routes of the test's own."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import sympy as sp

from sgtheory.errors import DeclarationError
from sgtheory.notation.matrixwords import Trace
from verification.notation import N, S, eps
from verification.refuter.script import run
from verification.statements import Compare, Equal, Order, claim, growing
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.batchwords import (
    At,
    Average,
    BatchAverage,
    Degree,
    Expectation,
    First,
    FixedSquare,
    Gradient,
    Hessian,
    Inner,
    Online,
    columns,
    covariance,
    numbers,
    outer,
    theta,
    total,
)
from verification.terms.kinds import Transpose
from verification.theories.minibatches.drawing import NOT_REPLACED, REPLACED

z, x = columns("z x")
y = numbers("y")
A = FixedSquare("A", commutative=False)
NOISE = BatchAverage(z) - Average(z)
NUMBER = BatchAverage(y) - Average(y)


def states(relation, given=()):
    return claim("fresh", at="here", title="T", says="S.", given=given, read=relation)


def says(left, right, given=(), **more):
    return states(Equal(left, right, **more), given)


TRUE = {
    "variance with replacement": says(
        Expectation(Inner(NOISE, NOISE)), Trace(covariance(z)) / S, given=(REPLACED,)
    ),
    "variance without": says(
        Expectation(outer(NOISE)), (N - S) / (N - 1) * covariance(z) / S, given=(NOT_REPLACED,)
    ),
    "sample covariance with replacement": says(
        Expectation(BatchAverage(outer(z - BatchAverage(z)))),
        (S - 1) / S * covariance(z),
        given=(REPLACED,),
    ),
    "the first against the rest": says(
        Expectation(First(z) * Transpose(BatchAverage(z))), Expectation(outer(BatchAverage(z)))
    ),
    "third moment": says(
        Expectation(NUMBER**3), Average((y - Average(y)) ** 3) / S**2, given=(REPLACED,)
    ),
    "gradient of a quadratic": says(Gradient(Transpose(theta) * A * theta / 2), A * theta),
    "Hessian of least squares": says(Hessian(total((y - Inner(x, theta)) ** 2) / 2), total(outer(x))),
    "minimum": says(At(Gradient(Average(Inner(z - theta, z - theta))), Average(z)), 0),
    "a value for theta": says(
        At(Average(y * Inner(x, theta)), Average(z)), Average(y * Inner(x, Average(z)))
    ),
    "a trace": says(Trace(Average(outer(x))), Average(Inner(x, x))),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_ones_are_proved_and_their_wrong_twins_rejected(name):
    claim = TRUE[name]
    finding = claim.find()
    assert finding.verdict == "proved", finding.reason
    twins = claim.twins(finding)
    assert twins.tried >= 1
    assert twins.rejected == twins.tried, twins.survivors


WRONG = {
    "a factor": says(Expectation(outer(NOISE)), 2 * covariance(z) / S, given=(REPLACED,)),
    "a sign": says(Gradient(Average(Inner(z - theta, z - theta))), Average(z) - theta),
    "N - 1 with replacement": says(
        Expectation(BatchAverage(outer(z - BatchAverage(z)))), covariance(z), given=(REPLACED,)
    ),
    "degree": states(Compare(Degree(Average(Inner(z, theta) ** 3)), "<=", 2)),
    "limit of the data": states(
        Order(Expectation(outer(NOISE)), "~", 2 * covariance(z) / S, growing(N))
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_ones_are_refuted_and_a_script_decides(name):
    finding = WRONG[name].find()
    assert finding.verdict == "refuted", finding.reason
    assert run(finding.counterexample.script) is False


def test_a_bound_of_sizes_leads_to_no_place_without_its_data():
    """S <= N was imposed as more examples than there were numbers for, which ended in a KeyError."""
    finding = says(Expectation(outer(NOISE)), covariance(z) / S, given=(S <= N,)).find()
    assert finding.verdict == "proved-if", finding.reason


def test_the_way_of_drawing_is_found():
    finding = says(Expectation(outer(NOISE)), covariance(z) / S).find()
    assert finding.verdict == "proved-if"
    assert finding.condition == "the minibatch is drawn with replacement or S = 1"
    assert "(N - S)" in finding.corrected.text
    assert "(without replacement)" in finding.corrected.text


@pytest.mark.strong
def test_an_approximation_has_a_gap():
    claim = says(Online(outer(First(z) - BatchAverage(z))), covariance(z), approached=growing(S))
    finding = claim.find()
    assert finding.verdict == "limit-only"
    assert finding.gap.text == "relative gap -1/S, of order 1 in 1/S"
    fourth = says(Expectation(NUMBER**4), 3 * Expectation(NUMBER**2) ** 2, approached=growing(S)).find()
    assert fourth.gap.order == "1"
    odd = says(
        Expectation(NUMBER**3),
        0,
        approached=growing(S),
        scale=Expectation(NUMBER**2) ** sp.Rational(3, 2),
    ).find()
    assert odd.gap.order == "1/2"


def test_a_limit_is_proved_and_one_of_another_size_is_not():
    estimate = outer(First(z) - BatchAverage(z))
    assert states(Order(Online(estimate), "~", covariance(z), growing(S))).find().verdict == "proved"
    assert states(Order(Online(estimate), "~", covariance(z), growing(N))).find().verdict == "refuted"


def test_what_is_said_to_differ_and_does_not_is_refuted():
    finding = states(Compare(Expectation(outer(NOISE)), "!=", covariance(z) / S)).find()
    assert finding.verdict == "refuted"
    assert "(N - S)" in finding.corrected.text
    assert run(finding.counterexample.script) is False


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(DeclarationError):
        says(Expectation(outer(NOISE)), Average(Inner(z, z)) / S).find()


@pytest.mark.parametrize("repeats", [True, False])
def test_corrections_in_numbers_of_numpy(repeats):
    """The fourth moment and the online estimator, by loops over minibatches in floating point."""
    source = np.random.default_rng(4)
    n, s = 6, 3
    data = source.standard_normal(n)
    batches = list(product(range(n), repeat=s) if repeats else permutations(range(n), s))
    drawn = np.array([[data[i] for i in b] for b in batches])
    noise = drawn.mean(1) - data.mean()
    m2, m4 = (((data - data.mean()) ** k).mean() for k in (2, 4))
    fourth = says(Expectation(NUMBER**4), 0, given=(REPLACED if repeats else NOT_REPLACED,)).find()
    (corrected,) = fourth.corrected.printed
    moments = {Average((y - Average(y)) ** k): m for k, m in ((2, m2), (4, m4))}
    value = in_symbols(corrected.right).subs(moments)
    value = value.subs({symbol: {"N": n, "S": s}[symbol.name] for symbol in value.free_symbols})
    assert float(value) == pytest.approx((noise**4).mean(), rel=1e-12)
    estimate = ((drawn[:, 0] - drawn.mean(1)) ** 2).mean()
    assert estimate == pytest.approx(m2 * (1 - 1 / s) * (1 if repeats else n / (n - 1)), rel=1e-12)


def test_a_place_is_shown_with_its_data():
    finding = says(Expectation(eps * outer(NOISE)), eps * covariance(z)).find()
    shown = finding.counterexample.problem
    assert shown["N"] == len(shown["z"])
    assert Fraction(shown["eps"]) > 0
    assert sp.sympify(finding.counterexample.left[0][0]) != sp.sympify(
        finding.counterexample.right[0][0]
    )


ALL, ONE = (Expectation(Inner(x, x)) for x in (NOISE, First(z) - Average(z)))


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (ONE, S * ALL, "proved"),  # S (N - 1)/(N - S), or S, times
        (ONE, ALL, "proved"),
        (Average(Inner(z, z)), Inner(Average(z), Average(z)), "proved"),  # Jensen
        (2 * Average(Inner(z, z)), ONE + Inner(Average(z), Average(z)), "proved"),
        (ALL, ONE, "proved-if"),  # S = 1
        (ONE, (S + 1) * ALL, "proved-if"),  # all are drawn, and none twice
        (ONE, Inner(Average(z), Average(z)), "refuted"),
    ],
)
def test_variances_of_minibatches_are_compared_however_one_draws(left, right, verdict):
    finding = claim("fresh", at="here", title="T", read=Compare(left, ">=", right)).find()
    assert finding.verdict == verdict
    assert verdict == "proved" or not run(finding.counterexample.script)
