"""What stands inside a line: words, formulas, links, numbers that tell their kind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reports.checking import check_characters, check_choice, check_latex, check_words
from sgtheory.errors import UnusableInput

# A verdict is shown by its word and a sign, so that it never depends on colour.
SIGNS = {
    "proved": "✓",
    "proved-if": "✓",
    "limit-only": "≈",
    "refuted": "✗",
    "confirmed": "✓",
    "inconclusive": "?",
    "a matter of degree": "~",
    "definition": "≔",
    "not-mathematical": "–",
    "conforms": "✓",
    "deviates": "✗",
    "crashed": "✗",
    "identified": "✓",
    "reproduced": "✓",
    "shape only": "≈",
    "not reproducible": "?",
    "contradicts its formulas": "✗",
    "new": "✓",
    "failed": "✗",
}
NUMBER_KINDS = ("exact", "certified", "estimated")
_INTERNAL = re.compile(
    r"(?P<slug>[A-Za-z0-9][A-Za-z0-9._/-]*)?(#(?P<anchor>[A-Za-z][A-Za-z0-9._-]*))?\Z"
)
_OUTSIDE = re.compile(r"(https?://|mailto:)[^\s\"'<>]+\Z")


@dataclass(frozen=True)
class Math:
    """A formula inside a line; ``text`` is its form for terminals, made from the LaTeX when absent."""

    latex: str
    text: str | None = None

    def __post_init__(self) -> None:
        check_latex(self.latex)


@dataclass(frozen=True)
class Link:
    """A link to a page (``slug``), a place on one (``slug#anchor``, ``#anchor``) or the web (``https://``).

    One that is ``typed`` has a name as its words, such as that of a sampler.

    >>> Link("the covariance", "mandt2017.eq13#why").target
    ('mandt2017.eq13', 'why')
    >>> Link("the paper", "https://example.org/paper").outside
    True
    """

    text: str
    href: str
    typed: bool = False

    def __post_init__(self) -> None:
        check_words(self.text, "a link's text")
        if not self.outside and not (self.href and _INTERNAL.match(self.href)):
            raise UnusableInput(
                "a link to a page's slug, a #anchor, or an http(s) or mailto address",
                repr(self.href),
                "write slug, slug#anchor, #anchor or https://...",
            )

    @property
    def outside(self) -> bool:
        """Whether the link leaves the report."""
        return bool(_OUTSIDE.match(self.href))

    @property
    def target(self) -> tuple[str, str]:
        """Slug and anchor of a link inside the report; an empty slug is the same page."""
        slug, _, anchor = self.href.partition("#")
        return slug, anchor


@dataclass(frozen=True)
class Strong:
    """Words that carry weight."""

    text: str

    def __post_init__(self) -> None:
        check_words(self.text, "strong words")


@dataclass(frozen=True)
class Mono:
    """A name or a command as it is typed."""

    text: str

    def __post_init__(self) -> None:
        check_words(self.text, "a typed name")


@dataclass(frozen=True)
class Number:
    """A number that says whether it is exact, certified (a bound on its error) or estimated.

    ``detail`` is that bound or standard error, as it should be printed.

    >>> Number("0.2496", "estimated", "0.0003").written
    '0.2496 ± 0.0003'
    """

    text: str
    kind: str = "exact"
    detail: str = ""

    def __post_init__(self) -> None:
        check_words(self.text, "a number")
        check_choice(self.kind, NUMBER_KINDS, "a kind of number")
        if self.kind == "exact" and self.detail:
            raise UnusableInput(
                "an exact number without an error", self.detail, "say certified or estimated"
            )

    @property
    def mark(self) -> str:
        """The mark that follows the number wherever it is printed; exact numbers have none."""
        return {"exact": "", "certified": "†", "estimated": "‡"}[self.kind]

    @property
    def written(self) -> str:
        """The number with its error."""
        return f"{self.text} ± {self.detail}" if self.detail else self.text


@dataclass(frozen=True)
class VerdictWord:
    """A verdict inside a line or a table cell: its sign, the word, and what that covers, if not all."""

    word: str
    scope: str = ""

    def __post_init__(self) -> None:
        check_verdict(self.word)
        check_characters(self.scope, "a verdict's scope")

    @property
    def said(self) -> str:
        """The word and its scope."""
        return f"{self.word} ({self.scope})" if self.scope else self.word

    @property
    def sign(self) -> str:
        """The sign beside the word."""
        return SIGNS[self.word]


@dataclass(frozen=True)
class EquationRef:
    """The number of a labelled equation on the same page."""

    label: str


Span = str | Math | Link | Strong | Mono | Number | VerdictWord | EquationRef
Text = Span | tuple[Span, ...]
_SPANS = (str, Math, Link, Strong, Mono, Number, VerdictWord, EquationRef)


def spans_of(text: Text) -> tuple[Span, ...]:
    """A text as a tuple of spans, whichever way it was given.

    >>> spans_of("words")
    ('words',)
    """
    return text if isinstance(text, tuple) else (text,)


_MARKUP = re.compile(r"\$(?P<math>[^$]+)\$|\*\*(?P<strong>[^*]+)\*\*|`(?P<mono>[^`]+)`")


def prose(words: str) -> tuple[Span, ...]:
    r"""Words with ``$formulas$``, ``**strong words**`` and ```typed names``` as spans.

    >>> prose(r"At **every** $\epsilon > 0$.")
    ('At ', Strong(text='every'), ' ', Math(latex='\\epsilon > 0', text=None), '.')
    """
    spans: list[Span] = []
    end = 0
    for found in _MARKUP.finditer(words):
        if found.start() > end:
            spans.append(words[end : found.start()])
        if found["math"]:
            spans.append(Math(found["math"]))
        elif found["strong"]:
            spans.append(Strong(found["strong"]))
        else:
            spans.append(Mono(found["mono"]))
        end = found.end()
    if end < len(words):
        spans.append(words[end:])
    return tuple(spans)


def check_text(text: object, what: str) -> None:
    """Raise where a text is not made of spans."""
    parts = text if isinstance(text, tuple) else (text,)
    for part in parts:
        if not isinstance(part, _SPANS):
            raise UnusableInput(
                f"{what} made of words and spans", repr(part)[:80], "use str, Math, Link, ..."
            )
        if isinstance(part, str):
            check_characters(part, what)


def check_verdict(word: str) -> None:
    """Raise where a verdict is none of the words."""
    check_choice(word, tuple(SIGNS), "a verdict")
