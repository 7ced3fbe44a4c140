"""Integrators that the code does not know, against the equations that they are meant to solve."""

from fractions import Fraction

import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Gradient
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.refuter.script import run
from verification.statements import Order, WeakOrder, claim, term, vanishing
from verification.statements.deciding import asked
from verification.terms.comparing import magnitude
from verification.terms.dynamics import error_of_step
from verification.theories.operators import orders
from verification.verdicts.verdict import RoutesDisagree

COMMON = {"at": "here", "title": "T", "says": "S."}
x, v, y, w, xi, eta = sp.symbols("x v y w xi eta", real=True)
h, T, gamma, a, s = sp.symbols("h T gamma a s", positive=True)
U, drift, sigma = (sp.Function(n) for n in ("U", "b", "sigma"))
slope = U(x).diff(x)
noise = sp.sqrt(2 * T * h) * xi
overdamped = Diffusion((x,), (-slope,), ((sp.sqrt(2 * T),),))
underdamped = Diffusion((x, v), (v, -slope - gamma * v), ((0,), (sp.sqrt(2 * gamma * T),)))
multiplicative = Diffusion((x,), (drift(x),), ((sigma(x),),))
damping = sp.exp(-gamma * h)
FRICTION = (v, damping * v + sp.sqrt(T) * sp.sqrt(1 - damping**2) * xi)
ONE_WAY = Step((x, v), ((v, v - h * slope), (x, x + h * v), FRICTION), (xi,))
OTHER_WAY = Step((x, v), (FRICTION, (x, x + h * v), (v, v - h * slope)), (xi,))


def order(process, step, claimed, size=h):
    return claim("fresh", read=WeakOrder(process, step, size, claimed), **COMMON)


def euler(more=0, amplitude=noise):
    return Step((x,), ((x, x - h * slope + amplitude + more),), (xi,))


def heun(weight=sp.S.Half):
    at_both = (1 - weight) * slope + weight * U(y).diff(y)
    return Step((x,), ((y, x - h * slope + noise), (x, x - h * at_both + noise)), (xi,))


def word(letters):
    """A declared splitting and the equation that it solves, in the declaration's own letters."""
    sampler = registry.sampler(f"underdamped:{letters}")
    step = Step.of(sampler)
    named = {p.name: p for p in step.parameters}
    theta, velocity = sampler.state
    force = -named["N"] * Gradient(theta, sp.Integer(0)) - named["gamma"] * velocity
    amplitude = sp.sqrt(2 * named["gamma"] * named["tau"])
    process = Diffusion(sampler.state, (velocity, force), ((0,), (amplitude,)))
    return process, step, named["eps"]


MILSTEIN = h / 2 * sigma(x) * sigma(x).diff(x) * (xi**2 - 1)
TRUE = {
    "Euler": order(overdamped, euler(), 1),
    "Heun": order(overdamped, heun(), 2),
    "Milstein": order(
        multiplicative,
        Step((x,), ((x, x + h * drift(x) + sigma(x) * sp.sqrt(h) * xi + MILSTEIN),), (xi,)),
        1,
    ),
    "symmetric splitting": order(
        underdamped,
        Step(
            (x, v),
            (
                (v, v - h / 2 * slope),
                (x, x + h / 2 * v),
                FRICTION,
                (x, x + h / 2 * v),
                (v, v - h / 2 * slope),
            ),
            (xi,),
        ),
        2,
    ),
}


SLOW = ("Milstein",)
LONG = ("symmetric splitting", "Heun")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[pytest.mark.long] * (n in LONG) + [pytest.mark.strong] * (n in SLOW))
        for n in TRUE
    ],
)
def test_true_orders_are_proved_and_their_wrong_twins_rejected(name):
    claim = TRUE[name]
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried >= 15
    assert twins.rejected == twins.tried, twins.survivors


@pytest.mark.parametrize(
    ("process", "step", "claimed", "true"),
    [
        (overdamped, euler(), 2, 1),
        (overdamped, heun(), 3, 2),
        (underdamped, ONE_WAY, 2, 1),
        (overdamped, euler(amplitude=sp.sqrt(T * h) * xi), 1, 0),
        (
            Diffusion((x,), (drift(x),), ((sigma(x),),), "Stratonovich"),
            Step((x,), ((x, x + h * drift(x) + sigma(x) * sp.sqrt(h) * xi),), (xi,)),
            1,
            0,
        ),
    ],
    ids=["Euler", "Heun", "one way", "half the noise", "Stratonovich"],
)
def test_false_orders_are_refuted_with_the_true_order(process, step, claimed, true):
    finding = order(process, step, claimed).find()
    assert finding.verdict == "refuted"
    # of order zero is what solves another equation: it is told which, or how the noise has to be
    assert f"O(h**{max(true, 1) + 1})" in finding.corrected.text
    assert finding.corrected.verdict == "proved"
    shown = finding.counterexample
    assert shown.problem  # the functions as polynomials, and the start
    assert "numpy" not in shown.script
    assert run(shown.script) is False


@pytest.mark.parametrize("letters", ["BAOAB", "ABOBA", "OBABO"])
@pytest.mark.strong
def test_symmetric_words_are_of_second_order_and_no_better(letters):
    process, step, size = word(letters)
    assert order(process, step, 2, size).find().verdict == "proved"
    assert order(process, step, 3, size).find().verdict == "refuted"


def first_error(process, step, more):
    error = error_of_step(process, ((sp.Integer(1), step),), h, more)
    theory = asked(order(process, step, 1)).subject
    return error, orders.first(theory, error, vanishing(h))


def test_the_first_error_of_euler_is_the_known_one():
    # E f(X_h) - e^(hL) f = h^2 (-L^2/2 + the second-order terms of the step), worked out by hand
    _, (power, found) = first_error(overdamped, euler(), 2)
    f = sp.Function("f")(x)
    by_hand = T * slope.diff(x) * f.diff(x, 2) + (
        T * slope.diff(x, 2) - slope * slope.diff(x)
    ) / 2 * f.diff(x)
    assert power == 4
    assert sp.expand(found - by_hand) == 0


@pytest.mark.parametrize("factor", [1, 2])
def test_a_first_error_is_what_numbers_come_to(factor):
    error, (_, found) = first_error(overdamped, euler(), 2)
    U4, f3 = {(4,): 1, (1,): 2}, {(3,): 1, (2,): 5}
    known = {"x": Fraction(2), "T": Fraction(3), "U": U4, "f": f3}
    put = found.subs(sp.Function("U")(x), x**4 + 2 * x).subs(sp.Function("f")(x), x**3 + 5 * x**2)
    said = factor * put.doit().subs({x: 2, T: 3})
    size = Fraction(1, 16**12)
    there = float(magnitude(error, {**known, "h": size}) * 16**24)
    assert (abs(there / float(abs(said)) - 1) < 1e-6) is (factor == 1)


def test_a_splitting_in_random_order_is_of_second_order():
    half = sp.Rational(1, 2)
    both = ((half, ONE_WAY), (half, OTHER_WAY))
    assert order(underdamped, both, 2).find().verdict == "proved"
    uneven = ((half / 2, ONE_WAY), (3 * half / 2, OTHER_WAY))
    finding = order(underdamped, uneven, 2).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


@pytest.mark.parametrize(
    ("step", "claimed", "condition"),
    [
        pytest.param(heun(a), 2, "2*a = 1", marks=pytest.mark.strong),
        (euler(amplitude=s * sp.sqrt(h) * xi), 1, "2*T = s**2"),
    ],
    ids=["weight", "noise"],
)
def test_relations_are_found(step, claimed, condition):
    finding = order(overdamped, step, claimed).find()
    assert finding.verdict == "proved-if"
    assert finding.condition == condition
    given = claim(
        "fresh", read=WeakOrder(overdamped, step, h, claimed), given=(finding.needs,), **COMMON
    )
    assert given.find().verdict == "proved"


def test_more_than_claimed_is_said():
    finding = order(overdamped, heun(), 1).find()
    assert finding.verdict == "proved"
    assert "It is in fact of order 2" in finding.reason


def test_a_sabotaged_expansion_is_caught_by_exact_numbers(monkeypatch):
    monkeypatch.setattr(
        orders, "expanded", lambda theory, side, way, most: {4: sp.Integer(1)} if most > 4 else {}
    )
    with pytest.raises(RoutesDisagree):
        order(overdamped, euler(), 2).find()


def test_a_process_that_depends_on_the_step():
    """The diffusion of constant SGD: right to first order, and to second with Li, Tai and E's drift."""
    shrinking = sp.sqrt(h) * s
    sgd = Step((x,), ((x, x - h * slope + sp.sqrt(h) * shrinking * xi),), (xi,))

    def diffusion(more=0, factor=1):
        return Diffusion((x,), (-slope + more,), ((factor * shrinking,),))

    modified = -h / 2 * slope * slope.diff(x)
    assert order(diffusion(), sgd, 1).find().verdict == "proved"
    assert order(diffusion(), sgd, 2).find().verdict == "refuted"
    assert order(diffusion(modified), sgd, 2).find().verdict == "proved"
    wrong = order(diffusion(modified, 2), sgd, 2).find()
    assert wrong.verdict == "refuted"
    assert not run(wrong.counterexample.script)


def test_a_friction_that_is_a_state():
    """The script of a counterexample takes the exponential of a state too."""
    friction = sp.Symbol("zeta", real=True)
    process = Diffusion((x, v, friction), (v, -friction * v, v**2), ((0,), (0,), (0,)))
    updates = ((v, sp.exp(-friction * h) * v), (x, x + h * v), (friction, friction + h * v**2))
    step = Step((x, v, friction), updates)
    assert order(process, step, 1).find().verdict == "proved"
    finding = order(process, step, 2).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


@pytest.mark.parametrize(("middle", "true"), [(False, 1), (True, 2)])
def test_difference_quotients_have_their_orders(middle, true):
    f = sp.Function("f")
    quotient = (f(x + h) - f(x - h)) / (2 * h) if middle else (f(x + h) - f(x)) / h

    def off(power):
        size = Order(term(quotient) - term(f(x).diff(x)), "O", term(h) ** power, vanishing(h))
        return claim("fresh", read=size, states=(x,), **COMMON)

    finding = off(true).find()
    twins = off(true).twins(finding)
    assert finding.verdict == "proved"
    assert twins.rejected == twins.tried > 0, twins.survivors
    finding = off(true + 1).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text.count("partial") == true + 2
    assert run(finding.counterexample.script) is False


def test_the_exponential_is_written_out_where_it_is_said_so():
    stated = WeakOrder(Diffusion((x,), (-x,), ((0,),)), Step((x,), ((x, x - h * x),)), h, 1, True)
    assert stated.lines[-1].text() == "E f(X_h) - (1 + h L) f = O(h**2)"
