"""Formulas as programs print them, found in sentences and read into LaTeX.

Other rooms write sentences for terminals: ``gamma <= Sigma/(Sigma**2 + V22)``. Pages typeset what is a
formula in them and leave words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reports.math.grammar import NotAFormula, Reader, Token
from reports.math.writing import latex_of, terms_of

_TOKEN = re.compile(
    r"(?P<number>\d+(?:,\d{3})+(?![\d.])|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z](?:~|\w*)\w*(?:'(?!s\b))*(?:\*(?=[\s),.;]|$))?)"
    r"|(?P<sign>\*\*|<=|>=|!=|==|->|<-|[-+*/^()\[\],=<>|])",
)
_REFERENCE = re.compile(
    r"(?:[Tt]heorems?|[Ll]emmas?|[Cc]orollary|[Cc]orollaries|[Pp]ropositions?|[Ss]ections?|[Aa]ppendix|[Aa]lgorithms?|"
    r"[Ff]igures?|[Tt]ables?|[Ee]q\.|[Ee]qs\.|[Ee]quations?|[Aa]ssumptions?|[Pp]arts?|[Pp]anels?)\s+$"
)
_LONG = 44  # letters of LaTeX beyond which a formula may be broken between its terms


def formulas_in(words: str) -> Iterator[tuple[str, str | None]]:
    r"""The pieces of a sentence, each with its LaTeX where it is a formula.

    >>> list(formulas_in("It holds if gamma <= 1/(2*N), at most."))
    [('It holds if ', None), ('gamma <= 1/(2*N)', '\\gamma \\le \\frac{1}{2 N}'), (', at most.', None)]
    """
    words = re.sub(r"(?<=\d) x (?=\d)", " × ", words)
    tokens = [Token.of(found) for found in _TOKEN.finditer(words)]
    shown = place = 0
    while place < len(tokens):
        found = _formula_at(words, tokens, place)
        if found is None:
            place += 1
            continue
        after, latex = found
        start, end = tokens[place].start, tokens[after - 1].end
        if start > shown:
            yield words[shown:start], None
        yield from _pieces(words[start:end], latex)
        shown, place = end, after
    if shown < len(words):
        yield words[shown:], None


def formula(text: str) -> str | None:
    r"""The LaTeX of a text that is one formula as a whole; None where it is not.

    >>> formula("x <- sqrt(h)*xi - 2*h*x"), formula("no formula")
    ('x \\leftarrow \\sqrt{h} \\xi - 2 h x', None)
    """
    tokens = [Token.of(found) for found in _TOKEN.finditer(text)]
    try:
        tree, after = Reader(text, tokens, free=True).read(0)
    except NotAFormula:
        return None
    whole = after == len(tokens) and not _TOKEN.sub("", text).strip()
    return latex_of(tree) if whole else None


def _formula_at(words: str, tokens: list[Token], place: int) -> tuple[int, str] | None:
    """Where a formula that begins at a token ends, and its LaTeX."""
    first = tokens[place]
    before = words[: first.start]
    if _REFERENCE.search(before) and first.kind in ("number", "name"):
        return None
    if before[-1:].isalnum() or before[-1:] in ("_", "'", ".", "§", "\\", "~"):
        return None
    best: tuple[int, str] | None = None
    for free in (False, True):
        try:
            tree, after = Reader(words, tokens, free).read(place)
        except NotAFormula:
            continue
        here = tokens[place:after]
        if free and not _is_code(words, here):
            continue
        if (best is None or after > best[0]) and _worth(words, tokens, place, after):
            best = after, latex_of(tree)
    return best


def _is_code(words: str, here: list[Token]) -> bool:
    """Whether words of several letters are names in it: a program multiplies or calls them."""
    first = words[here[0].start : here[0].end + 1]
    starts = here[0].kind != "name" or here[0].is_letter or first[-1] in "([*"
    return starts and any(t.text in ("*", "**") for t in here)


def _worth(words: str, tokens: list[Token], place: int, after: int) -> bool:
    """Whether what could be read as a formula is one, and no word or number of a sentence."""
    here = tokens[place:after]
    names = [t for t in here if t.kind == "name"]
    if len(here) == 1:
        only = here[0]
        if only.kind == "number":
            return "e" in only.text.lower()
        if only.text in ("a", "I"):
            return False
        starts = not words[: only.start].strip() or words[: only.start].rstrip()[-1] in ".:;"
        if only.text == "A" and starts and not re.match(r" (and|is|commutes) ", words[only.end :]):
            return False
        follows = words[only.end : only.end + 1]
        return only.is_letter and follows not in ("'", "’") and not re.match(r"\.\w", words[only.end :])
    if not names:
        return any(t.text in ("**", "^", "<=", ">=", "/", "*", "<", ">") for t in here)
    # "a (2)" and "(a)" are words
    return (
        any(t.text not in ("(", ")", ",", "|") for t in here if t.kind == "sign")
        or len(names) > 1
        or (here[0].is_letter and here[0].text != "a")
        or here[0].kind == "number"
        or len(here) > 3
    )


def _pieces(text: str, latex: str) -> Iterator[tuple[str, str | None]]:
    """A formula, or its terms one by one where it is long, so that a line may end between them."""
    terms = terms_of(latex) if len(latex) > _LONG else [latex]
    for place, term in enumerate(terms):
        if place:
            yield " ", None
        yield (text if len(terms) == 1 else ""), term
