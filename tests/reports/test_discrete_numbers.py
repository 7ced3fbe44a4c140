"""Where the reading for the discrete algorithm is refuted, its numbers stand beside the words."""

from dataclasses import replace
from types import SimpleNamespace

from reports.document import Equation
from reports.pages.claim import _correction, _discrete
from sgtheory.notation.sentence import Formula
from verification.verdicts.verdict import Correction, Counterexample

SHOWN = Counterexample({"eps": "1/2"}, "2", "1", "left and right side")


def discrete(counterexample):
    finding = SimpleNamespace(
        verdict="refuted",
        reason="It is violated: the numbers below show it.",
        gap=None,
        loss=None,
        corrected=None,
        counterexample=counterexample,
    )
    return _discrete(SimpleNamespace(claim=None, discrete=finding))  # in part or not, it is refuted


def test_the_numbers_are_there():
    shown = [b.latex for b in discrete(SHOWN) if isinstance(b, Equation)]
    assert shown == [r"\epsilon = \tfrac{1}{2}", r"2 \quad \text{and} \quad 1"]
    assert not [b for b in discrete(None) if isinstance(b, Equation)]


def test_a_correction_that_is_no_claim_says_why():
    """Every correction is judged as a claim, or its page says why it is not."""
    formula = Correction((Formula("x = 1", "x = 1"),), "proved", "in every dimension")
    stated = replace(formula, printed=(object(),))
    finding = SimpleNamespace(corrected=formula, gap=None)
    claim = SimpleNamespace(id="mandt2017.thm1")
    (told,) = [b for b in _correction(claim, finding) if "not judged as a claim" in str(b)]
    assert "No step has a formula" in str(told)
    finding.corrected = stated
    assert "not judged as a claim" not in str(_correction(claim, finding))
