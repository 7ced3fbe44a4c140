"""Formulas at a pair of modes."""

import pytest
import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.matrixwords import SIGMA, A, identity
from verification.laws.pair_form import DELTA, responses
from verification.statements import Equal, N, Order, claim, letter, term, vanishing


def test_isotropic_noise_reaches_equal_modes_whatever_sympy_remembers():
    """SymPy forgets old symbols, and makes equal ones that are other objects."""
    sp.core.cache.clear_cache()
    again = sp.Symbol("delta_ij", real=True)
    assert again == DELTA
    assert responses(again * (LI - LJ)) == {}
    assert responses(again * (LI + LJ)) == {DELTA: 2 * LI}


A, N, SIGMA, ONE = map(term, (A, N, SIGMA, identity))
gamma, eps = letter("gamma"), letter("eps")


@pytest.mark.parametrize(
    ("of", "time", "statement", "verdict"),
    [
        ("lmc", "discrete", Equal(SIGMA, (N * A) ** -1 * (ONE - gamma * N * A / 2) ** -1), "proved"),
        ("lmc", "discrete", Equal(SIGMA, (ONE - gamma * N * A / 2) ** -1 / N * A**-1), "proved"),
        ("lmc", "discrete", Equal(SIGMA, (N * A) ** -1 * (ONE - gamma * N * A) ** -1), "limit-only"),
        ("lmc", "discrete", Equal(SIGMA, 2 / N * A**-1 * (ONE - gamma * N * A / 2) ** -1), "refuted"),
        ("lmc", "continuous", Equal(SIGMA, (N * A) ** -1), "proved"),
        ("lmc", "continuous", Equal(SIGMA, A**-1), "refuted"),
        ("sgld", "discrete", Order(SIGMA - (N * A) ** -1, "o", 1, vanishing(eps)), "proved"),
        ("sgld", "discrete", Order(SIGMA - 2 * (N * A) ** -1, "o", 1, vanishing(eps)), "refuted"),
        ("sgld", "discrete", Order(SIGMA - (N * A) ** -1, "o", eps, vanishing(eps)), "refuted"),
    ],
)
def test_a_function_of_the_curvature_is_a_number_at_a_mode(of, time, statement, verdict):
    asked = claim("k", at="", title="t", of=of, time=time, read=statement)
    assert asked.find().verdict == verdict
