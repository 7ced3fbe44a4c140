"""What a sampler samples as its step vanishes: densities, and bounds that need another one."""

import pytest
import sympy as sp

from verification.claims.consistent_bound import ConsistentBound, alpha
from verification.laws.averages import NOISE, S_T, SQUARES
from verification.refuter.script import run
from verification.statements import Letter, claim, samples_posterior
from verification.statements.algorithms import G, U

WORDS = {"at": "a", "title": "t", "says": "s", "paper": "p"}
BOUND = NOISE / S_T**2 + 1 / S_T + SQUARES**2 / S_T**2


def samples(sampler, **more):
    kinds = () if more else (("alpha", "unit"),)
    given = () if more else (Letter("alpha", "real") < 1,)
    stated = samples_posterior(sampler, **more)
    return claim("k", at="a", title="t", read=stated, kinds=kinds, given=given)


def test_without_gamma_the_posterior_is_divided_by_the_gain():
    finding = samples("psgld:no_gamma").find()
    assert finding.verdict == "refuted"
    assert finding.corrected.printed[0].stated[0][1] == -U - sp.log(G)
    assert run(finding.counterexample.script) is False


def test_gamma_as_printed_is_right_without_memory_only():
    finding = samples("psgld:algorithm1").find()
    assert (finding.verdict, finding.condition) == ("proved-if", "alpha = 0")


def test_minibatches_spoil_that_as_well():
    stated = samples("psgld:algorithm1", params=(("alpha", 0),), examples=2)
    assert stated.find().verdict == "refuted"


@pytest.mark.parametrize("sampler", ["psgld:no_gamma", "psgld:algorithm1"])
def test_twins_are_rejected(sampler):
    stated = samples(sampler)
    twins = stated.twins(stated.find(), 8)
    assert twins.tried == twins.rejected >= 4


def test_a_bound_is_false_where_the_limit_is_another_law():
    claim = ConsistentBound(
        "k", sampler="psgld:no_gamma", bound=BOUND, extra=(1 - alpha) ** 2 / alpha**3, **WORDS
    )
    finding = claim.find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_a_bound_is_left_open_where_it_could_hold():
    kept = {"sampler": "psgld:no_gamma", **WORDS}
    stays = ConsistentBound("k", bound=sp.Integer(1), **kept)  # it need not vanish
    covered = ConsistentBound("k", bound=BOUND, extra=alpha, **kept)
    holds = ConsistentBound("k", bound=BOUND, sampler="sgld", **WORDS)
    assert {c.find().verdict for c in (stays, covered, holds)} == {"inconclusive"}
