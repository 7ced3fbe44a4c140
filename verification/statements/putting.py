"""What is given put into a statement: a law in numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

from verification.laws.quantities import setting_of
from verification.statements.given_numbers import in_numbers


def put_in(
    of: Any,
    time: str,
    statement: Any,
    given: tuple[Any, ...],
    letters: tuple[Any, ...],
    noiseless: bool = False,
) -> tuple[tuple[Any, ...], Any, tuple[Any, ...]]:
    """The law in numbers, if any, of which sampler the rest is, and what is given then."""
    setting = partial(setting_of, of)
    found = in_numbers(of, setting, time, statement, given, letters, noiseless) if of else None
    return ((), of, given) if found is None else ((found[0],), "", found[1])
