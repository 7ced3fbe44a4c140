"""Arithmetics: rational numbers, enclosures (balls), symbols, and Python text in decimals."""

from verification.terms.arithmetics.balls import balls
from verification.terms.arithmetics.decimals import DECIMALS
from verification.terms.arithmetics.rational import RATIONAL
from verification.terms.arithmetics.symbols import SYMBOLS

__all__ = ["DECIMALS", "RATIONAL", "SYMBOLS", "balls"]
