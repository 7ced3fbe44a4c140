"""Pairs of algorithms that the code does not know: one after a change of variables, or not."""

import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.dynamics.steps import Step
from sgtheory.errors import DeclarationError
from verification.refuter.script import run
from verification.statements import Equal, claim, same
from verification.theories.operators import calculus
from verification.verdicts.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T"}
x, v, y, w, z, xi = sp.symbols("x v y w z xi", real=True)
eps, mu, beta, lr, a, gamma = sp.symbols("eps mu beta lr a gamma", positive=True)
g = sp.Function("g")
jolt = sp.sqrt(2 * eps * mu) * xi
POSITION_FIRST = Step((x, v), ((x, x + v), (v, (1 - mu) * v - eps * g(x) + jolt)), (xi,))
VELOCITY_FIRST = Step((y, w), ((w, (1 - mu) * w - eps * g(y) + jolt), (y, y + w)), (xi,))
MOMENTUM = Step((x, v), ((v, (1 - mu) * v - eps * g(x)), (x, x + v)))
BUFFER = Step((y, w), ((w, beta * w + g(y)), (y, y - lr * w)))
AHEAD = Step((x, v), ((v, (1 - mu) * v - eps * g(x + (1 - mu) * v)), (x, x + v)))
SHIFTED = Step((y, w), ((w, (1 - mu) * w - eps * g(y)), (y, y + (1 - mu) * w - eps * g(y))))
HEAVY_BALL = Step.map((y, z), (y + (1 - mu) * (y - z) - eps * g(y), y))
KEPT = {beta: 1 - mu, lr: eps}
TO_BUFFER = ((y, x), (w, -v / eps))


def one(first, second, change, *, states=(x, v, xi, g)):
    return claim(**COMMON, read=same(first, second, change), states=states)


TRUE = {
    "position first": one(POSITION_FIRST, VELOCITY_FIRST, ((y, x + v), (w, v))),
    "buffer": one(MOMENTUM, BUFFER.put(KEPT), TO_BUFFER),
    "look-ahead": one(AHEAD, SHIFTED, ((y, x + (1 - mu) * v), (w, v))),
    "heavy ball": one(MOMENTUM, HEAVY_BALL, ((y, x), (z, x - v))),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_ones_are_proved_and_their_wrong_twins_rejected(name):
    finding = TRUE[name].find()
    assert finding.verdict == "proved"
    twins = TRUE[name].twins(finding)
    assert twins.tried >= 10
    assert twins.rejected == twins.tried, twins.survivors


@pytest.mark.parametrize(
    "wrong",
    [
        one(POSITION_FIRST, VELOCITY_FIRST, ((y, x), (w, v))),
        one(MOMENTUM, BUFFER.put({beta: 1 - 2 * mu, lr: eps}), TO_BUFFER),
        one(Step.map((x, v), (x + v, (1 - mu) * v - eps * g(x))), MOMENTUM, ((x, x), (v, v))),
    ],
    ids=["change", "parameters", "order of the updates"],
)
def test_wrong_ones_are_refuted_by_a_script(wrong):
    finding = wrong.find()
    assert finding.verdict == "refuted"
    assert finding.counterexample.left != finding.counterexample.right
    assert run(finding.counterexample.script) is False


@pytest.mark.parametrize(
    ("stated", "condition"),
    [
        (one(MOMENTUM, BUFFER.put({lr: eps}), TO_BUFFER), "beta + mu = 1"),
        (
            one(
                Step((x, v), ((v, (1 - mu) * v - eps * g(x + a * v)), (x, x + v))),
                SHIFTED,
                ((y, x + (1 - mu) * v), (w, v)),
            ),
            "a + mu = 1",
        ),
        (
            one(MOMENTUM, BUFFER.put(KEPT | {lr: gamma}), TO_BUFFER, states=(x, v)),
            "eps = gamma",
        ),
    ],
    ids=["parameters", "where the gradient is taken", "functions may be restricted"],
)
def test_conditions_are_found(stated, condition):
    finding = stated.find()
    assert finding.verdict == "proved-if"
    assert finding.condition == condition
    assert run(finding.counterexample.script) is False
    assert stated.under(finding.needs).find().verdict == "proved"


def test_conditions_lie_on_functions_only_where_it_is_not_stated_for_all():
    first, second = Step((x,), ((x, x + g(x)),)), Step((y,), ((y, y),))
    assert one(first, second, ((y, x),), states=(x,)).find().condition == "g is zero"
    assert one(first, second, ((y, x),), states=(x, g)).find().verdict == "refuted"


def test_declared_samplers_are_taken_as_they_are():
    first, second = (Step.of(registry.sampler(n)) for n in ("sghmc", "sghmc_velocity_first"))
    states = (*first.state, *first.noises, sp.Function("gradient"))
    change = tuple(zip(second.state, first.state, strict=True))
    finding = one(first, second, change, states=states).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
    again = one(second, second, tuple((s, s) for s in second.state), states=states)
    assert again.find().verdict == "proved"


def test_one_expression_is_refused_unless_two_programs_come_to_it():
    with pytest.raises(DeclarationError, match="two sides that differ"):
        Equal(x + v, x + v)


def test_a_sabotaged_proof_is_caught_by_the_series(monkeypatch):
    monkeypatch.setattr(calculus, "coefficients", lambda *_: ())
    with pytest.raises(RoutesDisagree):
        one(POSITION_FIRST, VELOCITY_FIRST, ((y, x), (w, v))).find()
