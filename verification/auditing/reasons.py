"""Why something that a check finds stays: a reason for an entry and a check, beside the papers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from sgtheory.notation.sentence import Sentence, sentence
from verification import papers
from verification.auditing.checking import Defect

FILE = "audit_reasons.toml"
EVERY = "every entry"  # a reason for all that a check finds


@cache
def reasons() -> dict[tuple[str, str], Sentence]:
    """The reasons that are given, by entry and check.

    >>> all(reasons().values())
    True
    """
    (folder,) = papers.__path__
    told = tomllib.loads((Path(folder) / FILE).read_text())
    return {(id_, kind): sentence(why) for kind, of in told.items() for id_, why in of.items()}


def with_reasons(found: Iterable[Defect]) -> list[tuple[Defect, str]]:
    """What is found, each with the reason why it stays, or none."""
    known = reasons()
    none = sentence("")
    return [(one, known.get((one.id, one.kind), known.get((EVERY, one.kind), none))) for one in found]
