"""Statements are decided in one order; what is false has a script that shows it; twins can survive."""

import pickle
from fractions import Fraction

import pytest

from sgtheory.errors import DeclarationError
from verification.refuter.script import run
from verification.relations import All, Equal
from verification.statements import (
    claim,
    exp,
    largest,
    letter,
    letters,
    log,
    sqrt,
    surviving,
    term,
)
from verification.statements.scripts import says
from verification.theories.scalars import Numbers
from verification.verdicts.verdict import RoutesDisagree

x, y = letters("x y")
HERE = {"at": "here", "title": "T", "says": "S."}


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        (Equal(log(x * y**2), log(x) + 2 * log(y)), "proved"),
        (Equal(log(exp(x) + exp(x + y)), x + log(1 + exp(y))), "proved"),
        (Equal(log(exp(x) + exp(y)), log(1 + exp(y)) + y), "refuted"),
        (Equal(log(x + y), log(x) + log(y)), "refuted"),
        (Equal(sqrt(x) * exp(y), exp(y + log(x) / 2)), "proved"),
        (All(Equal(x + y, y + x), Equal(x - y, y - x)), "refuted"),
    ],
)
def test_formulas(statement, word):
    one = claim("fresh", printed=statement, **HERE)
    finding = one.find()
    assert finding.verdict == word
    if word == "refuted":
        assert run(finding.counterexample.script) is False
    else:
        twins = one.twins(finding)
        assert twins.survivors == ()
        assert twins.rejected == twins.tried > 0


@pytest.mark.parametrize(
    ("statement", "numbers", "word"),
    [
        (Equal(10 * x * y, 20), {x: "0.5", y: "4"}, "proved"),
        (Equal(10 * x * y, 21), {x: "0.5", y: "4"}, "refuted"),
        (x < term("1/3"), {x: "0.3333333333333333333333333333333333"}, "proved"),
        (x < term("1/3"), {x: "0.3333333333333333333333333333333334"}, "refuted"),
        (exp(x) > y, {x: "1", y: "2.718281828459045235360287471352662497"}, "proved"),
        (exp(x) > y, {x: "1", y: "2.718281828459045235360287471352662498"}, "refuted"),
        (Equal(sqrt(x) ** 2 + log(exp(y)), 5), {x: "2", y: "3"}, "proved"),
        (x ** term("1/3") <= largest(x, y) / 2, {x: "3", y: "4"}, "proved"),
    ],
)
def test_numbers(statement, numbers, word):
    one = claim("numbers", read=statement, numbers=numbers, **HERE)
    finding = one.find()
    assert finding.verdict == word
    if word == "refuted":
        assert not run(finding.counterexample.script)
        assert finding.counterexample.problem == {a.name: text for a, text in numbers.items()}
    else:
        twins = one.twins(finding)
        assert twins.rejected == twins.tried > 0
        assert twins.survivors == ()


def test_numbers_that_only_seem_equal_are_not_proved():
    cubic = Equal((9 + 4 * sqrt(x)) ** term("1/3"), (3 + sqrt(x)) / 2)  # true, by symbols
    assert claim("alike", printed=cubic, numbers={x: "5"}, **HERE).find().verdict == "proved"
    nearly = Equal((9 + 4 * sqrt(x)) ** term("1/3"), (3 + sqrt(x)) / 2 + term(10) ** -300)
    assert claim("nearly", printed=nearly, numbers={x: "5"}, **HERE).find().verdict == "inconclusive"


def test_two_sides_that_are_one_expression_are_refused():
    with pytest.raises(DeclarationError, match="two sides that differ"):
        Equal(x + y, x + y)
    assert Equal(x + y, y + x).text() == "x + y = y + x"


@pytest.mark.parametrize(("statement", "word"), [(x <= 4, "proved"), (x < 4, "refuted")])
def test_numbers_may_make_one_expression_of_both_sides(statement, word):
    """Four is at most four: what is declared says something, with its numbers it is decided."""
    assert claim("four", printed=statement, numbers={x: "4"}, **HERE).find().verdict == word


def test_a_statement_is_given_once():
    with pytest.raises(DeclarationError, match="one of printed=, read=, derived="):
        claim("none", **HERE)
    with pytest.raises(DeclarationError, match="2 of them"):
        claim("two", printed=x < y, read=x < y, **HERE)


def test_a_false_proof_is_noticed(monkeypatch):
    from verification.theories.answers import Proved

    monkeypatch.setattr(Numbers, "vanishes", lambda *_: Proved("It is so."))
    with pytest.raises(RoutesDisagree, match="symbols: it holds; exact numbers: it fails at"):
        claim("wrong", printed=Equal(x + y, x - y), **HERE).find()


def test_an_evaluator_that_is_wrong_is_noticed(monkeypatch):
    from verification.relations import base
    from verification.terms.comparing import Compared

    monkeypatch.setattr(
        base, "compared", lambda left, right, place: Compared(Fraction(1), Fraction(1), 0)
    )
    with pytest.raises(RoutesDisagree, match="decimals"):
        claim("wrong", printed=Equal(10 * x, 21), numbers={x: "2"}, **HERE).find()


def test_twins_survive_where_the_route_that_is_to_reject_them_is_broken(monkeypatch):
    """The number of rejected twins is no matter of course: a script that says True rejects none."""
    one = claim("numbers", printed=Equal(10 * x * y, 20), numbers={x: "0.5", y: "4"}, **HERE)
    finding = one.find()
    assert one.twins(finding).survivors == ()
    monkeypatch.setattr(surviving, "decider", lambda statement, given: lambda place: True)
    broken = one.twins(finding)
    assert broken.rejected == 0
    assert len(broken.survivors) == broken.tried > 0


def test_a_claim_travels():
    one = claim("fresh", printed=All(x < y, Equal(x * 2, x + x)), numbers={x: "0.5"}, **HERE)
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert again.printed_latex() == [r"x < y", r"x \cdot 2 = x + x"]


def test_scripts_decide_for_themselves():
    r = letter("r", "real")
    place = {"r": 0}
    assert says(1 / r < 1, place) is None
    assert says(r < 1, place) is True


def test_letters_that_are_given_as_formulas():
    """What is given as ``letter = formula`` is put in; what is printed keeps the letter."""
    given = (Equal(x, 2 / (y + 1)),)
    right = claim("solved", printed=Equal(y, 2 / x - 1), given=given, **HERE)
    finding = right.find()
    assert finding.verdict == "proved"
    assert right.twins(finding).survivors == ()
    assert right.printed_latex() == [r"y = \frac{2}{x} - 1"]
    wrong = claim("solved", printed=Equal(y, 2 / x + 1), given=given, **HERE).find()
    assert wrong.verdict == "refuted"
    assert set(wrong.counterexample.problem) == {"y"}
    named = claim("named", read=Equal(x, 2 / y), given=given, **HERE).find()
    assert named.corrected.text == "x = 2/(y + 1)"
