"""Kernels for the processor: Python source generated from a program, compiled by Numba."""
