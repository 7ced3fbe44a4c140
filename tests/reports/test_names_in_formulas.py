"""Names and words of any kind can be typeset: in counterexamples, and in what a step tells."""

import pytest

from reports.math.mathml import BadLatex, mathml
from reports.pages.words import problem_latex
from sgtheory.notation.derivation import Formula
from verification.library import all_claims


@pytest.mark.parametrize("name", ["KL_SGD_d_wine", "root_of_G_1", "eps", "x"])
def test_names_of_letters_are_typeset(name):
    assert mathml(problem_latex({name: "14.0"})).startswith("<math>")


def test_words_may_have_powers_and_underscores():
    assert "W_2²" in mathml(Formula(r"\text{W_2^2 from below} = 1", "").latex)


def test_as_they_are_typed_they_could_not_be():
    for typed in ("KL_SGD_d_wine = 14.0", r"\text{W_2^2 from below}"):
        with pytest.raises(BadLatex):
            mathml(typed)


@pytest.mark.long
def test_whatever_is_printed_is_typeset():
    for claim in all_claims():
        for formula in claim.printed_latex():
            assert mathml(formula).startswith("<math>"), claim.id
