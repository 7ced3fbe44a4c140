"""Statements about sums over steps: sequences of numbers, or of random numbers, of every length."""
