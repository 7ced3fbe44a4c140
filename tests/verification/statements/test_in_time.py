"""What takes long is broken off with a sentence, and takes nothing with it."""

import time

import pytest

from sgtheory.errors import DeclarationError
from verification.judging import judge as judging
from verification.judging.judge import judge
from verification.library import gather
from verification.measuring.ensembles import Plan
from verification.refuter.patience import OutOfTime, in_time, limited
from verification.relations.compare import Compare
from verification.statements import (
    A,
    Best,
    C,
    Degree,
    Equal,
    Inner,
    Sigma,
    Stable,
    claim,
    columns,
    exp,
    expm,
    integral,
    lagged,
    largest,
    letter,
    letters,
    second,
    smallest,
    theta,
    variable,
)
from verification.statements.claim import Stated
from verification.verdicts.verdict import RoutesDisagree

HERE = {"at": "here", "title": "T"}
PLAN = Plan("quick", "cpu", 5, 1e-6)
a, b, c, h, m, M, u = letters("a b c h m M u")
x, y = letters("x y", "real")
n, r = letter("n", "count"), variable("r")


def spin(*_):
    while True:
        pass


def test_an_inner_limit_is_not_taken_for_the_outer_one():
    assert in_time(lambda: in_time(spin, 5.0, "inner"), 0.05, "outer") == "outer"
    assert in_time(lambda: in_time(spin, 0.05, "inner"), 5.0, "outer") == "inner"
    with pytest.raises(OutOfTime), limited(0.05):
        in_time(spin, 5.0)


def test_a_claim_that_takes_too_long_is_inconclusive_and_says_so(monkeypatch):
    monkeypatch.setitem(judging.LIMITS, "quick", 0.1)
    monkeypatch.setattr(Stated, "find", spin)
    begun = time.process_time()
    verdict = judge(claim("k", read=a < a + b, **HERE), PLAN)
    assert time.process_time() - begun < 5
    assert verdict.finding.verdict == "inconclusive"
    assert "more than the 0 seconds of computing" in verdict.finding.reason
    assert verdict.to_json()["broken"]["kind"] == "out of time"


def test_a_proof_that_takes_too_long_is_none_and_places_decide(monkeypatch):
    monkeypatch.setattr("verification.statements.asking.PATIENCE", 0.05)
    monkeypatch.setattr(Compare, "prove", spin)
    found = claim("k", read=a <= b, **HERE).find()
    assert found.verdict == "refuted"
    assert "took too long" in found.evidence[0].words


def test_a_product_is_bounded_by_its_factors_and_the_one_that_is_left_is_the_condition():
    """A gradient step that contracts at one end of the spectrum, and not at the other."""
    step = (1 - h * u) ** 2 <= (1 - m * h) ** 2
    one = claim("k", read=step, given=(m <= u, u <= M, h * M < 2), **HERE)
    finding = one.find()
    assert (finding.verdict, finding.condition) == ("proved-if", "h*(m + u) <= 2")
    assert finding.counterexample is not None
    twins = one.twins(finding, 6)
    assert twins.rejected == twins.tried > 0


@pytest.mark.parametrize(
    ("square", "given"),
    [(x**2 <= (a * b) ** 2, x <= a * b), (x**2 * a**2 <= b**2, a * x <= b)],
    ids=["a number of either sign", "a product with one"],
)
def test_what_is_given_of_a_negative_number_bounds_no_square(square, given):
    """A letter was solved for in ``small <= large`` as if both were positive: a false proof."""
    try:
        finding = claim("k", read=square, given=(given,), **HERE).find()
    except RoutesDisagree as error:
        raise AssertionError(str(error)) from error
    assert finding.verdict in ("refuted", "proved-if")


def z_and_theta():
    return Inner(columns("z"), theta)


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (lambda: Best(a, 1 / b, of=expm(a * A)), "a number that is made best; got the matrix exp"),
        (lambda: Best(a, 1 / b, of=Sigma), "take its trace"),
        (lambda: Equal(A * Sigma, C), "a sampler to whose law Sigma belongs; got none"),
        (lambda: Equal(second("theta", "v"), 0), "belongs; got none; name it"),
        (lambda: Equal(lagged(n, 0), A), "lagged belongs; got none"),
        (lambda: Stable(), "Stable() belongs; got none"),
        (lambda: smallest(A) <= largest(A), "SmallestEigenvalue() is that of a matrix"),
        (lambda: Equal(exp(A), C), "expm() is that of a matrix"),
    ],
)
def test_what_has_no_value_is_refused_when_it_is_declared(state, told):
    with pytest.raises(DeclarationError) as error:
        claim("k", read=state(), **HERE)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"read": a <= b}, "no a key and no at= and no title="),
        ({"reads": a <= b, "key": "k", **HERE}, "got reads=; did you mean read?"),
    ],
)
def test_what_a_claim_lacks_or_has_too_much_is_told_with_what_it_takes(given, told):
    with pytest.raises(DeclarationError) as error:
        claim(**given)
    assert told in str(error.value)


def test_a_claim_without_a_name_is_told_and_the_others_are_judged(tmp_path):
    path = tmp_path / "notes.py"
    head = "from verification.statements import claim, letters\na, b = letters('a b')\n"
    one = "claim('{0}', at='p. 1', title='t', read=a <= a + b)\n"
    path.write_text(head + "named = " + one.format("k") + one.format("l"))
    found = gather((str(path),))
    assert [c.key for c in found.claims] == ["k"]
    (refused,) = found.refused
    assert "none in line 4; write NAME = claim(...)" in str(refused)


@pytest.mark.parametrize(
    "true",
    [
        smallest(x, y) <= largest(x, y),
        smallest(x, y) <= x,
        Equal(integral(exp(-a * r), (r, 0, b)), (1 - exp(-a * b)) / a),
        Equal(Degree(z_and_theta() ** 2), 2),  # not at data that vanish
    ],
    ids=str,
)
def test_easy_things_are_proved(true):
    assert claim("k", read=true, **HERE).find().verdict == "proved"


@pytest.mark.parametrize(
    "false",
    [
        largest(x, y) <= smallest(x, y),
        Equal(integral(exp(-a * r), (r, 0, b)), 1 - exp(-a * b)),
        Equal(Degree(z_and_theta() ** 2), 3),
    ],
    ids=str,
)
def test_and_their_wrong_twins_are_not(false):
    assert claim("k", read=false, **HERE).find().verdict in ("refuted", "proved-if")


def test_no_twins_have_a_reason():
    false = claim("k", read=a * b + c <= a, **HERE)
    twins = false.twins(false.find())
    assert twins.tried or twins.none
    words = judge(claim("k", read=a <= b, **HERE), PLAN).to_json()["twins"]
    assert words["tried"] or words["none"]
