"""Formulas at a pair of modes."""

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from verification.laws.pair_form import DELTA, responses


def test_isotropic_noise_reaches_equal_modes_whatever_sympy_remembers():
    """SymPy forgets old symbols, and makes equal ones that are other objects."""
    sp.core.cache.clear_cache()
    again = sp.Symbol("delta_ij", real=True)
    assert again == DELTA
    assert responses(again * (LI - LJ)) == {}
    assert responses(again * (LI + LJ)) == {DELTA: 2 * LI}
