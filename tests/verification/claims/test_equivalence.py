"""Pairs of algorithms that the code does not know: one after a change of variables, or not."""

import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.dynamics.steps import Step
from verification.claims import equivalence
from verification.claims.equivalence import Equivalent
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}
x, v, y, w, z, xi = sp.symbols("x v y w z xi", real=True)
eps, mu, beta, lr, a, h, gamma = sp.symbols("eps mu beta lr a h gamma", positive=True)
g = sp.Function("g")
jolt = sp.sqrt(2 * eps * mu) * xi
POSITION_FIRST = Step((x, v), ((x, x + v), (v, (1 - mu) * v - eps * g(x) + jolt)), (xi,))
VELOCITY_FIRST = Step((y, w), ((w, (1 - mu) * w - eps * g(y) + jolt), (y, y + w)), (xi,))
MOMENTUM = Step((x, v), ((v, (1 - mu) * v - eps * g(x)), (x, x + v)))
BUFFER = Step((y, w), ((w, beta * w + g(y)), (y, y - lr * w)))
AHEAD = Step((x, v), ((v, (1 - mu) * v - eps * g(x + (1 - mu) * v)), (x, x + v)))
SHIFTED = Step((y, w), ((w, (1 - mu) * w - eps * g(y)), (y, y + (1 - mu) * w - eps * g(y))))
HEAVY_BALL = Step.map((y, z), (y + (1 - mu) * (y - z) - eps * g(y), y))
KEPT = ((beta, 1 - mu), (lr, eps))


def same(first, second, change=None, mapped=(), **more):
    return Equivalent(
        first=first, second=second, change=change, parameters_of_second=mapped, **more, **COMMON
    )


TRUE = {
    "position first": same(POSITION_FIRST, VELOCITY_FIRST, ((y, x + v), (w, v))),
    "position first, found": same(POSITION_FIRST, VELOCITY_FIRST),
    "buffer": same(MOMENTUM, BUFFER, ((y, x), (w, -v / eps)), KEPT),
    "buffer, found": same(MOMENTUM, BUFFER, None, KEPT),
    "look-ahead": same(AHEAD, SHIFTED, ((y, x + (1 - mu) * v), (w, v))),
    "heavy ball": same(MOMENTUM, HEAVY_BALL, ((y, x), (z, x - v))),
    "heavy ball, found": same(MOMENTUM, HEAVY_BALL),
}
SLOW = ("position first", "position first, found", "buffer, found")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.strong] if n in SLOW else []) for n in TRUE]
)
def test_true_ones_are_proved_and_their_wrong_twins_rejected(name):
    claim = TRUE[name]
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried >= 20
    assert twins.rejected == twins.tried, twins.survivors


def test_what_was_found_is_said():
    assert "found as y = v + x; w = v" in TRUE["position first, found"].find().reason


def test_the_wrong_change_is_refuted_and_the_right_one_found():
    finding = same(POSITION_FIRST, VELOCITY_FIRST, ((y, x), (w, v))).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text == "y = v + x; w = v"
    shown = finding.counterexample
    assert shown.left != shown.right
    assert "after step" in shown.right
    assert "numpy" not in shown.script
    assert run(shown.script) is False


def test_the_right_parameters_are_found():
    finding = same(MOMENTUM, BUFFER, ((y, x), (w, -v / eps)), ((beta, 1 - 2 * mu), (lr, eps))).find()
    assert finding.verdict == "refuted"
    assert "beta = 1 - mu" in finding.corrected.text
    assert run(finding.counterexample.script) is False


@pytest.mark.parametrize(
    ("claim", "condition"),
    [
        (same(MOMENTUM, BUFFER, ((y, x), (w, -v / eps)), ((lr, eps),)), "beta + mu = 1"),
        (
            same(
                Step((x, v), ((v, (1 - mu) * v - eps * g(x + a * v)), (x, x + v))),
                SHIFTED,
                ((y, x + (1 - mu) * v), (w, v)),
            ),
            "a + mu = 1",
        ),
        (
            same(
                Step((x,), ((x, x - eps * g(2 * x)),)), Step((y,), ((y, y - 2 * eps * g(y)),)), ((y, x),)
            ),
            "the gradient is linear",
        ),
    ],
    ids=["parameters", "where the gradient is taken", "linear gradients"],
)
def test_conditions_are_found(claim, condition):
    finding = claim.find()
    assert finding.verdict == "proved-if"
    assert finding.condition == condition
    assert run(finding.counterexample.script) is False
    assert claim.under(finding.needs).find().verdict == "proved"


def test_algorithms_that_no_affine_change_makes_one():
    old = Step.map((x, v), (x + v, (1 - mu) * v - eps * g(x)))
    finding = same(
        old, Step((y, w), ((w, (1 - mu) * w - eps * g(y)), (y, y + w))), ((y, x), (w, v))
    ).find()
    assert finding.verdict == "refuted"
    assert finding.corrected is None
    assert "no affine change of variables makes them one" in finding.reason


def test_one_to_leading_order_in_the_step():
    old = Step.map((x, v), (x + h * v, v - h * g(x) - h * gamma * v))
    new = Step((y, w), ((w, w - h * g(y) - h * gamma * w), (y, y + h * w)))
    finding = same(old, new, ((y, x), (w, v)), small=h).find()
    assert finding.verdict == "limit-only"
    assert (finding.gap.parameter, finding.gap.order) == ("h", "1")


def test_declared_samplers_are_taken_as_they_are():
    first, second = (Step.of(registry.sampler(n)) for n in ("sghmc", "sghmc_velocity_first"))
    finding = same(first, second, tuple(zip(second.state, first.state, strict=True))).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
    again = same(second, second, tuple((s, s) for s in second.state)).find()
    assert again.verdict == "proved"


def test_a_sabotaged_proof_is_caught_by_the_runs(monkeypatch):
    monkeypatch.setattr(equivalence, "differences", lambda *_: (sp.Integer(0),) * 2)
    with pytest.raises(RoutesDisagree):
        same(POSITION_FIRST, VELOCITY_FIRST, ((y, x), (w, v))).find()
