"""Equations, limits and bounds with exponentials and averages: verdicts, corrections, wrong twins."""

import pytest
import sympy as sp

from verification.claims.base import Printed
from verification.claims.running_mean import Recursion, RunningMean, t
from verification.claims.spectral import Spectral
from verification.claims.spectral_bound import SpectralBound
from verification.claims.spectral_limit import Order, SpectralLimit, Tends
from verification.claims.spectral_solution import Solution
from verification.notation import A, C, H, S, Sigma, eps, identity
from verification.refuter.script import run
from verification.spectral.given import WellSpecified
from verification.spectral.words import Averaged, MatrixExp, T

LEADING = (A**-1 * Sigma + Sigma * A**-1) / (eps * T)


def claim(kind=Spectral, left=None, right=None, relation="=", of="sgd", **more):
    printed = more.pop("printed", None) or (Printed(left, right, relation),)
    return kind("k", at="here", title="t", says="s", of=of, printed=printed, **more)


def test_a_product_in_the_wrong_order_holds_where_the_matrices_commute():
    finding = claim(left=A * Sigma, right=Sigma * A).find()
    assert finding.verdict == "proved-if"
    assert "commute" in finding.condition


def test_a_wrong_factor_is_mended_and_a_script_sees_it():
    finding = claim(left=Sigma, right=eps / S * identity, given=(WellSpecified(),)).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text == "Sigma = eps*I/(2*S)"
    assert run(finding.counterexample.script) is False


def test_a_flipped_exponent_is_mended():
    wrong = claim(left=Averaged(T), right=LEADING + A**-2 * (MatrixExp(eps * T * A) - identity))
    assert wrong.find().verdict == "refuted"
    less = MatrixExp(eps * T * A) - identity
    right = A**-1 / (S * T) + A**-2 * less / (eps * S * T**2)
    finding = claim(left=Averaged(T), right=right, given=(WellSpecified(),)).find()
    assert "exp(-T*eps*A)" in finding.corrected.text


def test_the_leading_term_alone_is_right_for_long_windows():
    finding = claim(left=Averaged(T), right=LEADING).find()
    assert (finding.verdict, finding.gap.parameter, finding.gap.order) == ("limit-only", "1/T", "1")
    assert finding.gap.term.text == "-1/(T*eps*lambda_i)"


def test_powers_stand_for_exponentials_in_the_algorithm():
    finding = claim(left=Averaged(T), right=LEADING).find("discrete")
    assert "(I - eps*A)^(T)" in finding.corrected.text
    assert finding.corrected.verdict == "proved"


def test_gains_need_not_commute():
    long_run = A**-1 * C * A**-1 / (T * S)
    limit = {"variable": T, "limit": "oo"}
    assert claim(SpectralLimit, Averaged(T, H), long_run, "~", **limit).find().verdict == "proved"
    skew = A**-1 * H * C * H * A**-1 / (T * S)
    assert claim(SpectralLimit, Averaged(T, H), skew, "~", **limit).find().verdict != "proved"


def test_orders_are_exact():
    limit = {"variable": T, "limit": "oo"}
    right = claim(SpectralLimit, printed=(Order(Averaged(T), 1 / T),), **limit)
    wrong = claim(SpectralLimit, printed=(Order(Averaged(T), 1 / T**2),), **limit)
    assert right.find().verdict == "proved"
    finding = wrong.find()
    assert finding.verdict == "refuted"
    assert finding.corrected.printed[0].right == 1 / T
    assert run(finding.counterexample.script) is False


def test_a_limit_that_is_another():
    finding = claim(
        SpectralLimit, printed=(Tends(MatrixExp(-eps * T * A), identity),), of="", variable=T, limit="oo"
    ).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


@pytest.mark.parametrize(("relation", "verdict"), [("<=", "proved"), (">=", "refuted")])
def test_bounds_are_in_every_direction(relation, verdict):
    finding = claim(SpectralBound, S * T * Averaged(T), A**-1, relation, given=(WellSpecified(),)).find()
    assert finding.verdict == verdict
    if verdict == "refuted":
        assert finding.corrected.printed[0].relation == "<="
        assert run(finding.counterexample.script) is False


def test_a_solution_of_the_process_and_one_of_another():
    now, past = sp.Symbol("t", positive=True), sp.Symbol("u", real=True)

    def solution(rate, size):
        kick = size * MatrixExp(rate * (now - past))
        return Solution(
            "k", at="here", title="t", says="s", of="sgd", mean=MatrixExp(rate * now), kick=kick,
            now=now, past=past,
        )  # fmt: skip

    assert solution(-eps * A, eps / sp.sqrt(S)).find().verdict == "proved"
    finding = solution(-A, eps / sp.sqrt(S)).find()
    assert finding.verdict == "refuted"
    assert "its mean moves at another rate" in finding.reason
    assert "size" not in finding.reason


def test_running_means():
    def mean(keep, add, first=1):
        return RunningMean(
            "k", at="h", title="t", says="s", printed=(Recursion(keep, add),), first=first
        )

    assert mean(t / (t + 1), 1 / (t + 1)).find().verdict == "proved"
    assert mean((t + 1) / (t + 2), 1 / (t + 2), first=0).find().verdict == "proved"
    finding = mean(t / (t + 1), 1 / t).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.printed[0].right == 1 / (t + 1)


def test_twins_are_rejected():
    one = claim(left=Averaged(T), right=LEADING)
    twins = one.twins(one.find())
    assert twins.tried == twins.rejected > 20
