"""Assumptions that the step is small, beside statements about steps as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.notation import A, C, S, Sigma, eps
from verification.statements import Assumption, Equal


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """What is said of the algorithm as it runs assumes no small step, but where a limit is found."""
    claim, gap = judged.claim, judged.verdict.finding.gap
    for one in claim.given if getattr(claim, "time", "") == "discrete" else ():
        small = getattr(one, "small", ())
        if small and (gap is None or gap.parameter not in small):
            words = f"It is about steps as they are, and it is given that {one.words}."
            yield judged, words, "leave the assumption out", {"hypothesis": one.words}


def good() -> tuple[Judged, ...]:
    """The law of SGD to first order in the step, of which that is given; and its whole law."""
    small = Assumption("the step is small", small=("eps",))
    first = Equal(A * Sigma + Sigma * A, eps / S * C)
    whole = Equal(A * Sigma + Sigma * A - eps * A * Sigma * A, eps / S * C)
    return (
        _samples.judged(printed=first, of="sgd", time="discrete", given=(small,)),
        _samples.judged(printed=whole, of="sgd", time="discrete"),
    )


def bad() -> tuple[Judged, ...]:
    """The whole law, with the assumption."""
    first, whole = good()
    claim = replace(whole.claim, given=first.claim.given)
    return (_samples.with_finding(claim, whole.verdict.finding),)
