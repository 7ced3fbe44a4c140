"""Numbers and functions of numbers: sums, products, powers, roots, exponentials and logarithms."""

from verification.theories.scalars.best import best_instead, is_best
from verification.theories.scalars.equations import is_constant, is_free_of, slope, vanishes
from verification.theories.scalars.formulas import constant, formula, positive
from verification.theories.scalars.signs import has_sign, is_bounded, scaled
from verification.theories.sizes import largest_terms

__all__ = [
    "best_instead",
    "constant",
    "formula",
    "has_sign",
    "is_best",
    "is_bounded",
    "is_constant",
    "is_free_of",
    "largest_terms",
    "positive",
    "scaled",
    "slope",
    "vanishes",
]
