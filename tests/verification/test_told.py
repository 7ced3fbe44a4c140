"""What documents and pages tell of a verdict beside its word."""

import pytest
import sympy as sp

from verification.notation import Sigma, eps, mu
from verification.statements import Equal, Stable, claim, letters
from verification.statements.entry import given_words
from verification.verdicts.verdict import Finding, Twins, Verdict


def test_what_holds_under_a_condition_names_it():
    with pytest.raises(ValueError, match="expected the condition"):
        Finding("proved-if", "It holds somewhere.", ())


def test_a_document_has_the_condition_of_the_algorithms_reading():
    settles = claim("k", at="here", title="T", of="sgd", read=Stable())
    verdict = Verdict(settles, settles.find(), settles.find("discrete"), None, Twins(0, 0))
    told = verdict.to_json()["discrete"]
    assert (told["verdict"], told["condition"]) == ("proved-if", "eps*lambda < 2")
    assert told["condition_is"] == "necessary and sufficient"


def test_what_is_given_has_kinds_and_what_letters_stand_for():
    G = sp.Symbol("G", commutative=False)
    one = claim(
        "k", at="here", title="T", of="momentum", read=Equal(Sigma, G),
        kinds=(("mu", "up to one"),), where=((G, 2 * Sigma),), sets=((eps, mu),),
    )  # fmt: skip
    assert [str(text) for text in given_words(one)] == [
        "eps is mu",
        "G stands for 2*Sigma",
        "0 < mu <= 1",
    ]


def test_a_number_from_zero_to_one_that_is_given_to_be_less_is_told_once():
    alpha, beta = letters("alpha beta", "real")
    one = claim(
        "k", at="here", title="T", read=Equal(alpha, beta), given=(alpha < 1, beta < 1),
        kinds=(("alpha", "unit"),),
    )  # fmt: skip
    assert [str(text) for text in given_words(one)] == ["beta < 1", "0 <= alpha < 1"]
