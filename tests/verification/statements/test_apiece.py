"""What several statements are at once follows from what each is by itself."""

import pytest

from sgtheory.notation.sentence import formula_of
from verification.statements import All, Equal, apiece, claim, letters
from verification.verdicts.verdict import Converse, Finding, Gap

x, y, z = letters("x y z", "real")
p, q = letters("p q")
AT_X, AT_Z = Equal(x, y), Equal(z, 2)


def under(needs, known="necessary", others=(), **more):
    """What holds under a condition, with ``others`` under each of which it holds as well."""
    conditions = (needs, *others)
    words = " or ".join(one.text() for one in conditions)
    return Finding("proved-if", "r", (), words, needs, Converse(conditions, known), **more)


def tends(parameter, order="1"):
    return Finding("limit-only", "r", (), gap=Gap(parameter, order, formula_of(1)))


def test_conditions_that_have_others_beside_them_are_not_necessary_of_all():
    """x = y or x = 1 of the one and x = y or z = 2 of the other: at x = 1 the second may fail."""
    read = All(Equal((x - y) * (x - 1), 0), Equal((x - y) * (z - 2), 0))
    found = apiece.find(claim("k", at="Eq. 1", title="Both", read=read), None)
    assert (found.verdict, found.condition, found.converse) == ("proved-if", "x = y", None)


def test_conditions_that_are_alone_are_necessary_of_all():
    found = apiece._where_false([under(AT_X), under(AT_Z)])
    assert (found.verdict, found.converse.known) == ("proved-if", "necessary")
    assert found.needs.relations == (AT_X, AT_Z)
    assert apiece._where_false([under(AT_X), under(AT_Z, "sufficient")]).converse is None
    assert apiece._where_false([under(AT_X), under(AT_Z, others=(AT_X,))]).converse is None


def test_one_condition_of_all_is_as_necessary_as_of_the_first_that_says_so():
    found = apiece._where_false([under(AT_X, "sufficient"), under(AT_X)])
    assert (found.condition, found.converse.known) == (AT_X.text(), "necessary")


@pytest.mark.parametrize(
    ("false", "word", "order"),
    [
        ([tends("h"), tends("h", "1/2")], "limit-only", "1/2"),
        ([tends("h"), tends("eps")], "refuted", None),  # along two ways there is no one limit
        ([tends("h"), under(AT_X)], "refuted", None),
        ([under(AT_X), tends("h")], "refuted", None),
        ([tends("h", "2")], "limit-only", "2"),
    ],
)
def test_what_tends_to_the_truth_and_what_holds_under_a_condition_are_neither_at_once(
    false, word, order
):
    found = apiece._where_false(false)
    assert found.verdict == word
    assert (found.gap and found.gap.order) == order
    assert found.condition is None
    assert found.converse is None


def test_a_part_that_is_proved_of_less_leaves_its_scope(monkeypatch):
    """Of two parts that are proved, the second in two dimensions alone, all is proved in those."""
    told = iter((Finding("proved", "r", ()), Finding("proved", "r", (), scope="D <= 2")))
    one = claim("k", at="Eq. 1", title="Both", read=All(Equal(p, q), Equal(q, p)))
    monkeypatch.setattr(type(one), "find", lambda self, time=None: next(told))
    found = apiece.find(one, None)
    assert (found.verdict, found.scope) == ("proved", "D <= 2")
