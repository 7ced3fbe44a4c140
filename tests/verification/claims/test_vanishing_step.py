"""What a sampler samples as its step vanishes: densities, bounds that need another one, scripts."""

import sympy as sp

from verification.averages import NOISE, S_T, SQUARES
from verification.claims.vanishing_step import ConsistentBound, G, U, VanishingStep, alpha
from verification.refuter.script import run

WORDS = {"at": "a", "title": "t", "says": "s", "paper": "p"}
BOUND = NOISE / S_T**2 + 1 / S_T + SQUARES**2 / S_T**2


def test_without_gamma_the_posterior_is_divided_by_the_gain():
    claim = VanishingStep("k", sampler="psgld:no_gamma", **WORDS)
    finding = claim.find()
    assert finding.verdict == "refuted"
    assert finding.corrected.printed[0].log_density == -U - sp.log(G)
    assert run(finding.counterexample.script) is False


def test_the_script_agrees_with_what_is_true():
    claim = VanishingStep("k", sampler="psgld:no_gamma", **WORDS)
    failure = claim.failure("discrete")
    true = claim.correct("discrete").printed[0]
    text = claim.script(failure, "discrete").replace(
        "lambda x: x**4", "lambda x: x**4 + np.log(x**2 + 1)"
    )
    assert true.find().verdict == "proved"
    assert run(text) is True  # the same updates, held against p/G


def test_gamma_as_printed_is_right_without_memory_only():
    finding = VanishingStep("k", sampler="psgld:algorithm1", **WORDS).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "alpha = 0")


def test_minibatches_spoil_that_as_well():
    claim = VanishingStep("k", sampler="psgld:algorithm1", params=(("alpha", 0),), examples=2, **WORDS)
    assert claim.find().verdict == "refuted"


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
    law = ConsistentBound("k", bound=BOUND, log_density=-U - sp.log(G), **kept)
    assert {c.find().verdict for c in (stays, covered, law)} == {"inconclusive"}
