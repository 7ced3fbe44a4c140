"""Where the reading for the discrete algorithm is refuted, its numbers stand beside the words."""

from types import SimpleNamespace

from reports.document import Equation
from reports.pages.claim import _discrete
from verification.verdicts.verdict import Counterexample

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
