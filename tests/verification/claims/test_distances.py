"""Distances of laws as bounds, orders and lower bounds: printings that no paper has, true and false."""

import pytest
import sympy as sp

from sgtheory.onestep.affine import LAMBDA
from sgtheory.perturbation.symbols import GAMMA
from sgtheory.wasserstein import DIFFUSION, Between
from verification.notation import N
from verification.refuter.script import run
from verification.statements import Compare, Order, claim, growing, letter, letters, number, sqrt, term
from verification.statements.deciding import asked
from verification.theories.distances import ANY, OTHER, QUADRATIC, TARGET, W2, couplings, law
from verification.theories.distances.couplings import W0, L, R, d, m, n, p

eta, step = letters("eta gamma")
SLOW = growing(N, (step, eta / term(N)))
FADING = (1 - m * couplings.gamma) ** n * W0


def bound(first, second, right):
    stated = W2(law(first, n, ANY), law(second, n, OTHER)) ** 2 <= term(right)
    return claim("fresh", at="here", title="T", printed=stated)


def order(first, second, power, relation="O", beta="1", given=(), **more):
    laws = [TARGET if x == DIFFUSION else law(x) for x in (first, second)]
    way = growing(N, (step, eta / term(N) ** number(beta)))
    stated = Order(W2(*laws), relation, term(N) ** number(f"-{power}"), way)
    return claim("fresh", at="here", title="T", says="S.", given=given, printed=stated, **more)


@pytest.mark.parametrize(
    "claim",
    [
        bound("sgld", "sgd", FADING + d / m),  # half of what is attained
        pytest.param(
            bound("lmc", DIFFUSION, (1 - m * couplings.gamma) ** (9 * n) * W0), marks=pytest.mark.strong
        ),
    ],
    ids=["SGLD and SGD", "diffusion"],
)
def test_a_bound_that_examples_violate(claim):
    finding = claim.find()
    assert finding.verdict == "refuted"
    assert not run(finding.counterexample.script)


def test_the_target_is_not_the_diffusion_after_as_many_steps():
    """From theta* a step of LMC leaves the variance 2 gamma; the posterior has 1/lambda."""
    one, start = sp.Integer(1), letter("x", "real")
    assert Between("lmc", DIFFUSION, settled=True).square(one) == (
        (sp.sqrt(2 * GAMMA) - sp.sqrt(1 / LAMBDA)) ** 2
    )
    near = Order(W2(law("lmc", term(n), start), TARGET), "O", term(N) ** number("-1/2"), SLOW)
    finding = claim("fresh", at="here", title="T", printed=near).find()
    assert finding.condition == "chains start within a multiple of N^(-1/2) of theta*"
    assert not run(finding.counterexample.script)
    unlike = W2(law("lmc", n, ANY), law("sgldfp", term(n) + 1, OTHER)) ** 2 <= term(W0)
    assert claim("fresh", at="here", title="T", printed=unlike).find().verdict == "inconclusive"


def test_a_weaker_bound_is_proved_and_said_to_be_weaker():
    finding = bound("sgld", "sgd", 2 * FADING + 3 * d / m).find()
    assert finding.verdict == "proved"
    assert "by the factor 2 in the first distance, by the factor 3/2 in what stays" in finding.reason


def test_what_coupling_does_not_give_is_not_proved():
    def proved(claim):
        return asked(claim, "discrete").proved

    assert not proved(bound("lmc", "sgld", FADING + d / m))
    # what is no sum of a start that fades, a constant and the second start has no proof
    for more in (-R, W0 * R, -(W0**2)):
        assert not proved(bound("sgld", "sgd", FADING + 2 * d / m + more))
    rates = couplings.compared(FADING.subs(m, 2 * m) + 2 * d / m, couplings.envelope("sgld", "sgd"))
    assert [c.words is None for c in rates] == [False, True, False]


def test_a_false_bound_is_mended_by_what_coupling_gives():
    finding = bound("sgld", "sgd", FADING + d / m).find()
    assert finding.corrected.verdict == "proved"
    assert "2*d/m" in finding.corrected.text


def test_a_distance_is_not_bounded_from_below_by_what_bounds_it_from_above():
    stated = W2(law("lmc", n, ANY), law("sgldfp", n, OTHER)) ** 2 >= term(FADING)
    assert claim("fresh", at="here", title="T", printed=stated).find().verdict == "refuted"


def test_the_recursion_is_solved():
    """The envelope of LMC and SGLDFP against the recursion itself, step by step, at numbers."""
    found = couplings.envelope("lmc", "sgldfp")
    at = {couplings.gamma: sp.Rational(1, 8), m: 1, L: 4, p: 2, d: 3, W0: 5, R: 7}
    noise, a, b = sp.Rational(1, 8) ** 2 * 16 / 2, sp.Integer(5), sp.Integer(7)
    for k in range(1, 9):
        a, b = a * sp.Rational(7, 8) + noise * b, b * sp.Rational(7, 8) + sp.Rational(3, 4)
        assert a <= found.square().subs(at).subs(n, k) <= 3 * a


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (
            order("lmc", "sgldfp", "1/2", "Theta", given=(QUADRATIC,)),
            "refuted",
        ),  # curvatures may be alike
        (order("lmc", DIFFUSION, "1/2", "Theta", given=(QUADRATIC,)), "proved"),
        (order("lmc", DIFFUSION, "1"), "refuted"),
        (order("sgld", "lmc", "1/2", given=(QUADRATIC,)), "refuted"),
        (order("sgld", "lmc", "0", "Omega", given=(QUADRATIC,)), "proved-if"),
        (order("sgld", "lmc", "0", given=(QUADRATIC,)), "proved-if"),  # gradients may grow with N
        (order("sgld", "sgd", "1/2", given=(QUADRATIC,)), "proved"),  # and have no say here
    ],
)
def test_orders(claim, verdict):
    finding = claim.find()
    assert finding.verdict == verdict
    if finding.counterexample is not None:
        assert not run(finding.counterexample.script)


def test_what_mends_an_order_is_said():
    finding = order("sgld", DIFFUSION, "0", "Omega", beta="3/2", given=(QUADRATIC,)).find()
    assert finding.corrected.text.startswith("W2(law(sgld), law(diffusion)) = Theta(1/N**(1/4))")
    assert "gradients at theta* differ" in finding.corrected.words


STEP, SIGMA, V11, V22, SHARE = letters("gamma Sigma V11 V22 mu")
FACTOR = (1 - STEP * SIGMA) ** 2 + STEP**2 * V22
K = letter("n", "count")


def test_the_limit_of_a_step_is_found():
    def at_most(limit):
        stated = FACTOR <= 1 - STEP * SIGMA
        return claim("fresh", at="here", title="T", derived=stated, given=(limit >= STEP,))

    found = at_most(1 / SIGMA).find()
    assert found.verdict == "proved-if"
    assert found.condition == "gamma <= Sigma/(Sigma**2 + V22)"
    assert not run(found.counterexample.script)
    assert at_most(SIGMA / (SIGMA**2 + V22)).find().verdict == "proved"


def apart(added, factor=FACTOR):
    """SGLD against SGD after n steps from the mode."""
    right = sqrt((1 - factor**K) / (1 - factor)) * added
    return claim(
        "fresh", at="here", title="T", read=Compare(W2(law("sgld", K), law("sgd", K)), ">=", right)
    )


def test_heat_keeps_sgld_from_sgd():
    true = apart(sqrt(2 * STEP + STEP**2 * V11) - sqrt(STEP**2 * V11))
    finding = true.find()
    assert finding.verdict == "proved"
    twins = true.twins(finding, 8)
    assert twins.tried >= 2
    assert twins.survivors == ()


def test_more_than_the_difference_of_deviations_is_refuted_and_mended():
    finding = apart(2 * sqrt(2 * STEP + STEP**2 * V11)).find()
    assert finding.verdict == "refuted"
    assert not run(finding.counterexample.script)
    assert "V11" in finding.corrected.text
    assert finding.corrected.verdict == "proved"
