"""Measured ratios against named alternatives, in one run on one machine. Never timed tests.

``python -m benchmarks.theory`` measures the theory room; results are committed under ``results/``.
"""
