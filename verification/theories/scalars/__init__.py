"""Numbers and functions of numbers: sums, products, powers, roots, exponentials and logarithms."""

from verification.theories.scalars.equations import is_constant, vanishes
from verification.theories.scalars.formulas import constant, formula, positive
from verification.theories.scalars.signs import has_sign
from verification.theories.sizes import is_bounded, largest_terms

__all__ = [
    "constant",
    "formula",
    "has_sign",
    "is_bounded",
    "is_constant",
    "largest_terms",
    "positive",
    "vanishes",
]
