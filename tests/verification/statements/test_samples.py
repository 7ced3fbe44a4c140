"""What a sampler samples as its step vanishes: densities, and bounds that need another one."""

import pytest
import sympy as sp

from verification.papers.li2016psgld import appendix_sequences as own
from verification.refuter.script import run
from verification.statements import Letter, averages_within, claim, letter, samples_posterior
from verification.statements.algorithms import G, U

ALPHA = letter("alpha", "fraction")


def samples(sampler, **more):
    kinds = () if more else (("alpha", "unit"),)
    given = () if more else (Letter("alpha", "real") < 1,)
    stated = samples_posterior(sampler, **more)
    return claim("k", at="a", title="t", read=stated, kinds=kinds, given=given)


def test_without_gamma_the_posterior_is_divided_by_the_gain():
    finding = samples("psgld:no_gamma").find()
    assert finding.verdict == "refuted"
    assert finding.corrected.printed[0].form.stated[0][1] == -U - sp.log(G)
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


def within(sampler, bound=own.BOUND, *extra):
    stated = averages_within(own.ERROR, bound, own.T, sampler, *extra)
    below = (Letter("alpha", "real") < 1,)
    return claim("k", at="a", title="t", read=stated, given=below, kinds=(("alpha", "unit"),))


def test_a_bound_is_false_where_the_limit_is_another_law():
    without = within("psgld:no_gamma", own.BOUND, (1 - ALPHA) ** 2 / ALPHA**3, ALPHA).find()
    assert without.verdict == "refuted"
    assert without.corrected.printed[0].form.stated[0][1] == -U - sp.log(G)
    assert run(without.counterexample.script) is False
    # that the limit is right for one value of a parameter does not make the bound true there
    remembering = within("psgld:algorithm1").find()
    assert (remembering.verdict, remembering.condition) == ("refuted", None)


def test_a_bound_is_left_open_where_it_could_hold():
    stays = within("psgld:no_gamma", own.TIME / own.TIME)  # it need not vanish
    covered = within("psgld:no_gamma", own.BOUND, ALPHA, ALPHA)
    holds = within("sgld")
    assert {c.find().verdict for c in (stays, covered, holds)} == {"inconclusive"}


def test_twins_of_a_bound_are_those_of_what_it_needs():
    stated = within("psgld:algorithm1")
    twins = stated.twins(stated.find(), 8)
    assert twins.tried == twins.rejected >= 4


def test_no_condition_of_what_is_needed_is_left():
    found = within("psgld:algorithm1").find()
    assert (found.needs, found.converse, found.gap, found.scope) == (None, None, None, "")


def test_a_bound_is_looked_at_where_its_parameter_has_gone():
    """The further term is infinite at alpha = 0, so that nothing could be seen there."""
    found = within("psgld:no_gamma", own.BOUND, (1 - ALPHA) ** 2 / ALPHA**3, ALPHA).find()
    assert "alpha" not in found.counterexample.problem
    assert "then alpha -> 1" in found.corrected.text
    assert not [one for one in found.evidence if "condition" in one.data]
