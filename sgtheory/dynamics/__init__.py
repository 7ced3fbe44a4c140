"""Stochastic processes beyond affine chains: diffusions, integrators, changes of variables.

States are single symbols, functions such as U(x) may stay unspecified, noises are standard normal.
"""
