"""Arithmetics: rational numbers, balls, symbols, exponentials, and Python text in decimals."""

from verification.terms.arithmetics.balls import balls
from verification.terms.arithmetics.decimals import DECIMALS
from verification.terms.arithmetics.flows import FLOWS
from verification.terms.arithmetics.rational import RATIONAL
from verification.terms.arithmetics.symbols import SYMBOLS

__all__ = ["DECIMALS", "FLOWS", "RATIONAL", "SYMBOLS", "balls"]
