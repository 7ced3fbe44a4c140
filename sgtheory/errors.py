"""Errors that say what was expected, what came, and what to do about it, in one line."""

from __future__ import annotations

import reprlib
from typing import Any

LINE = 385  # characters of a message; the terminal's line has "sgtheory: " before it


class UnusableInput(ValueError):
    """Input that cannot be used. The terminal prints it as one line and exits with status 2.

    Whatever came, the message is one line below 400 characters: what is too long is shortened in its
    middle, and characters that control a terminal are written out.

    >>> str(UnusableInput("a positive step", "-1", "give eps > 0"))
    'expected a positive step; got -1; give eps > 0'
    >>> str(UnusableInput("a name", "\\x1b[2J\\n" + 9000 * "x", "take another"))[:40]
    'expected a name; got \\\\x1b[2J xxxxxxxxxxx'
    """

    def __init__(self, expected: str, got: str, remedy: str) -> None:
        parts = [plain(part) for part in (expected, got, remedy)]
        rest = LINE - len("expected ; got ; ")
        for left, k in zip((3, 2, 1), sorted(range(3), key=lambda k: len(parts[k])), strict=True):
            parts[k] = shortened(
                parts[k], rest // left
            )  # what the short ones leave, the long ones share
            rest -= len(parts[k])
        self.expected, self.got, self.remedy = parts
        super().__init__(f"expected {self.expected}; got {self.got}; {self.remedy}")

    def __reduce__(self) -> tuple[Any, ...]:
        # an error travels from a worker's process to the one that asked
        return _restored, (type(self), self.expected, self.got, self.remedy)


def _restored(kind: type[UnusableInput], expected: str, got: str, remedy: str) -> UnusableInput:
    error = kind.__new__(kind)
    UnusableInput.__init__(error, expected, got, remedy)
    return error


def plain(text: str, most: int = 2000) -> str:
    """A text on one line, with what is not printable written out.

    >>> print(plain("two\\nlines, a bell\\a and an escape \\x1b[31m"))
    two lines, a bell\\x07 and an escape \\x1b[31m
    """
    text = " ".join(shortened(text, 2 * most).split())
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return shortened(text, most)


def shortened(text: str, most: int) -> str:
    """A text, or its beginning and its end.

    >>> shortened("0123456789" * 9, 20)
    '012345678 ... 456789'
    """
    if len(text) <= most:
        return text
    end = (most - 5) * 2 // 5
    return f"{text[: most - 5 - end]} ... {text[len(text) - end :]}"


def told(error: BaseException) -> str:
    """The kind of somebody's error and what it says; where saying it fails, its kind.

    >>> told(KeyError("eps")), told(MemoryError())
    ("KeyError: 'eps'", 'MemoryError')
    """
    try:
        said = str(error).strip()
    except Exception:
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def shown(value: Any) -> str:
    """A value as it may stand in a message: what is long or deep is shortened before it is written.

    >>> shown([list(range(1000))] * 1000)
    '[[0, 1, 2, ...], [0, 1, 2, ...], [0, 1, 2, ...], ...]'
    """
    short = reprlib.Repr()
    short.maxlevel, short.maxlist, short.maxtuple, short.maxdict = 3, 3, 3, 3
    short.maxstring = short.maxother = short.maxlong = 60
    if isinstance(value, int) and value.bit_length() > 1000:  # Python would refuse to write it
        return f"a whole number of about {value.bit_length() * 3 // 10:,} digits"
    return plain(short.repr(value), 100)


class DeclarationError(UnusableInput):
    """A sampler, a model or a claim that contradicts itself, found when it is declared."""


class Ended(SystemExit):
    """The run was told to end, by a signal: no part of it may take that for a failure of its own."""


class NotAffine(ValueError):
    """The update is not affine in the state, so the exact linear theory does not apply."""


class Absent(UnusableInput):
    """A sampler does not have the quantity that is asked for."""

    def __init__(self, quantity: str, sampler: str, reason: str) -> None:
        super().__init__(f"a quantity that {sampler} has", quantity, reason)


class Unstable(ArithmeticError):
    """The chain has no stationary law at these parameters; the message names what fails.

    ``remedy`` is empty where it is not known what would help.
    """

    def __init__(self, why: str, remedy: str = "") -> None:
        super().__init__(why)
        self.remedy = remedy
