"""Pages of claims and samplers, kept between runs under everything that they are made from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from reports.document import Page, place_of
from reports.making import Fault, Task, announced, failed
from reports.pages.claim import claim_page, trail_of
from reports.pages.errata import Entry, entry, entry_without_page
from reports.pages.paper import about
from reports.pages.row import Row
from reports.results import is_kept, kept
from verification.judging.judge import lost
from verification.judging.keeping import verdict_of
from verification.judging.parallel import about_sampler, letter_of, opened
from verification.measuring.ensembles import Plan
from verification.verdicts.provenance import subject
from verification.verdicts.verdict import Verdict


@dataclass(frozen=True)
class Made:
    """A verdict as a row, as a page, as an entry of the errata, and as it goes into a file."""

    row: Row
    page: Page
    entry: Entry
    document: dict[str, Any] | None
    fault: Fault | None = None


def claim_task(claim: Any, plan: Plan) -> Task:
    """The page of a claim as one that is to be made; claims of a plain file are never kept.

    Another process makes it, which may die of it, unless the claim cannot travel.
    """
    again = f"sgtheory report {claim.source or claim.id}"
    letter = letter_of(claim, plan)
    make = partial(made, claim, plan) if letter is None else partial(_made_of, letter)
    is_there = not claim.source and is_kept(_name(claim, plan))
    return Task(_announced(claim), make, again, is_there, letter is None, about=about_sampler(claim))


def _announced(claim: Any) -> Page:
    paper = about(claim.paper, claim.source)
    return announced(place_of(claim.id), claim.title, "claim", trail=trail_of(claim, paper))


class _Faulty(Exception):
    """What must not be kept, as a part of it failed, or as another run may come to a verdict."""

    def __init__(self, made: Made) -> None:
        super().__init__()
        self.made = made


def _made_of(letter: bytes) -> Made:
    return made(*opened(letter))


def made(claim: Any, plan: Plan) -> Made:
    """One of them; what fails says so, and is made again at the next time."""
    try:
        if claim.source:
            return _make(claim, plan)
        return kept(_name(claim, plan), partial(_make, claim, plan))
    except _Faulty as faulty:
        return faulty.made


def died(claim: Any, plan: Plan) -> Made:
    """What is said of a claim whose process died under it."""
    try:
        return _of(lost(claim, plan))
    except _Faulty as faulty:
        return faulty.made


def _make(claim: Any, plan: Plan) -> Made:
    return _of(verdict_of(claim, plan))


def _of(verdict: Verdict) -> Made:
    claim, row, document = verdict.claim, Row.of_verdict(verdict), verdict.to_json()
    try:
        whole = Made(
            row, claim_page(verdict, about(claim.paper, claim.source)), entry(verdict), document
        )
    except Exception as error:
        page, fault = failed(_announced(claim), error, f"sgtheory report {claim.source or claim.id}")
        raise _Faulty(Made(row, page, entry_without_page(row), document, fault)) from error
    if verdict.broken is not None:
        words = " ".join(f"not judged: {verdict.finding.reason}".split())
        raise _Faulty(replace(whole, fault=Fault(whole.page.slug, words)))
    return whole


def undecided(claim: Any, page: Page, fault: Fault) -> Made:
    """What stands for a claim whose verdict could not be made, with the page that says so."""
    row = Row.of_claim(claim, "inconclusive")
    return Made(row, page, entry_without_page(row), None, fault)


def _name(claim: Any, plan: Plan) -> str:
    return f"{subject(claim)} {plan!r}"
