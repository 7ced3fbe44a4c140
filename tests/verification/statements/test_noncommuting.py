"""Products and exponentials of operators that need not commute, up to a power of a small number."""

import pytest

from verification.refuter.script import run
from verification.statements import Order, claim, letter, letters, number, vanishing
from verification.terms.notation import I
from verification.theories import noncommuting
from verification.theories.answers import Proved
from verification.theories.time.words import expm
from verification.verdicts.verdict import RoutesDisagree

h = letter("h")
K, L = letters("K L", "matrix")
BOTH = expm(h * (K + L))


def agree(left, right, power):
    stated = Order(left - right, "O", h ** number(power), vanishing(h))
    kinds = (("K", "operator"), ("L", "operator"))
    return claim("k", at="here", title="T", printed=stated, kinds=kinds)


@pytest.mark.parametrize(
    ("left", "right", "power", "verdict"),
    [
        (expm(h * K) * expm(h * L), BOTH, 2, "proved"),
        (expm(h * K) * expm(h * L), BOTH, 3, "refuted"),
        (expm(h * K / 2) * expm(h * L) * expm(h * K / 2), BOTH, 3, "proved"),
        (expm(h * L), I + h * L, 3, "refuted"),
        ((I + h * K) * (I + h * L), I + h * K + h * L, 3, "refuted"),
    ],
)
def test_products_of_exponentials(left, right, power, verdict):
    stated = agree(left, right, power)
    finding = stated.find()
    assert finding.verdict == verdict
    assert stated.twins(finding, 12).survivors == ()
    if verdict == "refuted":
        assert run(finding.counterexample.script) is False
        assert finding.corrected.text.endswith(f"O(h**{power - 1}) as h -> 0")


def test_letters_of_a_law_are_not_free():
    A, Sigma = letters("A Sigma", "matrix")
    eps = letter("eps")
    stated = Order(A * Sigma, "O", eps, vanishing(eps))
    assert claim("k", at="here", title="T", read=stated, of="sgd").find().verdict == "proved"


def test_a_sabotaged_proof_is_caught_by_numbers(monkeypatch):
    monkeypatch.setattr(noncommuting, "has_order", lambda *_: Proved("It is so."))
    with pytest.raises(RoutesDisagree):
        agree(expm(h * K) * expm(h * L), BOTH, 3).find()
