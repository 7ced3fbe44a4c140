"""Sums over all steps: finite or not, by first terms and by Cauchy's condensation far out."""

from dataclasses import replace
from fractions import Fraction

import pytest

from sgtheory.errors import DeclarationError
from verification.refuter.script import run
from verification.statements import Adds, Iff, Order, claim, exp, growing, letters, log, term, vanishing
from verification.theories import limits
from verification.theories.answers import Proved
from verification.verdicts.verdict import RoutesDisagree

t, a, b = letters("t a b")


def stated(left, word):
    statement = Adds(left, {"<": "to a finite sum", "=": "without end"}[word], growing(t))
    return replace(claim("k", at="a", title="t", says="s", read=statement), paper="p")


@pytest.mark.parametrize("numerator", range(1, 9))
def test_a_power_of_t_has_a_finite_sum_from_one_on(numerator):
    power = Fraction(numerator, 4)
    terms = 1 / (3 + t) ** term(power)
    finite, infinite = stated(terms, "<"), stated(terms, "=")
    true, false = (finite, infinite) if power > 1 else (infinite, finite)
    found = true.find()
    assert found.verdict == "proved"
    assert true.twins(found).rejected >= 1
    assert true.twins(found).survivors == ()
    found = false.find()
    assert found.verdict == "refuted"
    assert not run(found.counterexample.script)


def test_logarithms_decide_at_the_border():
    assert stated(1 / (t * log(t)), "=").find().verdict == "proved"
    assert stated(1 / (t * log(t) ** 2), "<").find().verdict == "proved"
    assert stated(1 / (t * log(t) ** 2), "=").find().verdict == "refuted"


def test_negative_terms_add_up_to_no_infinite_sum():
    assert stated(1 / t**2 - 1 / t, "=").find().verdict == "refuted"
    assert stated(1 / t**2 - 1 / t, "<").find().verdict == "refuted"


def test_terms_whose_first_term_may_vanish_need_a_condition():
    found = stated((a - b) / t + 1 / t**2, "<").find()
    assert (found.verdict, found.condition) == ("proved-if", "a = b")


def test_terms_that_are_no_power_are_left_open():
    assert stated(exp(-t), "<").find().verdict == "inconclusive"


def test_only_letters_that_grow_number_terms():
    with pytest.raises(DeclarationError, match="grows"):
        Adds(t, "without end", vanishing(t))


def test_numbers_that_contradict_the_first_term_are_noticed(monkeypatch):
    monkeypatch.setattr(limits, "adds_up", lambda *_: Proved("So it is said."))
    with pytest.raises(RoutesDisagree):
        stated(1 / t, "<").find()


gamma, delta = letters("gamma delta")


@pytest.mark.parametrize(
    ("terms", "word", "condition"),
    [
        (a * (b + t) ** -gamma, "<", "1 < gamma"),
        (a * (b + t) ** -gamma, "=", "gamma <= 1"),
        ((a * t**-gamma) ** 2, "<", "1/2 < gamma"),
        (t ** -(gamma * delta), "<", "1 < delta*gamma"),
        (t ** (gamma - delta), "<", "gamma + 1 < delta"),
    ],
)
def test_powers_in_letters_have_a_sum_exactly_where_they_are_beyond_one(terms, word, condition):
    found = stated(terms, word).find()
    assert (found.verdict, found.condition) == ("proved-if", condition)
    assert found.converse.known == "necessary"


def test_where_a_sum_is_finite_is_known_on_both_sides():
    for exact, verdict in ((gamma > 1, "proved"), (gamma > 2, "refuted"), (gamma >= 1, "refuted")):
        one = replace(
            stated(t**-gamma, "<"), statement=Iff(Adds(t**-gamma, "to a finite sum", growing(t)), exact)
        )
        assert one.find().verdict == verdict


def test_a_power_in_letters_is_small_beside_another_exactly_where_it_is_larger():
    for exact, verdict in ((gamma > 1, "proved"), (gamma > 2, "refuted")):
        small = Order(t ** (1 - gamma), "o", 1, growing(t))
        one = claim("k", at="a", title="t", read=Iff(small, exact))
        assert one.find().verdict == verdict
