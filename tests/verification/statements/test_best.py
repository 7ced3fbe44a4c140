"""Best values that the code does not know: of numbers, of a law, of a relaxation time."""

import pytest

from sgtheory.declare import Card, Sampler, gradient, positive, positive_definite, state
from verification import notation
from verification.judging.judge import judge, plans
from verification.library import select
from verification.notation import A, C, D, N, S, Sigma, eps, mu, trace
from verification.papers.mandt2017.letters import KL
from verification.refuter.script import run
from verification.statements import Best, OneBest, claim, letters, log, sqrt, surviving, term
from verification.terms.term import Applied
from verification.theories.matrices.relaxation import RELAXATION

HERE = {"at": "here", "title": "T", "says": "S."}
x, a, b = letters("x a b")
SLOWEST = Applied("lambda_min", (term(A),))


def best(letter, value, quantity, **more):
    own = {n: more.pop(n) for n in ("among", "end", "by") if n in more}
    return claim("fresh", printed=Best(letter, value, of=quantity, **own), **HERE, **more)


@pytest.mark.parametrize(
    ("value", "of", "end", "verdict", "instead"),
    [
        (b / a, a * x - b * log(x), "smallest", "proved", None),
        (sqrt(b / a), a * x + b / x, "smallest", "proved", None),
        (b / a, a * x + b / x, "smallest", "refuted", "x = sqrt(b)/sqrt(a)"),
        (a, x / (a**2 + x**2), "largest", "proved", None),
        (2 * a, x / (a**2 + x**2), "largest", "refuted", "x = a maximises"),
    ],
)
def test_numbers(value, of, end, verdict, instead):
    one = best(x, value, of, end=end)
    found = one.find()
    assert found.verdict == verdict
    twins = one.twins(found)
    assert twins.rejected == twins.tried > 0
    if instead is not None:
        assert found.corrected.text.startswith(instead)
        assert not run(found.counterexample.script)


def test_the_best_momentum_for_a_spectral_gap():
    found = best(mu, 2 * sqrt(term(eps) * SLOWEST), RELAXATION, of="momentum").find()
    assert found.verdict == "proved"
    gap = best(mu, 2 * sqrt(term(eps) * SLOWEST), 1 / term(RELAXATION), end="largest", of="momentum")
    assert gap.find().verdict == "proved"
    wrong = best(mu, sqrt(term(eps) * SLOWEST), RELAXATION, of="momentum").find()
    assert wrong.verdict == "refuted"
    assert not run(wrong.counterexample.script)


def test_a_multiple_of_the_letter():
    of = N * trace(A * Sigma) / 2 - D * term(eps) ** 0
    with pytest.raises(Exception, match="name the letter"):
        Best(eps / (mu * S), 2, of=of)
    one = best(eps / S, 2 * D / (N * trace(C)), N * eps * trace(C) / (4 * S) - D * log(eps) / 2, by=eps)
    assert one.find().verdict == "proved"


def test_twins_survive_where_scripts_are_broken(monkeypatch):
    one = best(x, b / a, a * x - b * log(x))
    finding = one.find()
    monkeypatch.setattr(surviving, "decider", lambda statement, given: lambda place: True)
    assert one.twins(finding).rejected == 0


def test_a_claim_with_a_letter_of_its_own_is_measured_at_its_counterexample():
    """The sampler has no parameter of that name, and is not asked for one."""
    (one,) = select(("mandt2016poster.scalable.gain",))
    ((planned, plan),) = plans([one])
    verdict = judge(planned, plan)
    assert verdict.broken is None
    assert "N_data" in verdict.finding.counterexample.problem["params"]
    assert "N_data" not in verdict.measured.data["problem"]["params"]


theta, h, H = state("theta"), positive("h"), positive_definite("H")
GAINED = Sampler(
    state=(theta,),
    updates=((theta, theta - h / 2 * H @ gradient(theta)),),
    convention=Card(loss="mean", drift="h H/2"),
)


@pytest.mark.parametrize("time", ["continuous", "discrete"])
@pytest.mark.parametrize("sampler", ["sgd", GAINED], ids=["sgd", "another"])
@pytest.mark.parametrize("other", [S, N, letters("kappa")[0]], ids=str)
def test_no_pair_of_a_gain_and_a_size_is_the_best_one(other, sampler, time):
    """With any size there is a gain at which the divergence is zero."""
    pair = OneBest(notation.H, other, of=KL)
    finding = claim("fresh", of=sampler, read=pair, **HERE).find(time)
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
    assert f"{other} is not determined by it." in finding.reason


def test_of_another_quantity_no_least_value_is_known():
    pair = OneBest(notation.H, S, of=trace(Sigma))
    assert claim("fresh", of="sgd", read=pair, **HERE).find().verdict == "inconclusive"
