"""Formulas with derivatives, and flows: true, false and conditional ones."""

import pytest
import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from verification.claims import calculus
from verification.claims.base import Printed
from verification.claims.calculus import RHO, Calculus
from verification.claims.flow import Flow
from verification.claims.marginal import Marginal
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}
x, y, z = sp.symbols("x y zeta", real=True)
a, h, n = sp.symbols("a h n", positive=True)
f, g = sp.Function("f"), sp.Function("g")
D = sp.Derivative


def calc(left, right, **more):
    return Calculus(equalities=(Printed(left, right),), states=(x, y), **more, **COMMON)


def test_the_product_rule_is_proved_and_its_twins_rejected():
    claim = calc(D(f(x) * g(x, y), x), g(x, y) * f(x).diff(x) + f(x) * g(x, y).diff(x))
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried == twins.rejected >= 5


def test_a_density_is_known_up_to_its_constant():
    claim = calc(D(RHO, x, x), (a**2 * x**2 - a) * RHO, exponent=a * x**2 / 2 + f(y))
    assert claim.find().verdict == "proved"
    finding = calc(D(RHO, x, x), (x**2 - 1) * RHO, exponent=a * x**2 / 2 + f(y)).find()
    assert finding.verdict == "proved-if"
    assert finding.condition == "a = 1"
    assert run(finding.counterexample.script) is False
    assert "a*x**2 - 1" in finding.corrected.text


@pytest.mark.parametrize(
    ("claim", "condition"),
    [
        (calc(D(g(x, y), x, y), 0), "g does not depend on x or g does not depend on y"),
        (calc(g(x, y) ** 2, g(x, y) + 1), None),
        (calc(D(f(x) * g(x, y), y), a * f(x) * g(x, y).diff(y)), "a = 1"),
        (calc(f(x) ** 2 + y, y), "f is zero"),
    ],
    ids=["argument", "none", "relation", "zero"],
)
def test_conditions_on_functions_are_found(claim, condition):
    finding = claim.find()
    assert finding.verdict == ("proved-if" if condition else "refuted")
    assert finding.condition == condition
    assert run(finding.counterexample.script) is False
    if condition:
        assert claim.under(finding.needs).find().verdict == "proved"


def test_a_sabotaged_proof_is_caught_by_the_series(monkeypatch):
    monkeypatch.setattr(calculus, "coefficients", lambda *_: ())
    with pytest.raises(RoutesDisagree):
        calc(D(f(x), x), f(x)).find()


def flow(drift, noise, update):
    return Flow(
        process=Diffusion((x,), (drift,), ((noise,),)), update=(update,), h=h, noises=(z,), **COMMON
    )


def test_solutions_of_linear_equations():
    decay = sp.exp(-a * h)
    spread = sp.sqrt(1 - decay**2) * sp.sqrt(n)
    right = flow(-a * x, sp.sqrt(2 * a * n), decay * x + spread * z)
    assert right.prove("continuous").holds
    brownian = flow(a, n, x + a * h + n * z)
    finding = brownian.find()
    assert finding.verdict == "refuted"
    assert "sqrt(h)" in finding.corrected.text
    assert run(finding.counterexample.script) is False
    (fixed,) = finding.corrected.printed
    assert fixed.find().verdict == "proved"


def test_euler_is_the_flow_of_a_constant_drift_only():
    finding = flow(f(x), 0, x + h * f(x)).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "f does not depend on x")


mass = sp.Function("M", positive=True)(x)
potential = sp.Function("U")(x)


def marginal(log_density, log_marginal):
    more = {"states": (x, y), "kept": (x,), "log_density": log_density, "log_marginal": log_marginal}
    return Marginal(**more, **COMMON)


def test_marginals():
    flat = marginal(-(potential + (y - mass) ** 2 / 2), -potential)
    finding = flat.find()
    assert finding.verdict == "proved"
    twins = flat.twins(finding)
    assert twins.tried == twins.rejected >= 3
    finding = marginal(-(potential + y**2 / (2 * mass)), -potential).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "M does not depend on x")
    assert "log(M(x))/2" in finding.corrected.text
    assert run(finding.counterexample.script) is False
