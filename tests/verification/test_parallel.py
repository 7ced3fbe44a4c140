"""Several processes say what one says, in the same order; an interruption ends them all."""

import os
import pickle
from dataclasses import replace
from multiprocessing import active_children

import pytest

from verification.judging import parallel
from verification.judging.judge import plans
from verification.library import select
from verification.verdicts.verdict import Answer, RoutesDisagree


def word(claim, plan):
    return claim.id, claim.find().verdict, plan.seed


def disagree(claim, plan):
    raise RoutesDisagree(claim.id, Answer("symbols", "true"), Answer("numbers", "false"))


@pytest.fixture(scope="module")
def planned():
    claims = [c for c in select(("mandt2017",)) if c.key.startswith("appD.eq4")]
    return list(plans(claims, seed=2)) * 3


@pytest.mark.strong
def test_two_processes_say_what_one_says(planned):
    assert len(planned) >= parallel._WORTH
    one = list(parallel.each(word, planned, 1))
    assert list(parallel.each(word, planned, 2)) == one
    assert [id_ for id_, _, _ in one] == [c.id for c, _ in planned]
    assert not active_children()


def test_a_disagreement_reaches_the_caller_and_ends_the_others(planned):
    with pytest.raises(RoutesDisagree, match=planned[0][0].id):
        list(parallel.each(disagree, planned, 2))


def test_without_processes_claims_stay_here(planned):
    seen = []
    list(parallel.each(lambda c, p: seen.append(c.id), planned[:3]))  # a lambda cannot travel
    assert len(seen) == 3


def die(claim, plan):
    if plan.seed == 1:
        os._exit(7)
    return plan.seed


def test_a_process_that_dies_takes_one_claim_with_it(planned):
    numbered = [(c, replace(p, seed=k)) for k, (c, p) in enumerate(planned[:4])]
    found = list(parallel.each(die, numbered, 1, lambda claim, plan: "lost"))
    assert found == [0, "lost", 2, 3]
    assert not active_children()


def unsendable(claim, plan):
    return lambda: plan.seed  # a function made here does not travel


def test_what_cannot_travel_is_made_here(planned):
    found = [made() for made in parallel.each(unsendable, planned[:2], 1)]
    assert found == [p.seed for _, p in planned[:2]]


def test_what_was_worked_out_from_a_claim_does_not_travel():
    (claim,) = select(("mandt2016poster.limit.approximates",))
    assert claim.find().verdict == "proved"  # it keeps rings of polynomials that cannot be sent
    assert pickle.loads(pickle.dumps(claim)) == claim
    assert set(claim.__getstate__()) < set(claim.__dict__)
