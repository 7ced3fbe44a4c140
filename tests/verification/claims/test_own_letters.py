"""Claims on samplers whose steps take exponentials and roots of their parameters; equations in given."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from sgtheory.declare import Card, Sampler, gradient, normal, positive, state
from sgtheory.errors import DeclarationError
from sgtheory.numbers.numeric import law
from verification.measuring.ensembles import usual
from verification.notation import A, C, N, S, Sigma, eps, trace
from verification.refuter.follow import Followers
from verification.refuter.parameters import stated
from verification.refuter.places import Place, Space
from verification.statements import Compare, Equal, Printed, Stated, claim
from verification.statements.deciding import asked
from verification.statements.ownletters import _freed, _without, in_letters
from verification.statements.stationary import StationaryLaw

theta, v, xi = state("theta"), state("v"), normal("xi")
h, gamma, beta = positive("h gamma beta")
CARD = Card(loss="mean", drift="its own")


def descent(front: Any) -> Sampler:
    """Gradient descent with some front."""
    return Sampler((theta,), ((theta, theta - front * gradient(theta)),), CARD, name="mine")


def stationary(of: Any, left: Any, right: Any, *given: Any) -> Stated:
    """A claim on a law of the algorithm."""
    return StationaryLaw(
        "k", "1", "law", "x", of, (Printed(left, right),), given, "discrete", paper="own"
    )


def of_front(e: Any, size: Any = S, of: Any = None, given: tuple[Any, ...] = ()) -> Stated:
    """The law of descent with the front e, a factor 1/size in its noise."""
    right = e / size * C
    return stationary(of or descent(e), Sigma * A + A * Sigma - e * A * Sigma * A, right, *given)


EXPONENTIAL = 1 - sp.exp(-gamma * h)
FRONTS = {
    "exponential": EXPONENTIAL,
    "hyperbolic tangent": sp.tanh(gamma * h / 2),
    "root of a letter": sp.sqrt(h),
    "root of a share": sp.sqrt(1 - beta),
    "root of a product": sp.sqrt(h) * sp.sqrt(1 - beta),
    "root of two letters": sp.sqrt(h + gamma),
    "inverse root": h / sp.sqrt(1 + beta),
}


@pytest.mark.parametrize("front", FRONTS.values(), ids=FRONTS)
def test_what_is_so_is_proved_and_what_is_not_is_refuted_with_numbers(front: Any) -> None:
    given = (beta < 1,) if sp.sympify(front).has(1 - beta) else ()
    true = in_letters(of_front(front, given=given)).claim.find()
    assert true.verdict == "proved", true.reason
    doubled = stationary(
        descent(front), Sigma * A + A * Sigma - front * A * Sigma * A, 2 * front / S * C, *given
    )
    lettered = in_letters(doubled)
    false = lettered.told(lettered.claim.find())
    assert false.verdict == "refuted", false.reason
    # the problem is in the user's own parameters, and its exact law is not what is printed
    assert false.counterexample is not None
    params = false.counterexample.problem["params"]
    own = {p.name for p in sp.sympify(front).free_symbols}
    assert set(params) == own
    assert law(descent(front), _problem(false.counterexample.problem)).stable
    assert not re.search(r"\b[csk](_\d)?\b", false.corrected.text)  # what is true, in the user's letters


def _problem(content: Any) -> Any:
    from sgtheory.problem import Problem

    return Problem.of(content)


def below(small: Any, large: Any) -> Any:
    """What is asked of an inequality on the law of descent with an exponential in front, in letters."""
    one = claim(
        "k",
        at="1",
        title="bound",
        says="x",
        of=descent(EXPONENTIAL),
        time="discrete",
        read=Compare(small, "<=", large),
    )
    return asked(in_letters(replace(one, paper="own")).claim)


def test_what_a_sampler_is_after_is_put_in_letters_too() -> None:
    c = positive("c")
    update = theta - h * c * N * gradient(theta) + sp.sqrt(2 * h) * xi
    step = ((theta, update),)
    own = Sampler((theta,), step, CARD, noises=(xi,), where=((c, EXPONENTIAL),), target=(c, 0))
    claim = stationary(own, Sigma, Sigma)
    assert _without(own, claim, c)[0].target == (EXPONENTIAL, 0)
    assert _freed(_without(own, claim, c)[0], claim, None, gamma, beta)[0].target[0].has(beta)


def inequality(left: Any, word: str, right: Any) -> Any:
    """A claim on the law of descent with an exponential in front."""
    printed = Compare(left, word, right)
    of = descent(EXPONENTIAL)
    return claim("k", at="1", title="bound", says="x", of=of, time="discrete", printed=printed)


def found(of: Any) -> Any:
    """What is found of a claim in letters."""
    return in_letters(of).claim.find()


@pytest.mark.strong
def test_a_letter_for_an_exponential_does_not_count_as_one() -> None:
    # With 1 for exp(-gamma h) the step does nothing, and every bound on its law was "never violated".
    energy, small = trace(A * Sigma), EXPONENTIAL * trace(C) / (2 * S)
    wrong = found(inequality(energy, "<=", small))
    assert wrong.verdict != "proved"
    assert wrong.counterexample is not None
    assert found(inequality(energy, ">=", small)).counterexample is None


@pytest.mark.strong
def test_a_bound_between_an_exponential_and_its_exponent_is_not_taken_for_free_letters() -> None:
    # 1 - exp(-gamma h) < gamma h is so; with a letter that is free of gamma and h it is not
    less, more = EXPONENTIAL * trace(A * Sigma), gamma * h * trace(A * Sigma)
    assert found(inequality(less, "<=", more)).counterexample is None
    wrong = found(inequality(more, "<=", less))
    assert wrong.counterexample is not None
    assert set(wrong.counterexample.problem["params"]) == {"gamma", "h"}


def test_noise_with_a_root_of_an_exponential_in_front_has_its_law() -> None:
    decay = sp.exp(-gamma * h)
    ou = Sampler(
        (theta, v),
        (
            (v, decay * v - h * N * gradient(theta) + sp.sqrt(1 - decay**2) * xi),
            (theta, theta + h * v),
        ),
        CARD,
        noises=(xi,),
        name="mine",
    )
    claim = in_letters(stationary(ou, A * Sigma + Sigma * A, C)).claim
    place = next(p for p in claim.space().small() if claim.look("discrete")(p) is not None)
    found = asked(claim, "discrete").values(place)["Sigma"]
    exact = law(ou, place.problem()).covariance["theta", "theta"]
    told = np.array([[float(x) for x in row] for row in found])
    assert np.allclose(told, exact, rtol=1e-9)


def test_what_follows_from_letters_is_so_between_their_values() -> None:
    c, d, k = sp.symbols("c d k", positive=True)
    x = gamma * h
    pairs = ((c, sp.exp(-x)), (d, sp.exp(-3 * x / 2)), (k, sp.tanh(x)))
    found = Followers(pairs).values({"gamma": Fraction(3), "h": Fraction(1, 2)})
    assert found["d"] ** 2 == found["c"] ** 3
    assert found["k"] == (1 - found["c"] ** 2) / (1 + found["c"] ** 2)
    assert abs(float(found["c"]) - float(np.exp(-1.5))) < 1e-15
    space = Space({}, {"gamma": "positive", "h": "positive"}, follows=Followers(pairs))
    place = next(iter(space.small()))
    moved = place.but(h=2 * place.scalars["h"])
    assert float(moved.scalars["c"]) == pytest.approx(float(place.scalars["c"]) ** 2, rel=1e-15)
    assert "c" not in place.to_json()


half = sp.Rational(1, 2)
DAMPED = h * (1 - beta)
M = positive("M")
EQUATIONS = {
    "a letter and a number": (of_front(DAMPED, given=(sp.Eq(beta, half),)), h / 2, S),
    "a formula and a number": (of_front(DAMPED, given=(sp.Eq(DAMPED, half),)), half, S),
    "a size and a letter": (of_front(DAMPED, given=(sp.Eq(S, 2 * M),)), DAMPED, 2 * M),
    "a size and a number": (of_front(DAMPED, given=(sp.Eq(S, 5),)), DAMPED, 5),
    "a size and one": (of_front(DAMPED, given=(sp.Eq(S, 1),)), DAMPED, 1),
    "of one of ours": (of_front(eps, of="sgd", given=(sp.Eq(eps, half),)), half, S),
}
SLOW = ("a formula and a number", "a size and a letter", "a size and one")


@pytest.mark.parametrize(
    ("claim", "front", "size"),
    [
        pytest.param(*given, id=words, marks=[pytest.mark.strong] if words in SLOW else [])
        for words, given in EQUATIONS.items()
    ],
)
def test_an_equation_that_is_given_is_obeyed(claim: Stated, front: Any, size: Any) -> None:
    left = Sigma * A + A * Sigma - front * A * Sigma * A
    so = replace(claim, statement=Equal(left, front / size * C))
    assert in_letters(so).claim.find().verdict == "proved"
    # without what is given it is not so, and neither is another number with it
    if M not in sp.sympify(size).free_symbols:  # a letter that is nowhere else
        assert in_letters(replace(so, given=())).claim.find().verdict != "proved"
    not_so = replace(claim, statement=Equal(left, 3 * front / size * C))
    found = in_letters(not_so).claim.find()
    assert found.verdict == "refuted"
    problem = found.counterexample.problem
    scalars = {n: Fraction(x) for n, x in (*problem["params"].items(), *_sizes(problem))}
    assert all(c.holds(Place({}, scalars)) for c in stated(claim.given))


def _sizes(problem: Any) -> list[tuple[str, str]]:
    return [(n, problem[n]) for n in ("N", "S")]


def test_a_measurement_is_made_where_an_equation_holds() -> None:
    claim = of_front(DAMPED, given=(sp.Eq(DAMPED, sp.Rational(1, 10)),))
    params = usual(claim)["params"]
    assert Fraction(params["h"]) * (1 - Fraction(params["beta"])) == Fraction(1, 10)


def test_an_equation_that_cannot_be_solved_is_told() -> None:
    with pytest.raises(DeclarationError, match="linear in a letter"):
        stated((sp.Eq(beta**2, half),))
    with pytest.raises(DeclarationError, match="can hold"):
        stated((sp.Eq(beta, -1),))


def test_a_letter_that_is_given_is_told_before_those_in_its_formula() -> None:
    """A declaration names roots that it finds: what is given is put in together with its letter."""
    n = positive("n")
    claim = of_front(h, given=(sp.Eq(h, n ** sp.Rational(-1, 3)),))
    assert next(letter.name for letter, _ in in_letters(claim).meanings) == "h"
