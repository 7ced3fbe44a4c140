"""Formulas with derivatives, densities, integrals and flows: true, false and conditional ones."""

from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.errors import UnusableInput
from verification.refuter.script import run
from verification.statements import (
    All,
    Equal,
    claim,
    density,
    function,
    letters,
    log_integral,
    mean_under,
    partial,
    solution,
)
from verification.terms.comparing import compared
from verification.theories.operators import calculus
from verification.verdicts.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T"}
x, y, z = sp.symbols("x y zeta", real=True)
a, h, n = sp.symbols("a h n", positive=True)
f, g = sp.Function("f"), sp.Function("g")
rho = sp.Symbol("rho", positive=True)
D = sp.Derivative


def calc(left, right, *given):
    return claim(**COMMON, printed=Equal(left, right), given=given, states=(x, y))


def test_the_product_rule_is_proved_and_its_twins_rejected():
    stated = calc(D(f(x) * g(x, y), x), g(x, y) * f(x).diff(x) + f(x) * g(x, y).diff(x))
    finding = stated.find()
    assert finding.verdict == "proved"
    twins = stated.twins(finding)
    assert twins.tried == twins.rejected >= 14


def test_a_density_is_known_up_to_its_constant():
    given = Equal(rho, density(a * x**2 / 2 + f(y)))
    assert calc(D(rho, x, x), (a**2 * x**2 - a) * rho, given).find().verdict == "proved"
    finding = calc(D(rho, x, x), (x**2 - 1) * rho, given).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "a = 1")
    assert run(finding.counterexample.script) is False
    assert "a*x**2 - 1" in finding.corrected.text
    assert "rho" in finding.corrected.text


@pytest.mark.parametrize(
    ("stated", "condition"),
    [
        (calc(D(g(x, y), x, y), 0), "g does not depend on x or g does not depend on y"),
        (calc(g(x, y) ** 2, g(x, y) + 1), None),
        # what is left over is (1 - a) f g_y: each of its factors may vanish
        (calc(D(f(x) * g(x, y), y), a * f(x) * g(x, y).diff(y)),
         "a = 1 or f is zero or g does not depend on y"),
        (calc(f(x) ** 2 + y, y), "f is zero"),
    ],
    ids=["argument", "none", "relation", "zero"],
)  # fmt: skip
def test_conditions_on_functions_are_found(stated, condition):
    finding = stated.find()
    assert finding.verdict == ("proved-if" if condition else "refuted")
    assert finding.condition == condition
    assert run(finding.counterexample.script) is False


def test_a_sabotaged_proof_is_caught_by_the_series(monkeypatch):
    monkeypatch.setattr(calculus, "coefficients", lambda *_: ())
    with pytest.raises(RoutesDisagree):
        calc(D(f(x), x), f(x)).find()


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        (D(sp.exp(x * f(x)), x), (f(x) + x * D(f(x), x)) * sp.exp(x * f(x)), True),
        (D(sp.log(1 + x**2), x, x), 2 * (1 - x**2) / (1 + x**2) ** 2, True),
        (D(sp.sqrt(1 + x**2), x), x / sp.sqrt(1 + x**2), True),
        (D(sp.sqrt(1 + x**2), x), x * sp.sqrt(1 + x**2), False),
        (D((1 + x**2) ** sp.Rational(-3, 2), x), -3 * x * (1 + x**2) ** sp.Rational(-5, 2), True),
    ],
    ids=["product", "logarithm", "root", "false root", "power"],
)
def test_series_know_what_symbols_know(left, right, holds):
    finding = calc(left, right).find()
    assert (finding.verdict == "proved") is holds


def test_series_and_decimals_agree_with_a_derivative_by_hand():
    (t,) = letters("t")
    found = compared(partial(t**3, t, t), 6 * t, {"t": Fraction(2, 3)})
    assert (found.sign, found.left) == (0, 4)


def test_what_is_integrated_has_to_be_quadratic():
    (t,), (c,) = letters("t", "real"), letters("c")
    where = {"c": Fraction(2), "t": Fraction(0)}
    assert compared(log_integral(-(t**4) - c, t), c, where) is None
    assert compared(log_integral(-(t**2) / 2 - t**4, t), c, where) is None
    one = log_integral(-c * t**2 / 2, t)
    assert compared(one, one + 1, where).sign == -1


def flow(drift, noise, update):
    process = Diffusion((x,), (drift,), ((noise,),))
    pairs = solution(process, (update,), h, (z,) if noise else ())
    return claim(**COMMON, printed=All(*(Equal(*pair) for pair in pairs)), states=(x, h))


def test_solutions_of_linear_equations():
    decay = sp.exp(-a * h)
    spread = sp.sqrt(1 - decay**2) * sp.sqrt(n)
    assert flow(-a * x, sp.sqrt(2 * a * n), decay * x + spread * z).find().verdict == "proved"
    finding = flow(a, sp.sqrt(2 * n), x + a * h + sp.sqrt(2 * n) * z).find()
    assert finding.verdict == "refuted"
    assert "h*(2*n) = 2*h*n" in finding.corrected.text
    assert run(finding.counterexample.script) is False


def test_a_solution_that_is_not_linear_in_its_noise_is_refused():
    with pytest.raises(UnusableInput, match="linear in its noises"):
        flow(a, n, x + z**2)


def test_euler_is_the_flow_of_a_constant_drift_only():
    finding = flow(f(x), 0, x + h * f(x)).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "f does not depend on x")


mass = sp.Function("M", positive=True)(x)
potential = sp.Function("U")(x)


def marginal(log_density, log_marginal):
    left = log_integral(log_density, y)
    return claim(**COMMON, printed=Equal(left, log_marginal, constant_in=(x,)))


def test_marginals():
    flat = marginal(-(potential + (y - mass) ** 2 / 2), -potential)
    finding = flat.find()
    assert finding.verdict == "proved"
    twins = flat.twins(finding)
    assert twins.tried == twins.rejected >= 3
    bent = -(potential + y**2 / (2 * mass))
    finding = marginal(bent, -potential).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "M does not depend on x")
    assert "log(M(x))/2" in finding.corrected.text
    assert run(finding.counterexample.script) is False
    assert marginal(bent, -potential + sp.log(mass) / 2).find().verdict == "proved"


def test_a_function_is_written_with_its_arguments():
    s, t = letters("s t", "real")
    U = function("U")
    assert partial(U(s, t) * s, s, t).text() == "partial(partial(U(s, t)*s, s), t)"
    assert claim(**COMMON, read=Equal(partial(U(s) + t, t), 1)).find().verdict == "proved"


def test_means_under_a_normal_density():
    density = -a * (x - f(y)) ** 2 / 2

    def stated(power, value):
        side = mean_under(density, x**power, x)
        return claim(**COMMON, printed=Equal(side, value), states=(y, f))

    true = stated(2, f(y) ** 2 + 1 / a)
    finding = true.find()
    assert finding.verdict == "proved"
    twins = true.twins(finding)
    assert twins.tried == twins.rejected >= 8
    finding = stated(4, 3 / a**2).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
    assert "a**2*f(y)**4 + 6*a*f(y)**2 + 3" in finding.corrected.text


def test_a_mean_of_what_has_none_in_numbers_is_unknown():
    t, c = letters("t c", "real")
    where = {"t": Fraction(0), "c": Fraction(1)}
    assert compared(mean_under(-(t**4), t**2, t), c, where) is None
    assert compared(mean_under(-(t**2) / 2, t**6, t), c, where) is None
    assert compared(mean_under(-(t**2) / 2 + t, t**2, t), c, where).left == 2


@pytest.mark.parametrize(("true", "verdict"), [(2 * a**2, "proved"), (3 * a**2, "refuted")])
def test_a_moment_of_a_normal_law_under_a_step_that_is_no_line(true, verdict):
    moment = Equal(mean_under(-(x**2) / (2 * a), (x**2 - a) ** 2, x), true)
    assert claim(**COMMON, read=moment, states=(x,)).find().verdict == verdict


def test_a_side_that_is_only_written_otherwise_corrects_nothing():
    inside, outside = g(x, y) * (f(x) + D(g(x, y), x)), g(x, y) * f(x) + D(g(x, y), x)
    found = calc(x + h * outside / 2, x + h * inside / 2).find()
    assert found.verdict in ("refuted", "proved-if")
    assert found.corrected is None
