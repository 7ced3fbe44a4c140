"""Kernels for a GPU: CUDA C generated from a program, compiled through CuPy.

The text includes nothing, so that it compiles at run time without a toolkit; with ``shim.h`` in
front of it, a C++ compiler builds it for the processor, where it gives the same bits.
"""
