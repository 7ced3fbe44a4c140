"""Words that every emitter shares."""

from __future__ import annotations

from reports.document import (
    EquationRef,
    Link,
    Math,
    Mono,
    Number,
    Page,
    Span,
    Strong,
    Text,
    VerdictWord,
    spans_in,
    spans_of,
)

LEGEND = "Numbers without a mark are exact, up to rounding in print"
MARKS = {
    "certified": ("†", "certified: computed together with a bound on its error"),
    "estimated": (
        "‡",
        "estimated: measured, ± its standard error, or half its interval where a table says so",
    ),
}


def legend(page: Page) -> str:
    """What the marks at numbers mean, if the page has any."""
    kinds = {span.kind for span in spans_in(page.blocks) if isinstance(span, Number)}
    told = [f"{mark} {meaning}" for kind, (mark, meaning) in MARKS.items() if kind in kinds]
    return "; ".join((LEGEND, *told)) + "." if told else ""


def words(text: Text, numbers: dict[str, int] | None = None) -> str:
    """A text as plain words: for a terminal, a description or a tooltip.

    >>> words(("Is ", Math(r"\\lambda_i"), " ", VerdictWord("proved"), "?"))
    'Is λ_i ✓ proved?'
    """
    return "".join(_word(span, numbers or {}) for span in spans_of(text))


def _word(span: Span, numbers: dict[str, int]) -> str:
    from reports.math.plain import plain

    match span:
        case str():
            return span
        case Math(latex, text):
            return text or plain(latex)
        case Link(text) | Strong(text) | Mono(text):
            return text
        case Number():
            return span.written + span.mark
        case VerdictWord():
            return f"{span.sign} {span.said}"
        case EquationRef(label):
            return f"({numbers.get(label, label)})"
