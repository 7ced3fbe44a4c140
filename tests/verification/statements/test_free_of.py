"""Fresh claims of independence: scalars and matrices, formulas and laws, with conditions to be found."""

from dataclasses import replace

import pytest
import sympy as sp

from sgtheory.errors import UnusableInput
from verification.laws.quantities import DIVERGENCE
from verification.notation import A, C, H, N, S, Sigma, eps, mu, second, trace
from verification.refuter.conditions import Commute
from verification.refuter.script import run
from verification.statements import Equal, FreeOf, claim
from verification.verdicts.verdict import RoutesDisagree

COMMON = {"at": "here", "title": "T", "says": "S."}
x, a, b = sp.symbols("x a b", positive=True)


def free(left, right, **more):
    return claim("fresh", printed=FreeOf(left, right), **COMMON, **more)


TRUE = [
    free((x**2 - a**2) / (x - a) - x, x),
    pytest.param(free((sp.sqrt(1 + x) - 1) * (sp.sqrt(1 + x) + 1) / x + a, x), marks=pytest.mark.strong),
    free(sp.log(a * x) - sp.log(x), x),
    free(trace(A * Sigma), A, of="sgd"),
    free(trace(A * Sigma * H**-1), H, of="sgd"),
    free(trace(Sigma * H**-1), H, of="sgd"),
    free(trace(A * Sigma) / trace(C), C, of="sgd"),
    pytest.param(
        free(second("theta", "v") + second("v", "theta"), eps, of="momentum"), marks=pytest.mark.strong
    ),
]
FALSE = [
    free(a * x + b, x),
    free(sp.sqrt(1 + x) + a, x),
    free(trace(A**2 * Sigma), H, of="sgd"),
    free(Sigma, H, of="sgld"),
    free(DIVERGENCE, mu, of="momentum"),
    free(mu * second("v", "v"), S, of="momentum"),
    pytest.param(free(Sigma, N, of="sgld", time="discrete"), marks=pytest.mark.strong),
]
CONDITIONAL = [
    pytest.param(
        free((a - 1) * x + b, x),
        "a = 1",
        marks=pytest.mark.xfail(strict=True, reason="no condition on numbers alone is mined of FreeOf"),
    ),
    (free(A * Sigma, A, of="sgd"), "A and B B^T commute, among all such A"),
    (free(mu * second("v", "v"), A, of="momentum"), "A and B B^T commute, among all such A"),
    (free(DIVERGENCE, A, of="sgd"), "A and B B^T commute, among all such A"),
]


@pytest.mark.parametrize("stated", TRUE, ids=lambda c: c.printed[0].text())
def test_true_statements_are_proved(stated):
    finding = stated.find()
    assert finding.verdict == "proved"
    assert stated.twins(finding).survivors == ()


@pytest.mark.parametrize("stated", FALSE, ids=lambda c: c.printed[0].text())
def test_false_statements_are_refuted_by_two_places(stated):
    finding = stated.find()
    assert finding.verdict in ("refuted", "limit-only")
    shown = finding.counterexample
    assert shown.left != shown.right
    assert not run(shown.script)


@pytest.mark.parametrize(("stated", "condition"), CONDITIONAL, ids=lambda c: getattr(c, "key", ""))
@pytest.mark.strong
def test_conditions_are_found(stated, condition):
    finding = stated.find()
    assert (finding.verdict, finding.condition) == ("proved-if", condition)
    assert not run(finding.counterexample.script)
    assert stated.under(finding.needs).find().verdict == "proved"


def test_a_gain_needs_more_than_one_condition():
    """H^(-1) A Sigma is eps C/(2 S) only where H commutes with both, or is a multiple of one."""
    finding = free(H**-1 * A * Sigma, H, of="sgd").find()
    assert finding.verdict == "proved-if"
    alternatives = finding.condition.replace(";", "").split(" or ")
    assert "A, B B^T and H commute, among all such H" in alternatives
    assert "A and B B^T commute" not in alternatives


def test_right_to_leading_order():
    finding = free(trace(A * Sigma) / eps, eps, of="sgd", time="discrete").find()
    assert finding.verdict == "limit-only"
    assert finding.gap.term.text == "eps*Trace(A*C)/(2*Trace(C))"
    assert finding.gap.order == "1"
    assert finding.corrected.verdict == "proved"


def test_counterexamples_are_small():
    shown = free(Sigma, H, of="sgld").find().counterexample
    assert shown.problem["hessian"] == [["1"]]
    assert (shown.left, shown.right) == ([["5/4"]], [["2"]])  # by hand: 1 + eps H/4
    shown = free(A * Sigma, A, of="sgd").find().counterexample
    assert len(shown.problem["hessian"]) == 2  # one dimension cannot show it
    assert shown.script.count("\n") < 40  # decimals and matrices of them are a third of it


def test_a_letter_that_is_nowhere_is_refused():
    with pytest.raises(UnusableInput, match="a letter of the quantity"):
        free(trace(A * Sigma), mu, of="sgd").find()


def test_the_formula_and_random_places_check_each_other(monkeypatch):
    from verification.theories.matrices import free as by_matrices

    monkeypatch.setattr(by_matrices, "stands_still", lambda *args: True)
    with pytest.raises(RoutesDisagree):
        free(trace(A * Sigma), eps, of="sgd").find()


def test_random_places_see_a_commutator_that_a_mode_does_not():
    from verification.laws.dependence import stands_still

    sgd = free(A * Sigma, A, of="sgd").setting
    commute = (Commute(("A", "C")),)
    seen = [stands_still(A * Sigma, sgd, "continuous", "A", g, "t") for g in ((), commute)]
    assert seen == [False, True]


def test_a_trace_of_the_law_beside_its_entries_is_no_constant():
    shape = claim("fresh", at="here", title="T", of="sgd", read=FreeOf(Sigma / trace(Sigma), eps))
    process, algorithm = shape.find(), shape.find("discrete")
    assert (process.verdict, process.scope) == ("proved", "D <= 3")
    assert algorithm.verdict == "proved-if"  # where A is a multiple of the identity
    assert algorithm.corrected is None


@pytest.mark.parametrize(
    ("quantity", "time", "shown"),
    [
        (trace(A * Sigma) / eps, "discrete", "tr(A*Sigma)/eps = tr((2*I - eps*A)**(-1)*C/S)"),
        (Sigma / eps, "discrete", "A*(Sigma/eps) + Sigma/eps*A - eps*A*(Sigma/eps)*A = C/S"),
    ],
)
def test_what_is_true_instead_is_an_equation_that_is_judged(quantity, time, shown):
    """How it moves is seen where it stands in letters: as a claim, with twins, no text of a slope."""
    stated = claim("k", of="sgd", time=time, read=FreeOf(quantity, eps), **COMMON)
    found = stated.find()
    assert found.corrected.text == shown
    (true,) = found.corrected.printed
    assert replace(stated, statement=true).find().verdict == "proved"
    left, right = true.sides
    assert replace(stated, statement=Equal(left, 2 * right)).find().verdict == "refuted"
    twins = stated.twins(found)
    assert twins.tried == twins.rejected > 0
