"""Proportionality of a law's covariance to powers of letters."""

import pytest

from verification.claims.scaling import ScalesAs, Scaling
from verification.notation import A, C, S, Sigma, eps
from verification.refuter.script import run

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}


def scales(letter, power, of="sgd"):
    return Scaling(of=of, printed=(ScalesAs(Sigma, letter, power=power),), **COMMON)


@pytest.mark.parametrize(("letter", "power"), [(eps, 1), (S, -1), (A, -1), (C, 1)])
def test_powers_of_the_continuous_law_of_sgd(letter, power):
    finding = scales(letter, power).find()
    assert finding.verdict == "proved"
    twins = scales(letter, power).twins(finding)
    assert twins.tried == twins.rejected == 4


@pytest.mark.parametrize(("letter", "power"), [(A, 1), (eps, 2), (C, -1), (S, 1)])
def test_wrong_powers_are_refuted_by_a_script(letter, power):
    finding = scales(letter, power).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_the_discrete_law_scales_to_leading_order():
    assert [scales(x, p).find("discrete").verdict for x, p in ((eps, 1), (A, -1), (C, 1))] == [
        "limit-only", "limit-only", "proved",
    ]  # fmt: skip


def test_injected_noise_does_not_scale_with_that_of_gradients():
    assert scales(C, 1, of="sgld").find().verdict == "refuted"
