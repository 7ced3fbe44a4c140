"""Equations with matrix exponentials, integrals over times and time averages of a stationary process."""
