"""Entries for checks to be tried on: judged as any other, and then made wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verification.auditing.entries import Judged
from verification.statements import claim
from verification.verdicts.verdict import Finding, Twins, Verdict


def judged(title: str = "A statement", says: str = "", **stated: Any) -> Judged:
    """An entry of a paper of its own, with the verdict that the one order comes to."""
    entry = claim(stated.pop("key", "eq1"), at="Eq. 1", title=title, says=says, **stated)
    return of(replace(entry, paper="sample"))


def of(entry: Any) -> Judged:
    """An entry with its verdict."""
    return with_finding(entry, entry.find())


def with_finding(entry: Any, finding: Finding) -> Judged:
    """An entry with a verdict that may be wrong."""
    return Judged(Verdict(entry, finding, None, None, Twins(0, 0)))


def changed(one: Judged, **parts: Any) -> Judged:
    """A judged entry with parts of its finding changed."""
    return with_finding(one.claim, replace(one.verdict.finding, **parts))
