"""Invariant laws of LMC, SGLDFP, SGLD and SGD about the mode, and the words of formulas for them."""
