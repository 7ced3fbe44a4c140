"""Proportionality of a covariance to powers of letters: of a parameter, or of a matrix as a whole."""

import pytest

from verification.notation import A, S, Sigma, eps
from verification.refuter.script import run
from verification.statements import Equal, FreeOf, claim, letter
from verification.theories.matrices.words import elsewhere

c = letter("c")


def said(statement, of="sgd", time="continuous"):
    return claim("k", at="here", title="T", says="S.", of=of, time=time, read=statement)


def with_a_times(number, power):
    return Equal(elsewhere(Sigma, (A, number * A)), number**power * Sigma)


TRUE = {
    "the step": FreeOf(Sigma / eps, eps),
    "the minibatch": FreeOf(S * Sigma, S),
    "the curvature": with_a_times(c, -1),
}
FALSE = {
    "the step squared": FreeOf(Sigma / eps**2, eps),
    "the minibatch": FreeOf(Sigma / S, S),
    "the curvature": with_a_times(c, 1),
}


@pytest.mark.parametrize("name", TRUE)
def test_powers_of_the_continuous_law_of_sgd(name):
    one = said(TRUE[name])
    finding = one.find()
    assert finding.verdict == "proved"
    twins = one.twins(finding)
    assert twins.tried == twins.rejected > 0


@pytest.mark.parametrize("name", FALSE)
def test_wrong_powers_are_refuted_by_a_script(name):
    finding = said(FALSE[name]).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_the_discrete_law_is_proportional_to_leading_order():
    found = {name: said(one, time="discrete").find().verdict for name, one in TRUE.items()}
    assert found == {"the step": "limit-only", "the minibatch": "proved", "the curvature": "limit-only"}


def test_a_law_with_noise_of_its_own_is_not_inversely_proportional_to_the_minibatch():
    assert said(FreeOf(S * Sigma, S), of="sgld").find().verdict == "refuted"
