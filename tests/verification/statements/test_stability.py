"""Where samplers settle, in both readings of time: of the library's, and of samplers of one's own."""

import numpy as np
import pytest

from sgtheory.declare import Card, Sampler, gradient, positive, state
from sgtheory.errors import DeclarationError
from verification.notation import mu
from verification.refuter.script import run
from verification.statements import (
    All,
    Exists,
    Iff,
    Moves,
    Not,
    Stable,
    claim,
    letters,
    vanishing,
)
from verification.theories.matrices.relaxation import RELAXATION
from verification.theories.stability.modes import AtMode

HERE = {"at": "here", "title": "T"}
eps, lam, nu, r = letters("eps lambda nu r")
theta, old, ahead = state("theta old ahead")
h, w = positive("h w")


def said(statement, of="sgd", **more):
    return claim("fresh", of=of, read=statement, **{"time": "discrete", **more}, **HERE)


@pytest.mark.parametrize(
    ("one", "word"),
    [
        (said(Iff(Stable(), eps * lam < 2)), "proved"),
        (said(Stable(), given=(eps * lam < 1,)), "proved"),
        (said(Iff(Stable(), eps * lam < 1)), "refuted"),
        (said(Iff(Stable(), eps * lam <= 2)), "refuted"),
        (said(Stable(), given=(eps * lam < 3,)), "proved-if"),
        (said(Stable()), "proved-if"),
        (said(Stable((eps, r / lam))), "proved-if"),
    ],
    ids=lambda x: getattr(x, "key", x) and str(getattr(x, "statement", x)),
)
def test_verdicts_scripts_and_what_is_true_instead(one, word):
    finding = one.find()
    assert finding.verdict == word
    if finding.counterexample is not None:
        assert run(finding.counterexample.script) is False
    twins = one.twins(finding)
    assert twins.survivors == ()
    assert twins.rejected == twins.tried >= 1
    if word == "refuted":
        assert finding.corrected.text == "it settles if and only if eps*lambda < 2"
    if word == "proved-if":
        assert finding.condition in ("eps*lambda < 2", "r < 2")
        assert "and only there" in finding.reason


LOOKING_BACK = Sampler(
    state=(theta, old),
    updates=((old, (1 - w) * old + w * theta), (theta, theta - h * gradient(old))),
    convention=Card(loss="mean", drift="h"),
    given=(w < 1,),
)
LOOKING_AHEAD = Sampler(  # a third state that follows the second
    state=(theta, old, ahead),
    updates=(
        (theta, theta - h * gradient(ahead)),
        (old, (1 - w) * old + w * theta),
        (ahead, (1 - w) * ahead + w * old),
    ),
    convention=Card(loss="mean", drift="h"),
    given=(w < 1,),
)


def by_eigenvalues(step):
    return np.abs(np.linalg.eigvals(step)).max()


@pytest.mark.parametrize(
    ("sampler", "step"),
    [
        (LOOKING_BACK, lambda h, w, a: [[1 - h * a * w, -h * a * (1 - w)], [w, 1 - w]]),
        (
            LOOKING_AHEAD,
            lambda h, w, a: [
                [1, 0, -h * a],
                [w, 1 - w, -w * h * a],
                [w * w, w * (1 - w), 1 - w - w * w * h * a],
            ],
        ),
    ],
    ids=["two states", "three states"],
)
def test_where_a_sampler_of_ones_own_settles_exactly(sampler, step):
    """The machine's condition against eigenvalues by hand; it is proved, and a wider one refuted."""
    finding = said(Stable(), of=sampler).find()
    assert finding.verdict == "proved-if"
    needed = finding.needs.relations
    source = np.random.default_rng(0)
    seen = set()
    for a, b, c in source.uniform(size=(60, 3)):
        place = {"h": 4 * a, "w": b, "lambda": 2 * c}
        values = {n: _fraction(x) for n, x in place.items()}
        there = all(one.at(values).holds for one in needed)
        assert there == (by_eigenvalues(step(*map(float, values.values()))) < 1)
        seen.add(there)
    assert seen == {True, False}


def _fraction(x):
    from fractions import Fraction

    return Fraction(x).limit_denominator(1000)


@pytest.mark.parametrize("time", ["continuous", "discrete"])
def test_the_process_settles_where_the_step_need_not(time):
    finding = said(Stable(), of=LOOKING_BACK, time=time).find()
    assert finding.verdict == {"continuous": "proved", "discrete": "proved-if"}[time]


def test_an_end_that_is_admitted():
    """Without damping no process settles; the step needs more."""
    kinds = (("mu", "unit"),)
    process = said(Stable(), of="momentum", time="continuous", kinds=kinds).find()
    assert process.condition == "0 < mu"
    step = said(Stable(), of="momentum", kinds=kinds)
    finding = step.find()
    assert finding.condition == "eps*lambda < 4 - 2*mu and 0 < mu"
    twins = step.twins(finding, most=8)
    assert twins.rejected == twins.tried >= 6


def test_a_smaller_step_never_harms_and_a_larger_one_never_helps():
    for order, word in ((eps < nu, "proved"), (eps > nu, "refuted")):
        one = said(Exists(Stable(), Not(Stable((eps, nu))), order))
        finding = one.find()
        assert finding.verdict == word
        twins = one.twins(finding)
        assert twins.survivors == ()
        assert bool(twins.rejected) == (word == "proved")


def test_somewhere_nowhere_and_no_reason():
    x, y = letters("x y")
    one = claim("e", read=Exists(x + y < 2, x > 1), **HERE)
    finding = one.find()
    assert finding.verdict == "proved"
    assert finding.reason.startswith("It is so at x = ")
    twins = one.twins(finding)
    assert (twins.rejected, twins.survivors) == (twins.tried, ()) or twins.rejected >= 5
    assert claim("e", read=Exists(x + y < 1, x > 1), **HERE).find().verdict == "refuted"
    odd = claim("e", read=Exists(x**5 < y, y < x**5 * (1 + x / 10**9), x < 1), **HERE).find()
    assert odd.verdict == "inconclusive"


def test_what_cannot_be_said():
    with pytest.raises(DeclarationError, match="parameters with what they are"):
        Stable((2 * eps, nu))
    with pytest.raises(DeclarationError, match="of which the opposite is one"):
        Not(All(eps < 1))


def test_a_sabotaged_test_of_places_is_noticed(monkeypatch):
    from verification.verdicts.verdict import RoutesDisagree

    monkeypatch.setattr(AtMode, "settles", lambda self, where: False)
    with pytest.raises(RoutesDisagree):
        said(Stable(), given=(eps * lam < 1,)).find()


def test_relaxation_times_by_eigenvalues():
    slower = Moves(RELAXATION, "grows", vanishing(mu, (eps, r * mu)))
    one = said(slower, of="momentum", time="continuous")
    assert one.find("discrete").verdict == "proved"
    times = []
    for damping in (1 / 16, 1 / 256):
        M = np.array([[1 - damping, 1 - damping], [-damping, 1 - damping]])
        times.append(-1 / np.log(abs(np.linalg.eigvals(M)).max()))
    assert times[1] / times[0] == pytest.approx(16, rel=0.05)
    finding = said(Moves(RELAXATION, "shrinks", vanishing(eps)), time="continuous").find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
