"""Counterexamples are small, exact and of the kinds that were asked for."""

import random
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from sgtheory.independent.fields import multiply
from verification.refuter.climb import climb
from verification.refuter.places import Place, Space
from verification.refuter.search import Sides, refute, shrink, simpler

SPD = {"A": "positive definite", "C": "positive definite"}


def product(place, first, second):
    return multiply([list(r) for r in place.value(first)], [list(r) for r in place.value(second)])


def commutes(place):
    left, right = product(place, "A", "C"), product(place, "C", "A")
    return Sides(left, right, left == right)


def test_the_smallest_pair_that_does_not_commute():
    failure = refute(commutes, Space(SPD))
    assert failure.place.D == 2
    # nothing simpler fails: every simplification of one number commutes or is not positive definite
    space = Space(SPD)
    cheaper = [p for p in simpler(failure.place, space) if space.has(p)]
    assert all(commutes(p).holds or p.cost >= failure.place.cost for p in cheaper)


def test_a_true_statement_is_not_refuted():
    assert refute(lambda p: Sides(0, 0, p.A[0][0] > 0), Space(SPD)) is None


def test_what_no_small_place_shows_is_found_among_larger_ones():
    # small entries are whole: the search has to go on to random halves, and shrinks what it finds
    space = Space({}, {"x": "real"})
    failure = refute(lambda p: Sides(0, 0, p.scalars["x"] < Fraction(5, 2)), space)
    assert failure is not None
    assert failure.place.scalars["x"] == 3


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_shrinking_keeps_failing_and_never_grows(seed):
    space, source = Space(SPD), random.Random(seed)
    place = space.random(source, 2)
    sides = commutes(place)
    if not sides.holds:
        from verification.refuter.search import Failure

        small = shrink(Failure(place, sides), commutes, space)
        assert not commutes(small.place).holds
        assert small.place.cost <= place.cost
        assert space.has(small.place)


def test_the_climb_finds_a_maximum_and_says_where_it_is():
    x = "x"
    top = climb(lambda p: p.scalars[x] * (2 - p.scalars[x]), Space({}, {x: "positive"}))
    assert top.value == 1
    assert top.where == "attained"
    end = climb(lambda p: 1 / (1 + p.scalars[x]), Space({}, {x: "positive"}))
    assert end.to_zero == (x,)


def test_places_of_problems_are_problem_files():
    one = ((Fraction(1),),)
    place = Place({"A": one, "B": one}, {"eps": Fraction(1, 4), "N": Fraction(4), "S": Fraction(1)})
    assert place.problem().values("sgd").scalars["eps"] == Fraction(1, 4)
