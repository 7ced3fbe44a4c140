"""Measured ratios against named alternatives, in one run on one machine. Never timed tests.

``python -m benchmarks.theory`` measures the theory room, ``python -m benchmarks.cpu`` the simulations on
this machine's processor against other libraries and the machine's limits, ``python -m benchmarks.gpu``
a GPU. Results are committed under ``results/``; ``python -m benchmarks.page`` makes a page of the CPU's.
"""
