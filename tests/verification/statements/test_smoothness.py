"""How many bounded derivatives a statement about small steps needs: true, and with one too few."""

import pytest
import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.refuter.script import run
from verification.statements import Order, WeakOrder, claim, function, letter, partial, vanishing
from verification.theories.operators.arguments import Smooth

theta, xi = sp.symbols("theta xi", real=True)
step, sigma, b = (
    sp.Symbol("h", positive=True),
    sp.Symbol("sigma", positive=True),
    sp.Function("b")(theta),
)
PROCESS = Diffusion((theta,), (b,), ((sigma,),))
EULER = Step((theta,), ((theta, theta + step * b + sp.sqrt(step) * sigma * xi),), (xi,))
f, x, h = function("f"), letter("x", "real"), letter("h")
SLOPE = partial(f(x), x)
ONE_STEP = WeakOrder(PROCESS, EULER, step, 1)
STATEMENTS = {
    "one step of Euler's": (ONE_STEP, 4),
    "a central difference": (Order((f(x + h) - f(x - h)) / (2 * h) - SLOPE, "O", h**2, vanishing(h)), 3),
    "a one-sided difference": (Order((f(x + h) - f(x)) / h - SLOPE, "O", h, vanishing(h)), 2),
}


def stated(statement, derivatives):
    more = {} if statement is ONE_STEP else {"states": (x,)}
    given = (Smooth(name="f", derivatives=derivatives),)
    return claim("fresh", at="here", title="T", read=statement, given=given, **more)


@pytest.mark.parametrize("name", STATEMENTS)
def test_with_enough_derivatives_it_is_proved(name):
    one = stated(*STATEMENTS[name])
    finding = one.find()
    assert finding.verdict == "proved"
    assert one.twins(finding, 6).survivors == ()


@pytest.mark.parametrize("name", STATEMENTS)
def test_with_one_too_few_it_is_refuted_and_that_one_mends_it(name):
    statement, enough = STATEMENTS[name]
    finding = stated(statement, enough - 1).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
    assert finding.corrected.text.endswith(f"where {Smooth(derivatives=enough).words}")


def test_more_derivatives_do_not_raise_the_order():
    faster = WeakOrder(PROCESS, EULER, step, 2)
    given = (Smooth(name="f", derivatives=9),)
    one = claim("fresh", at="here", title="T", read=faster, given=given)
    assert one.find().verdict == "refuted"
