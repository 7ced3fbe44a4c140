"""The regret of adaptive steps: linear on slopes that come in turn; where the bounds do not decide."""

from fractions import Fraction

import pytest
import sympy as sp
from flint import arb

from sgtheory.dynamics.steps import Step
from verification.refuter.script import run
from verification.statements import OnlineStep, Order, claim, growing, letter, regret, sqrt
from verification.theories.regret.turns import returns
from verification.verdicts.verdict import RoutesDisagree

x, u, v, f = sp.symbols("x u v f", real=True)
eta, sigma, lam = sp.symbols("eta sigma lambda", positive=True)
SQUARES = (v, sigma * v + (1 - sigma) * f**2)
RMSPROP = Step((x, v), (SQUARES, (x, x - eta * f / (lam + sp.sqrt(v)))))
VALUES = ((eta, "1"), (sigma, "1/17"), (lam, "1/100"))
T = letter("T", "count")


def stated(right, step=RMSPROP, values=VALUES, relation="O", **more):
    of = OnlineStep(step, x, f, eta, values, **more)
    order = Order(regret("R", of), relation, right, growing(T))
    return claim("fresh", at="here", title="T", read=order)


def test_a_root_is_refuted_and_a_linear_regret_proved():
    one = stated(sqrt(T))
    finding = one.find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text == (
        "R = Theta(T) as T -> infinity, where losses have the slopes 4, -1, -1 in turn, on [-1, 1] from"
        " 1, eta = 1, sigma = 1/17, lambda = 1/100, steps eta/sqrt(t)"
    )
    assert run(finding.counterexample.script) is False
    assert finding.counterexample.problem["lambda"] == "1/100"
    twins = one.twins(finding)
    assert twins.tried == twins.rejected > 3
    assert stated(T).find().verdict == stated(T**2, relation="o").find().verdict == "proved"


MOMENTUM = Step((x, u, v), (SQUARES, (u, u / 2 - eta * f / (lam + sp.sqrt(v)) / 2), (x, x + u)))
WEIGHTS = ((eta, "1"), (sigma, "3/10"), (lam, "1/100"))


def test_a_step_with_momentum_is_followed_through_a_period():
    """In balls: the box that one period takes into itself, against a run that is made far later."""
    of = OnlineStep(MOMENTUM, x, f, eta, WEIGHTS, steep=6, level=5)
    box, later = returns(of), of.after(300)
    assert later[x] == 1
    assert box["v"].contains(arb(float(later[v])))
    assert box["u"].contains(arb(float(later[u]) * 1801**0.5))
    assert of.lost(300) > 2 * 300  # at least twice the sum of its slopes in each
    assert stated(sqrt(T), MOMENTUM, WEIGHTS, steep=6, level=5).find().verdict == "refuted"


@pytest.mark.parametrize(
    "undecided",
    [
        {"values": ((eta, "1"), (sigma, "99/100"), (lam, "1/100"))},
        {"step": Step((x, v), (SQUARES, (x, x - eta * f)))},
        {"step": Step((x, v), (SQUARES, (x, x / 2 - eta * f / (lam + sp.sqrt(v)))))},
        {"step": MOMENTUM, "values": WEIGHTS},
        {"values": ((eta, "40"), *VALUES[1:])},
    ],
    ids=["a long memory", "not adaptive", "the place forgets", "slopes that it follows", "long steps"],
)
def test_where_the_place_does_not_come_back_it_is_not_decided(undecided):
    assert stated(sqrt(T), **undecided).find().verdict == "inconclusive"


def test_a_sabotaged_run_is_caught(monkeypatch):
    monkeypatch.setattr(OnlineStep, "lost", lambda self, periods: Fraction(1))
    with pytest.raises(RoutesDisagree):
        stated(sqrt(T)).find()
