"""Orders of means and integrals under normal densities, as a letter in them goes to a limit."""

import pytest
import sympy as sp

from sgtheory.errors import UnusableInput
from verification.refuter.script import run
from verification.statements import Order, claim, growing, log_integral, mean_under
from verification.terms.normal_integrals import mean_under as integrated

p, x = sp.symbols("p x", real=True)
a, beta, k = sp.symbols("a beta k", positive=True)
COLD = growing(beta)


def found(order):
    return claim("x", at="here", title="T", read=order).find()


@pytest.mark.parametrize(
    ("of", "size"),
    [
        (mean_under(-beta * p**2 / 2, p**2, p), 1 / beta),
        (mean_under(-beta * p**2 / 2, (p**2 - 1 / beta) ** 2, p), 1 / beta**2),
        (mean_under(-beta * (x - k) ** 2 / 2, x, x), 1),  # its mean stays
        (mean_under(-beta * (p**2 + a * x**2) / 2, a * x**2 + p**4, p, x), 1 / beta),
    ],
)
def test_a_mean_has_the_order_of_its_formula(of, size):
    assert found(Order(of, "Theta", size, COLD)).verdict == "proved"
    wrong = found(Order(of, "Theta", size / beta, COLD))
    assert wrong.verdict == "refuted"
    assert not run(wrong.counterexample.script)


def test_an_integral_is_as_large_as_its_logarithm_says():
    order = found(Order(log_integral(-beta * a * x**2 / 2, x), "o", 1, COLD))
    assert order.verdict == "refuted"
    assert "-log(beta)/2" in order.corrected.text


def test_what_does_not_fall_in_all_directions_is_no_density():
    turned = beta * (x**2 - p**2) / 2
    assert (
        found(Order(mean_under(turned, p**2, p, x), "Theta", 1 / beta, COLD)).verdict == "inconclusive"
    )
    with pytest.raises(UnusableInput, match="falls in all directions"):
        integrated(turned, (p, x), p**2)
