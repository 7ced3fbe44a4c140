"""Numbers on pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.statements import Equal, letters
from verification.verdicts.verdict import Evidence

_BESIDE = ("error", "errors", "at", "where", "standard_error", "how", "bounds")


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """A number that was worked out in decimals stands beside its error, or the place it is exact at."""
    for reading in judged.readings:
        for evidence in reading.finding.evidence:
            if evidence.route in ("ensemble", "operator"):  # of which each number has its error
                continue
            for name, value in _bare(evidence.data):
                words = f"{name} = {value:.6g} has no error beside it{reading.words}."
                yield judged, words, "give its error, or a second route", {"number": name}


def _bare(data: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    told = any(name in data for name in _BESIDE)
    for name, value in data.items():
        if isinstance(value, float) and not told and name != "seconds":  # which are no result
            yield name, value
        elif isinstance(value, Mapping) and name not in ("problem", "at"):
            yield from _bare(value)


def good() -> tuple[Judged, ...]:
    """A number with its error."""
    return (_with({"value": 0.5, "error": 1e-9}),)


def bad() -> tuple[Judged, ...]:
    """A number alone."""
    return (_with({"value": 0.5}),)


def _with(data: Mapping[str, Any]) -> Judged:
    x, y = letters("x y")
    one = _samples.judged(printed=Equal(x * y, y * x))
    return _samples.changed(one, evidence=(Evidence("symbolic", "A number.", data),))
