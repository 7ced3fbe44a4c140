"""Measuring: ensembles of real chains, held against the exact law and against what is printed."""
