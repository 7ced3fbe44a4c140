"""Invariant laws of LMC, SGLDFP, SGLD and SGD about the mode: printed formulas, and what they are held against."""
