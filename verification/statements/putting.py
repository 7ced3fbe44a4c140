"""What is given put into a statement: a law in numbers, or that without a preconditioner."""

from __future__ import annotations

from functools import partial
from typing import Any

from verification.statements.entry import setting_of
from verification.statements.given_numbers import in_numbers
from verification.statements.without_gain import without_gain


def put_in(
    of: Any, time: str, statement: Any, given: tuple[Any, ...], letters: tuple[Any, ...]
) -> tuple[tuple[Any, ...], Any, tuple[Any, ...]]:
    """What is given put in: a law in numbers, or that without a preconditioner, or both."""
    if not of:
        return (), of, given
    found = in_numbers(of, partial(setting_of, of), time, statement, given, letters)
    if found is not None:
        return (found[0],), "", found[1]
    gained = without_gain(of, statement, given)
    if gained is None:
        return (), of, given
    law, plain, given = gained
    known = in_numbers(plain, partial(setting_of, plain), time, law.meant(statement), given, letters)
    return ((law,), plain, given) if known is None else ((law, known[0]), "", known[1])
