"""The regret of adaptive steps: linear on slopes that come in turn; where the bounds do not decide."""

from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.refuter.script import run
from verification.statements import OnlineStep, Order, claim, growing, letter, regret, sqrt
from verification.verdicts.verdict import RoutesDisagree

x, v, f = sp.symbols("x v f", real=True)
eta, sigma, lam = sp.symbols("eta sigma lambda", positive=True)
SQUARES = (v, sigma * v + (1 - sigma) * f**2)
RMSPROP = Step((x, v), (SQUARES, (x, x - eta * f / (lam + sp.sqrt(v)))))
VALUES = ((eta, "1"), (sigma, "1/17"), (lam, "1/100"))
T = letter("T", "count")


def stated(right, step=RMSPROP, values=VALUES, relation="O", **more):
    of = OnlineStep(step, x, f, eta, values, (sigma, lam), **more)
    order = Order(regret("R", of), relation, right, growing(T))
    return claim("fresh", at="here", title="T", read=order)


def test_a_root_is_refuted_and_a_linear_regret_proved():
    one = stated(sqrt(T))
    finding = one.find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text == (
        "R = Theta(T) as T -> infinity, where losses have the slopes 4, -1, -1 in turn"
    )
    assert run(finding.counterexample.script) is False
    assert finding.counterexample.problem["lambda"] == "1/100"
    twins = one.twins(finding)
    assert twins.tried == twins.rejected > 3
    assert stated(T).find().verdict == stated(T**2, relation="o").find().verdict == "proved"


@pytest.mark.parametrize(
    "undecided",
    [
        {"values": ((eta, "1"), (sigma, "99/100"), (lam, "1/100"))},
        {"values": ((eta, "4"), *VALUES[1:])},
        {"step": Step((x, v), (SQUARES, (x, x - eta * f)))},
        {"step": Step((x, v), (SQUARES, (x, x - 2 * eta * f / (lam + sp.sqrt(v)))))},
    ],
    ids=["a long memory", "long steps", "not adaptive", "twice as far"],
)
def test_where_the_bounds_say_nothing_it_is_not_decided(undecided):
    assert stated(sqrt(T), **undecided).find().verdict == "inconclusive"


def test_a_sabotaged_run_is_caught(monkeypatch):
    monkeypatch.setattr(OnlineStep, "lost", lambda self, periods: Fraction(1))
    with pytest.raises(RoutesDisagree):
        stated(sqrt(T)).find()
