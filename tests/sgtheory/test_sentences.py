"""Sentences: what is marked as a formula is one on pages, and nothing of the marks is seen elsewhere."""

import pickle

import pytest
from sympy.abc import x

from sgtheory import registry
from sgtheory.notation.sentence import Formula, Sentence, joined, say, sentence


def test_a_sentence_is_its_text_and_knows_its_formulas():
    told = say("Of {} at most {}, as $h -> 0$.", "them", x**2)
    assert told == "Of them at most x**2, as h -> 0."
    formulas = [piece for piece in told.pieces if isinstance(piece, Formula)]
    assert [f.latex for f in formulas] == ["x^{2}", ""]
    again = pickle.loads(pickle.dumps(told))
    assert (again, again.pieces) == (told, told.pieces)
    assert joined(told, sentence("$a$ is one.")).pieces[-2:] == (Formula("", "a"), " is one.")
    assert sentence(told) is told


def test_one_dollar_alone_is_money():
    assert sentence("It costs $5.").pieces == ("It costs $5.",)


@pytest.mark.parametrize("name", registry.names("samplers"))
def test_no_card_shows_its_marks(name):
    card = registry.sampler(name).convention
    words = (card.drift, card.noise, card.N, card.temperature, card.order)
    assert all(isinstance(w, Sentence) for w in words)
    assert not any("$" in w for w in words)
