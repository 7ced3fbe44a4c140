"""Claims judged by several processes: verdicts come in the order of the claims, whatever ends first."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from verification.judging import processes
from verification.measuring.ensembles import Plan

T = TypeVar("T")

_WORTH = 8  # claims: a process takes a second or two to begin


def each(
    judged: Callable[[Any, Plan], T],
    planned: Sequence[tuple[Any, Plan]],
    jobs: int | None = None,
    lost: Callable[[Any, Plan], T] | None = None,
) -> Iterator[T]:
    """What a function of this package says of each claim under its plan.

    Without ``jobs``, or with one claim, it is asked in this process; else in up to so many others, so
    that a process which dies takes one claim with it: of that one ``lost`` is asked here.
    """
    if jobs is None or len(planned) < 2:
        yield from (judged(claim, plan) for claim, plan in planned)
        return
    letters = [(judged, letter_of(*pair)) for pair in planned]
    ended = _Ended() if lost is not None else None
    workers = min(jobs, len(planned) // _WORTH + 1)
    about = [about_sampler(claim) for claim, _ in planned]
    answers: Iterator[Any] = processes.each(_answer, letters, workers, ended, about)
    for (claim, plan), answer in zip(planned, answers, strict=True):
        if answer is ended and lost is not None:
            yield lost(claim, plan)
        elif isinstance(answer, bytes):
            yield pickle.loads(answer)
        else:  # what cannot travel is made here
            yield judged(claim, plan)


@dataclass(frozen=True)
class _Ended:
    """In place of an answer: the process that was asked is no more."""


@dataclass(frozen=True)
class _InFile:
    """A claim of a plain file, by its key: its class is in no module that could be imported."""

    source: str
    key: str

    def claim(self) -> Any:
        """The claim, in a process that reads the file."""
        from verification.library import select

        (found,) = (c for c in select((self.source,)) if c.key == self.key)
        return found


def about_sampler(claim: Any) -> str | None:
    """The name of the sampler that a claim is on, if it has one of ours."""
    return claim.of if isinstance(claim.of, str) and claim.of else None


def letter_of(claim: Any, plan: Plan) -> bytes | None:
    """A claim and its plan as they travel, if they can."""
    try:
        return pickle.dumps((_InFile(claim.source, claim.key) if claim.source else claim, plan))
    except Exception:
        return None


def opened(letter: bytes) -> tuple[Any, Plan]:
    """The claim and the plan of a letter, in the process that it has come to."""
    claim, plan = pickle.loads(letter)
    return claim.claim() if isinstance(claim, _InFile) else claim, plan


def _answer(judged: Callable[[Any, Plan], Any], letter: bytes | None) -> bytes | None:
    """In another process: what is said of a claim, or None where that or the claim cannot travel."""
    if letter is None:
        return None
    try:
        claim, plan = opened(letter)
    except Exception:
        return None
    found = judged(claim, plan)
    try:
        return pickle.dumps(found)
    except Exception:
        return None
