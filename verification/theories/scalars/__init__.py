"""Numbers and functions of numbers: sums, products, powers, roots, exponentials and logarithms."""

from verification.theories.scalars.equations import vanishes
from verification.theories.scalars.formulas import constant, formula, positive
from verification.theories.scalars.signs import has_sign

__all__ = ["constant", "formula", "has_sign", "positive", "vanishes"]
