"""What every part of a page must satisfy when it is made."""

from __future__ import annotations

import re

from sgtheory.errors import UnusableInput

_ANCHOR = re.compile(r"[A-Za-z][A-Za-z0-9._-]*\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def check_words(text: object, what: str) -> None:
    """Raise where plain words are missing or are no words."""
    if not isinstance(text, str) or not text.strip():
        raise UnusableInput(f"{what} that is not empty", repr(text)[:80], "write some words")
    check_characters(text, what)


def check_characters(text: str, what: str) -> None:
    """Raise where a text holds characters that XML cannot write, so that no page could carry it."""
    if _CONTROL.search(text):
        raise UnusableInput(f"{what} without control characters", repr(text)[:80], "remove them")


def check_latex(latex: object) -> None:
    """Raise where a formula is empty, has an empty line, or brings its own dollars."""
    check_words(latex, "a formula in LaTeX")
    written = str(latex).strip()
    if re.search(r"\n\s*\n|\$\$", written) or written[0] == "$" or re.search(r"(?<!\\)\$\Z", written):
        got = " ".join(written.split())[:80]
        raise UnusableInput("LaTeX of one formula, without $ or empty lines", got, "pass it alone")


def check_anchor(anchor: str) -> None:
    """Raise where a place cannot be named so in every format."""
    if not _ANCHOR.match(anchor):
        raise UnusableInput(
            "an anchor or label of letters, digits, dots and dashes that begins with a letter",
            repr(anchor),
            "rename it",
        )


def check_choice(choice: str, choices: tuple[str, ...], what: str) -> None:
    """Raise where something is none of the words it may be."""
    if choice not in choices:
        raise UnusableInput(f"{what} ({', '.join(choices)})", repr(choice), "choose one of these")


def check_some(items: object, what: str) -> None:
    """Raise where a tuple is empty or is no tuple."""
    if not isinstance(items, tuple) or not items:
        raise UnusableInput(f"{what} with something in it, as a tuple", repr(items)[:80], "give one")


def check_all(items: object, kind: type, what: str) -> None:
    """Raise where a tuple holds something of another kind."""
    if not isinstance(items, tuple) or not all(isinstance(item, kind) for item in items):
        raise UnusableInput(f"{what} as a tuple of {kind.__name__}", repr(items)[:80], "write (item,)")
