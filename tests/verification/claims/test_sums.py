"""Statements about sums over steps, about lags, and about operators: true, false, conditional."""

import pytest
import sympy as sp

from verification.claims import sums
from verification.claims.base import Printed
from verification.claims.lag_sums import DOUBLE, LATER, MEAN_SQUARE, NOW, WHOLE, Lags, LagSums
from verification.claims.lag_sums import T as N_STEPS
from verification.claims.operator_series import Expanded, OperatorSeries
from verification.claims.rough import RoughStep
from verification.claims.sums import Sums
from verification.refuter.script import run
from verification.sequences.relations import UpTo, Vanishes
from verification.sequences.words import E, T, i, numbers, over, t
from verification.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}
x, y, V = numbers("x"), numbers("y"), numbers("V")
eps = numbers("eps", positive=True)
a, b, X = sp.symbols("a b X", real=True)
q = sp.Symbol("q", positive=True)
A, B, L = sp.symbols("A B L", commutative=False)
h = sp.Symbol("h", positive=True)


def about(printed, defined=(), where=(), **kinds):
    letters = {s.name if s.is_Symbol else str(s): s for s in (x, y, eps, a, b, X, q)}
    named = tuple((letters[n], kind.replace("_", " ")) for n, kind in kinds.items())
    return Sums(printed=(printed,), kinds=named, defined=defined, where=where, **COMMON)


@pytest.mark.parametrize(
    ("claim", "verdict", "condition"),
    [
        (about(Printed(over(x[t] - x[t - 1]), x[T] - x[0])), "proved", None),
        (about(Printed(over(x[t] - x[t - 1]), x[T])), "refuted", None),
        (
            about(Printed(E(over(x[t]) ** 2), over(E(x[t] ** 2))), x="random"),
            "proved-if",
            "E(x[t]) = 0 given what came before",
        ),
        (about(Printed(E(over(x[t]) ** 2), T), x="signs"), "proved", None),
        (
            about(Printed(E((a - X) ** 2), E((b - X) ** 2) + (a - b) ** 2), X="random"),
            "proved-if",
            "E(X) = b",
        ),
        (about(Printed(over(x[t]) ** 2, T * over(x[t] ** 2), "<=")), "proved", None),
        (about(UpTo(over(x[t]) ** 2, over(x[t] ** 2))), "refuted", None),
        (about(UpTo(over(eps[t] ** 2), over(eps[t]) ** 2), eps="positive"), "proved", None),
        (about(Vanishes(over(eps[t] ** 2) / over(eps[t])), eps="steps"), "proved", None),
        (about(Vanishes(over(eps[t] ** 2)), eps="steps"), "refuted", None),
    ],
)
def test_verdicts(claim, verdict, condition):
    finding = claim.find()
    assert (finding.verdict, finding.condition) == (verdict, condition)
    if finding.counterexample:
        assert run(finding.counterexample.script) is False
    assert claim.twins(finding).survivors == ()


def test_a_bound_is_mended_with_as_many_as_there_are_steps():
    finding = about(Printed(over(x[t]) ** 2, over(x[t] ** 2), "<=")).find()
    assert finding.corrected.text == "Sum(x[t], (t, 1, T))**2 <= T*Sum(x[t]**2, (t, 1, T))"


def test_a_moving_average_is_unrolled_by_induction_from_its_start():
    rule = q * V[t - 1] + x[t]
    unrolled = Printed(V[T], over(q ** (T - i) * x[i], i))
    assert about(unrolled, defined=((V, rule, 0),), q="fraction").find().verdict == "proved"
    wrong = about(unrolled, defined=((V, rule, 1),), q="fraction").find()
    assert wrong.verdict == "refuted"


def test_a_sabotaged_normal_form_is_caught_by_numbers(monkeypatch):
    monkeypatch.setattr(sums, "difference", lambda *_: (sp.Integer(0), None))
    with pytest.raises(RoutesDisagree):
        about(Printed(over(x[t]), over(y[t]))).find()


def lags(left, right, relation="="):
    return LagSums(printed=(Lags(left, right, relation),), **COMMON)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (lags(MEAN_SQUARE, DOUBLE), "proved"),
        (lags(WHOLE, NOW + 2 * LATER), "proved"),
        (lags(DOUBLE / N_STEPS**2, WHOLE / N_STEPS, "~"), "proved"),
        (lags(DOUBLE / N_STEPS**2, WHOLE / N_STEPS), "limit-only"),
        (lags(DOUBLE / N_STEPS**2, 2 * WHOLE / N_STEPS, "~"), "refuted"),
    ],
)
def test_weights_of_lags(claim, verdict):
    finding = claim.find()
    assert finding.verdict == verdict
    assert claim.twins(finding).survivors == ()


@pytest.mark.parametrize(
    ("left", "right", "order", "verdict"),
    [
        (sp.exp(h * A) * sp.exp(h * B), sp.exp(h * (A + B)), 2, "proved"),
        (sp.exp(h * A) * sp.exp(h * B), sp.exp(h * (A + B)), 3, "refuted"),
        (sp.exp(h * A / 2) * sp.exp(h * B) * sp.exp(h * A / 2), sp.exp(h * (A + B)), 3, "proved"),
        (sp.exp(h * L), 1 + h * L, 3, "refuted"),
    ],
)
def test_products_of_exponentials(left, right, order, verdict):
    claim = OperatorSeries(printed=(Expanded(left, right, small=h, order=order),), **COMMON)
    finding = claim.find()
    assert finding.verdict == verdict
    assert claim.twins(finding).survivors == ()
    if verdict == "refuted":
        assert run(finding.counterexample.script) is False
        assert f"O(h**{order - 1})" in finding.corrected.text


@pytest.mark.parametrize(
    ("derivatives", "order", "verdict"),
    [(4, 2, "proved"), (3, 2, "refuted"), (3, sp.Rational(3, 2), "proved"), (4, 3, "refuted")],
)
def test_derivatives_that_one_step_needs(derivatives, order, verdict):
    claim = RoughStep(derivatives=derivatives, order=order, **COMMON)
    finding = claim.find()
    assert finding.verdict == verdict
    assert claim.twins(finding).survivors == ()
    if verdict == "refuted":
        assert run(finding.counterexample.script) is False
