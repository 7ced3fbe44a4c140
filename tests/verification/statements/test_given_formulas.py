"""Letters that are given as formulas are that everywhere, also in what else is given."""

import pytest

from verification.statements import Equal, claim, letter

a, b, c, h, V, W = (letter(name, "positive") for name in ["a", "b", "c", "h", "V", "W"])
y = letter("y", "real")


def judged(printed, *given):
    return claim("one", at="here", title="One", says="It is so.", read=printed, given=given).find()


def test_a_letter_given_as_a_formula_is_that_in_other_hypotheses():
    """What a blind exam found: V was free in the first, so that a place with another V refuted it."""
    line, value = Equal(a * y + b * V / 2, 0), Equal(V, h * c / (2 * a))
    assert judged(Equal(y, -h * c * b / (4 * a**2)), line, value).verdict != "refuted"
    wrong = judged(Equal(y, -h * c * b / (2 * a**2)), line, value)
    assert wrong.verdict != "proved"


@pytest.mark.parametrize("order", [1, -1])
def test_formulas_of_formulas(order):
    given = [Equal(V, 2 * W), Equal(W, h * a)][::order]
    assert judged(Equal(V, 2 * h * a), *given).verdict == "proved"
    assert judged(Equal(V, h * a), *given).verdict == "refuted"


def test_a_letter_given_twice_leaves_an_equation():
    one = claim(
        "one", at="here", title="One", says="So.", read=Equal(c, b), given=(Equal(V, c), Equal(V, b))
    )
    assert set(one.definitions) == {V}
    assert [str(r) for r in one.given_relations] == ["c = b"]
    assert one.find().verdict != "refuted"


def test_letters_given_by_one_another_leave_an_equation():
    given = (Equal(V, W + 1), Equal(W, 2 * V - 3))
    one = claim("one", at="here", title="One", says="So.", read=Equal(V, 2), given=given)
    assert len(one.definitions) == 1
    assert len(one.given_relations) == 1
    assert one.find().verdict != "refuted"
