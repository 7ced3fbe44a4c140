"""Errors that say what was expected, what came, and what to do about it."""

from __future__ import annotations

from typing import Any


class UnusableInput(ValueError):
    """Input that cannot be used. The terminal prints it as one line and exits with status 2.

    >>> str(UnusableInput("a positive step", "-1", "give eps > 0"))
    'expected a positive step; got -1; give eps > 0'
    """

    def __init__(self, expected: str, got: str, remedy: str) -> None:
        self.expected, self.got, self.remedy = expected, got, remedy
        super().__init__(f"expected {expected}; got {got}; {remedy}")

    def __reduce__(self) -> tuple[Any, ...]:
        # an error travels from a worker's process to the one that asked
        return _restored, (type(self), self.expected, self.got, self.remedy)


def _restored(kind: type[UnusableInput], expected: str, got: str, remedy: str) -> UnusableInput:
    error = kind.__new__(kind)
    UnusableInput.__init__(error, expected, got, remedy)
    return error


class DeclarationError(UnusableInput):
    """A sampler, a model or a claim that contradicts itself, found when it is declared."""


class NotAffine(ValueError):
    """The update is not affine in the state, so the exact linear theory does not apply."""


class Absent(UnusableInput):
    """A sampler does not have the quantity that is asked for."""

    def __init__(self, quantity: str, sampler: str, reason: str) -> None:
        super().__init__(f"a quantity that {sampler} has", quantity, reason)


class Unstable(ArithmeticError):
    """The chain has no stationary law at these parameters; the message names the limit."""
