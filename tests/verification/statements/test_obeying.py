"""Whatever is refuted is refuted where all that is given holds."""

from dataclasses import replace
from fractions import Fraction

import pytest

from verification.notation import A, C, D, Sigma, identity
from verification.refuter.conditions import FullRank, OneDimensional
from verification.refuter.places import Place
from verification.statements import (
    All,
    Best,
    Compare,
    Equal,
    FreeOf,
    Iff,
    Order,
    claim,
    index,
    letters,
    mean,
    number,
    over,
    sequences,
    size,
    term,
    vanishing,
)
from verification.statements.deciding import asked
from verification.statements.obeying import broken
from verification.terms.term import Applied, Letter

a, b, x, y = letters("a b x y")
r, s = Letter("r", "real"), Letter("s", "real")
n = Letter("n", "count")
q, p = Letter("q", "unit"), Letter("p", "fraction")
X, Y = Letter("X", "matrix"), Letter("Y", "matrix")
(u,), (w,) = sequences("u", "random sequence"), sequences("w")
t = index("t")


def det(m):
    return Applied("det", (term(m),))


def tr(m):
    return Applied("tr", (term(m),))


def judged(read, *given, **more):
    return claim("k", at="here", title="T", read=read, given=given, **more)


# what is given, and what follows from it; forms of hypotheses as readers are told them
NUMBERS = {
    "a bound": ((x < 2,), x < 3),
    "two bounds": ((x <= y, y <= 2), x <= 2),
    "a sum": ((Equal(a + b, 1),), a * b <= number("1/4")),
    "a circle": ((Equal(r**2 + s**2, 1),), r * s <= number("1/2")),
    "a number": ((Equal(x, 2), Equal(y, x + 1)), Equal(y, 3)),
    "a formula": ((Equal(x, y + 1), y < 2), x < 3),
    "a formula that is positive": ((Equal(y, x - 5),), x > 5),
    "a formula that is whole": ((Equal(n, x),), x >= 1),
    "by itself": ((Equal(x, x / 2 + 1),), Equal(x, 2)),
    "of both": ((Equal(x, y + 1), Equal(y, 2 * x - 3)), Equal(x, 2)),
    "no equality": ((Compare(r, "!=", 0),), r**2 > 0),
    "several at once": ((All(x < 1, y < 1),), x * y < 1),
    "where another holds": ((Iff(x < 1, y < 1), x < 1), y < 1),
    "under a root": ((Equal(x**2, 2),), x < number("3/2")),
}
MATRICES = {
    "one dimension": ((Equal(D, 1),), Equal(X, det(X) * identity)),
    "two dimensions": ((Equal(D, 2),), Equal(det(2 * X), 4 * det(X))),
    "a determinant": ((Equal(det(X), a),), Equal(det(X) ** 2, a**2)),
    "a trace": ((Equal(tr(X), 1),), det(X) <= 1),
    "an order": ((Compare(X, "<=", identity),), det(X) <= 1),
    "one that commutes": ((Equal(X * Y, Y * X),), Equal(X * Y * X, X * X * Y)),
    "a multiple of the identity": ((Equal(X, a * identity),), Equal(det(X), a**D)),
    "a multiple of another": ((Equal(X, a * Y),), Equal(X * Y, Y * X)),
    "a square": ((Equal(X * X, Y),), Equal(X * Y, Y * X)),
    "a kind of a number beside matrices": ((), (1 + q) * det(X) > 0),
    "a kind of a share beside matrices": ((), (1 - p) * det(X) > 0),
    "a product": ((Equal(X * Y, identity),), Equal(Y * X, identity)),
}
LAWS = {
    "one dimension": ((OneDimensional(()),), Equal(A * Sigma, Sigma * A)),
    "one dimension in a letter": ((Equal(D, 1),), Equal(A * Sigma, Sigma * A)),
    "noise of full rank": ((FullRank(("C",)),), Compare(Sigma, ">", 0)),
    "noise of full rank, one": ((FullRank(("C",)), Equal(D, 1)), Compare(Sigma, ">", 0)),
    "curvature a number": ((Equal(A, a * identity),), Equal(A * Sigma, Sigma * A)),
    "noise a number": ((Equal(C, a * identity),), Equal(A * Sigma, Sigma * A)),
    "noise like curvature": ((Equal(C, b * A),), Equal(A * Sigma, Sigma * A)),
    "a law of one trace": ((Equal(tr(Sigma), 1),), tr(Sigma) <= 1),
    "a law in an order": ((Compare(Sigma, "<=", identity),), Compare(Sigma, "<=", 2 * identity)),
}
SEQUENCES = {
    "entries": ((w[t] <= number(1),), w[1] <= 2),
    "an equation of means": ((Equal(number(0), mean(u[1] * w[1]) - 1),), Equal(mean(u[1] * w[1]), 1)),
    "a sum of entries": ((Equal(number(1), over(w[t], t, 1, 2)),), Equal(over(2 * w[t], t, 1, 2), 2)),
    "sizes": ((size(w[1]) <= number(1),), w[1] ** 2 <= 1),
}
CHOSEN = {
    "a best with a bound": ((x <= 1,), Best(x, term(1), of=(x - 2) ** 2)),
    "a best with a determinant": ((Equal(det(X), det(Y)),), Best(X, Y, of=tr(Y**-1 * X))),
    "a best with a trace": ((Equal(tr(Y**-1 * X), D),), Best(X, Y, of=-det(X))),
    "a letter that moves": ((Equal(x * y, 1),), FreeOf(x * y, x)),
    "a limit": ((x < number("1/1000000"),), Order(x, "O", 1, vanishing(x))),
}


@pytest.mark.parametrize("name", [*NUMBERS, *MATRICES, *SEQUENCES, *CHOSEN])
def test_what_follows_from_what_is_given_is_not_refuted(name):
    given, read = (NUMBERS | MATRICES | SEQUENCES | CHOSEN)[name]
    found = judged(read, *given).find()
    assert found.verdict in ("proved", "inconclusive"), found


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("time", ["continuous", "discrete"])
def test_so_it_is_of_laws(name, time):
    given, read = LAWS[name]
    found = judged(read, *given, of="sgd", time=time).find()
    assert found.verdict in ("proved", "inconclusive"), found


def test_without_what_is_given_they_are_refuted():
    """The gate lets pass what nothing is in the way of."""
    for name in ("a bound", "two bounds", "a sum", "a circle", "several at once", "under a root"):
        assert judged(NUMBERS[name][1]).find().verdict in ("refuted", "proved-if"), name
    for name in ("a trace", "an order", "a multiple of the identity", "one that commutes"):
        assert judged(MATRICES[name][1]).find().verdict in ("refuted", "proved-if"), name
    assert judged(CHOSEN["a best with a bound"][1]).find().verdict == "refuted"
    assert judged(CHOSEN["a best with a determinant"][1]).find().verdict == "refuted"


def test_a_wrong_best_value_is_refuted_by_one_that_obeys():
    """Diagonal (2, 1/2) has the determinant 1 and a larger trace than the identity."""
    wrong = Best(X, Y, of=tr(Y**-1 * X), end="largest")
    found = judged(wrong, Equal(det(X), det(Y))).find()
    assert found.verdict == "refuted"
    assert found.counterexample is not None


class Careless:
    """A wrong twin of the search: it makes places and asks nothing of them."""

    def __init__(self, question):
        self.question = replace(question, given=(), conditions=(), formulas=())


@pytest.mark.parametrize(
    "given", [(x < 2,), (Equal(x + y, number("5/2")),), (Equal(x * y, 1), y > 1), (x < y, y < 2)]
)
def test_a_search_that_asks_nothing_is_found_out(given):
    """What it refutes the numbers that are shown, read again, do not obey."""
    question = asked(judged(x < 3, *given, x <= 2 * x))
    careless = Careless(question).question
    failure = careless.failure(200)
    assert failure is not None
    assert list(broken((), question.given, failure.place.to_json()))
    assert question.admits(failure.place) is False
    assert question.obeys_all(failure.place) is False


def test_conditions_are_read_on_the_numbers_that_are_shown():
    flat = {"hessian": [["1", "0"], ["0", "1"]], "noise": [["0", "0"], ["0", "1"]]}
    assert list(broken((FullRank(("C",)),), (), flat)) == [FullRank(("C",))]
    assert list(broken((), (Equal(D, 1),), flat)) == [Equal(D, 1)]
    assert list(broken((), (Equal(D, 2),), flat)) == []
    assert list(broken((), (Equal(det(C), 1),), flat)) == [Equal(det(C), 1)]


def test_numbers_at_which_what_is_given_is_false_decide_nothing():
    found = judged(x < 1, x < 2, numbers={x: "3"}).find()
    assert found.verdict == "inconclusive"
    assert judged(x < 1, x < 4, numbers={x: "3"}).find().verdict == "refuted"


def test_a_place_without_a_letter_that_is_given_is_passed_by():
    question = asked(judged(x < 1, x <= y))
    assert question.admits(Place({}, {"x": Fraction(1)})) is False
    assert question.admits(Place({}, {"x": Fraction(1), "y": Fraction(2)})) is True


def test_which_of_several_fails_is_said():
    """The halves of "A and B" were refuted without saying which."""
    shown = judged(All(x < x + y, x * y <= 1)).find().counterexample
    assert str(shown.words) == "left and right side, of x*y <= 1"
    assert "of" not in str(judged(x * y <= 1).find().counterexample.words)
