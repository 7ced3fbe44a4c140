"""The regret of adaptive steps: linear on slopes that come in turn; where the bounds do not decide."""

from dataclasses import replace

import pytest
import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.claims.regret_order import OrderOf, R, RegretOrder, T
from verification.refuter.script import run
from verification.verdicts.verdict import RoutesDisagree

x, v, f = sp.symbols("x v f", real=True)
eta, sigma, lam, keep = sp.symbols("eta sigma lambda keep", positive=True)
SQUARES = (v, sigma * v + (1 - sigma) * f**2)
RMSPROP = Step((x, v), (SQUARES, (x, x - eta * f / (lam + sp.sqrt(v)))))
VALUES = ((eta, "1"), (sigma, "1/17"), (lam, "1/100"))


def claim(power=sp.S.Half, step=RMSPROP, values=VALUES, **more):
    return RegretOrder(
        "fresh",
        at="here",
        title="T",
        says="S.",
        paper="test",
        printed=(OrderOf(R, T**power),),
        step=step,
        place=x,
        slope=f,
        eta=eta,
        values=values,
        second_moment=(sigma, lam),
        **more,
    )


def test_a_root_is_refuted_and_a_linear_regret_proved():
    finding = claim().find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text == "R = O(T)"
    assert run(finding.counterexample.script) is False
    twins = claim().twins(finding)
    assert twins.tried == twins.rejected == 3
    assert claim(1).find().verdict == "proved"


@pytest.mark.parametrize(
    "undecided",
    [
        claim(values=((eta, "1"), (sigma, "99/100"), (lam, "1/100"))),
        claim(values=((eta, "4"), *VALUES[1:])),
        claim(step=Step((x, v), (SQUARES, (x, x - eta * f)))),
    ],
    ids=["a long memory", "long steps", "not adaptive"],
)
def test_where_the_bounds_say_nothing_it_is_not_decided(undecided):
    assert undecided.find().verdict == "inconclusive"


def test_a_sabotaged_run_is_caught(monkeypatch):
    monkeypatch.setattr(RegretOrder, "regrets", lambda self: [(15, 0), (60, 0), (240, 0)])
    with pytest.raises(RoutesDisagree):
        claim().find()


def test_the_certificate_is_about_the_printed_step():
    other = replace(claim(), step=Step((x, v), (SQUARES, (x, x - 2 * eta * f / (lam + sp.sqrt(v))))))
    assert other.find().verdict == "inconclusive"
