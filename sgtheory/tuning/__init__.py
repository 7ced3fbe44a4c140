"""Choosing parameters: the rules of papers beside the optimum of the algorithm as it runs."""

from sgtheory.modepairs.unbiased import ExactGain, exact_gain, exact_noise
from sgtheory.tuning.choose import knobs, tune
from sgtheory.tuning.records import Certificate, Choice, Tuned, Tuning

__all__ = [
    "Certificate",
    "Choice",
    "ExactGain",
    "Tuned",
    "Tuning",
    "exact_gain",
    "exact_noise",
    "knobs",
    "tune",
]
