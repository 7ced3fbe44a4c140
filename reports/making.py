"""Pages that are to be made: what is known of each before, and what stands in its place if it fails."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from reports.document import FAILED, Code, Details, Link, Note, Page, Paragraph, Strong, Text
from sgtheory.errors import told

_LONGEST = 300  # letters of a reason
_DEEP = 6000  # letters of what Python says of it


@dataclass(frozen=True)
class Fault:
    """A page that could not be made as it should be, and why, in a line."""

    slug: str
    reason: str


@dataclass(frozen=True)
class Task:
    """A page that is to be made: as it is announced, what makes it, and whether that is kept already.

    ``make`` returns the page, or something that has it as ``page``. What is to be made ``here`` is not
    handed to another process; what is ``about`` one sampler is handed to one.
    """

    announced: Page
    make: Callable[[], Any]
    again: str
    is_kept: bool = False
    here: bool = False
    about: str | None = None


@dataclass(frozen=True)
class Died:
    """In place of what a task makes: the process that was making it is no more."""


DIED = Died()


def announced(
    slug: str, title: str, kind: str, summary: Text = "", trail: tuple[Link, ...] = ()
) -> Page:
    """A page as far as it is known before it is made."""
    return Page(slug, _clean(title).strip() or slug, (), kind, summary, trail)


def attempted(task: Task) -> Any:
    """What a task makes; where that raises, the page that says so, as a pair with its fault."""
    try:
        return task.make()
    except Exception as error:
        return failed(task.announced, error, task.again)


def failed(page: Page, error: BaseException, again: str) -> tuple[Page, Fault]:
    """The page that says that another could not be made, why, and how to try again.

    >>> page, fault = failed(Page("sampler-sgd", "SGD", ()), ValueError("no such law"), "again")
    >>> page.slug, fault.reason
    ('sampler-sgd', 'ValueError: no such law')
    """
    fault = Fault(page.slug, reason_of(error))
    whole = "".join(traceback.format_exception(error))[-_DEEP:]
    blocks = (
        Note("caution", (Paragraph(Strong("This page could not be made.")), Paragraph(fault.reason))),
        Paragraph("To try again; pages that were made are kept:"),
        Code(_clean(again), "sh"),
        Details("What Python says", (Code(_clean(whole, lines=True)),)),
    )
    summary = "This page could not be made."
    return replace(page, blocks=blocks, kind=FAILED, summary=summary, trail=page.trail[:1]), fault


def reason_of(error: BaseException) -> str:
    """An error in one line of sensible length, with nothing in it that a page could not carry.

    >>> reason_of(KeyError("eps"))
    "KeyError: 'eps'"
    """
    words = _clean(" ".join(told(error).split()))
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} ..."


def _clean(text: str, lines: bool = False) -> str:
    return "".join(c if c.isprintable() or (lines and c == "\n") else " " for c in text)
