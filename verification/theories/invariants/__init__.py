"""Invariant laws of chains about the mode of a potential: expansions, sizes, and linear regression."""

from verification.theories.invariants.given import LINEAR
from verification.theories.invariants.laws import Invariant, subject
from verification.theories.invariants.words import (
    HESSIAN,
    IDENTITY,
    NOISE,
    POSTERIOR,
    bias,
    cov,
    gradient_noise,
    off,
    run_off,
    second,
    spread,
    third,
    undone,
)

__all__ = [
    "HESSIAN", "IDENTITY", "LINEAR", "NOISE", "POSTERIOR", "Invariant", "bias", "cov", "gradient_noise",
    "off", "run_off", "second", "spread", "subject", "third", "undone",
]  # fmt: skip
