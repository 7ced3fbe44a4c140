r"""Where statements, tables of letters and samplers stand in a text, Markdown or LaTeX.

A statement is a paragraph that begins with its name, ``**Claim 3** (Eq. 7).``, or an environment,
``\begin{claim}[Eq. 7] ... \end{claim}``; where none does, one of a numbered list that has a
formula, ``3. $x < y$``. Letters are declared in a table under a head "letter";
a sampler is a line ``Sampler: sgd, in discrete time.`` or a fenced block of updates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sgtheory.notation.naming import GREEK

_NAMES = "Claim|Theorem|Lemma|Proposition|Corollary|Statement|Observation"
# Repetitions give nothing back (++, *+) where they could: that a line is none of these is seen in one
# pass, whatever it is made of.
# what stands in brackets behind a name, unless a formula begins with it
_PLACE = r"(?:\((?P<place>[^)]*)\)(?![ \t]*[-+*/^=<>]))?[ \t]*+[.:]?"
_CLAIM = re.compile(
    rf"\s*+(?:[-*]\s++)?\*\*\s*+(?P<name>{_NAMES})\s++(?P<number>[A-Za-z0-9][A-Za-z0-9.]*?)?\.?\s*+"
    r"(?:\((?P<inner>[^)*]*)\))?[ \t]*+[.:]?[ \t]*+\*\*[ \t]*+" + _PLACE
)
_BOLD = re.compile(
    rf"\s*+(?:\\item\s*+)?\\textbf\{{\s*+(?P<name>{_NAMES})\s++"
    r"(?P<number>[A-Za-z0-9][A-Za-z0-9.]*?)\.?\s*+\}[ \t]*+" + _PLACE
)
_NUMBERED = re.compile(
    r"\s*+(?P<name>)(?P<number>\d++)[.)]\s++(?=[^\n]*[$`])" + _PLACE
)  # of a text in which no statement has a name
_ITEM = re.compile(r"\s*+\d++[.)]\s")
_ENVIRONMENT = re.compile(
    rf"\\begin\{{(?P<what>{_NAMES.lower()}|sampler)\}}(?:\s*+\[(?P<place>[^\]]{{0,1000}})\])?"
    r"(?:\s*+\\label\{[^}]{0,1000}\})?\s*+"
)
_SAMPLER = re.compile(
    r"\s*+(?:[-*]\s++)?(?:\*\*|\\textbf\{)?\s*+[Ss]ampler\s*+(?:\}|\*\*)?\s*+:\s*+(?:\*\*|\})?\s*+(?P<said>.*)"
)
_FENCE = re.compile(r"\s*(```+|~~~+)\s*(?P<what>\S*)\s*(?P<name>\S*)")
_DISPLAY = re.compile(r"\\(?:begin|end)\{(?:equation|align|gather|multline|displaymath|math)\*?\}")
_HEADS = ("letter", "letters", "symbol", "symbols")


@dataclass(frozen=True)
class Mark:
    """A piece of a text: what it is, its words, and where these begin."""

    what: str  # "claim", "letters", "given", "sampler", "updates"
    body: str
    start: int
    name: str = ""
    number: str = ""
    place: str = ""


def marks(text: str, tex: bool) -> Iterator[Mark]:
    """The pieces of a text in their order."""
    found = (
        [*_of_latex(text), *_of_lines(_prepared(text), _rows_of_latex)]
        if tex
        else [*_of_lines(text, None)]
    )
    yield from sorted(found, key=lambda mark: mark.start)


def _prepared(text: str) -> str:
    """LaTeX without comments, displays between dollar signs; every sign stays where it was."""
    blank = lambda found: " " * len(found[0])  # noqa: E731
    text = re.sub(r"(?<!\\)%[^\n]*", blank, text)
    return _DISPLAY.sub(lambda found: "$$".ljust(len(found[0])), text)


def _of_latex(text: str) -> Iterator[Mark]:
    """Environments; one that is begun and never ended is none."""
    text, counts, at, endless = _prepared(text), dict[str, int](), 0, set[str]()
    while found := _ENVIRONMENT.search(text, at):
        what, at = found["what"], found.end()
        end = -1 if what in endless else text.find(f"\\end{{{what}}}", at)
        if end < 0:
            endless.add(what)
            continue
        body, start, at = text[at:end], at, end
        if what == "sampler":
            yield Mark("updates", body, start, found["place"] or "sampler")
            continue
        counts[what] = counts.get(what, 0) + 1
        yield Mark("claim", body, start, what, str(counts[what]), found["place"] or "")


def _rows_of_latex(line: str) -> str:
    return re.sub(r"\\\\(\[[^\]]*\])?|\\(hline|toprule|midrule|bottomrule)", "", line).replace("&", "|")


def _of_lines(text: str, rows: object) -> Iterator[Mark]:
    """By lines: tables, samplers, and paragraphs that begin as statements do."""
    lines = [(found.start(), found[0]) for found in re.finditer(r"[^\n]*\n?", text) if found[0]]
    named = rows is not None or any(_CLAIM.match(line) for _, line in lines)
    begins = _BOLD if rows is not None else _CLAIM if named else _NUMBERED
    k, table, claims = 0, False, 0
    while k < len(lines):
        start, line = lines[k]
        fence = _FENCE.match(line) if rows is None else None
        cells = (_rows_of_latex(line) if rows else line).strip().strip("|").split("|")
        if fence:
            end = _after_fence(lines, k, fence[1])
            if fence["what"] == "sampler":
                body = "".join(one for _, one in lines[k + 1 : end - 1])
                yield Mark(
                    "updates",
                    body,
                    lines[k + 1][0] if k + 1 < len(lines) else start,
                    fence["name"] or "sampler",
                )
            k = end
        elif claim := begins.match(line):
            claims += 1
            end = _paragraph(lines, k, begins if named else _ITEM)
            body = "".join(one for _, one in lines[k:end])[claim.end() :]
            inner = claim.groupdict().get("inner")
            place = (claim["place"] or inner or "").strip()
            yield Mark(
                "claim",
                body,
                start + claim.end(),
                claim["name"] or "Statement",
                claim["number"] or str(claims),
                place,
            )
            k, table = end, False
        elif sampler := _SAMPLER.match(line):
            yield Mark("sampler", sampler["said"], start + sampler.start("said"))
            k += 1
        elif _ITEM.match(line):  # of a list: it says nothing of letters
            k, table = k + 1, False
        else:
            is_row = _is_row(cells, table, claims)
            table = is_row and (table or len(cells) > 1)
            if (
                is_row
                and cells[0].strip(" $*").lower() not in _HEADS
                and not set(cells[0]) <= set(" :-")
            ):
                yield Mark("letters", "|".join(cells), start)
            elif not table and (given := _hypothesis(line)):
                yield Mark("given", given, start + line.index(given))
            k += 1


def _is_row(cells: list[str], table: bool, claims: int) -> bool:
    """Whether a line is one of a table of letters: under its heads, or before all claims."""
    if cells[0].strip(" $*").lower() in _HEADS and len(cells) > 1:
        return True
    if table:
        return len(cells) > 1 or re.search(r"[<>=≤≥]|\\[lg]e", cells[0]) is not None
    if not claims and len(cells) == 1 and re.search(r"[<>≤≥]", cells[0]):
        words = re.findall(r"\\?[A-Za-z]{3,}", cells[0])  # a line such as beta < 1, and no prose
        return all(w.lstrip("\\") in (*GREEK, "sqrt", "le", "leq", "ge", "geq", "frac") for w in words)
    return (
        not claims
        and len(cells) in (2, 3)
        and re.fullmatch(r"\s*[\w$\\, {}]{1,40}", cells[0]) is not None
    )


def _hypothesis(line: str) -> str:
    """A relation that stands by itself, or a sentence that gives one; else nothing.

    >>> [_hypothesis(s) for s in ("beta < 1", "Assume $h < 2/L$ throughout.", "Here a < b is odd.")]
    ['beta < 1', 'Assume $h < 2/L$ throughout.', '']
    """
    said = line.strip().strip("*").strip()
    if not _SIGN.search(said) or said.startswith(("|", "#", ">", "-", "%")):
        return ""
    words = re.findall(r"(?<![\\\w])[A-Za-z]{2,}", re.sub(r"_\{?\w+\}?", "", said))
    strange = [w for w in words if w.lower() not in _GREEK and w not in _PLAIN]
    return said if len(strange) < 2 or _SUPPOSES.match(said) else ""


_SIGN = re.compile(r"[<>=≤≥]|\\l(?:e|eq|t)\b|\\g(?:e|eq|t)\b")
_SUPPOSES = re.compile(r"(?:we\s+)?(?:assume|suppose|throughout)\b", re.IGNORECASE)
_GREEK = frozenset(GREEK) | {"eps", "epsilon"}
_PLAIN = frozenset(("and", "tr", "det", "sqrt", "exp", "log", "lambda_max", "lambda_min", "max", "min"))


def _after_fence(lines: list[tuple[int, str]], k: int, fence: str) -> int:
    for end in range(k + 1, len(lines)):
        if lines[end][1].strip().startswith(fence):
            return end + 1
    return len(lines)


def _paragraph(lines: list[tuple[int, str]], k: int, others: re.Pattern[str]) -> int:
    """Where a paragraph ends; after a colon a display that follows belongs to it."""
    end = k + 1
    while end < len(lines) and lines[end][1].strip() and not others.match(lines[end][1]):
        end += 1
    if lines[end - 1][1].rstrip().endswith((":", "$$")) or _opens_display(lines[k:end]):
        after = end
        while after < len(lines) and not lines[after][1].strip():
            after += 1
        follows = lines[after][1].strip() if after < len(lines) else ""
        displayed = follows.startswith(("$$", "\\[", ">")) and lines[end - 1][1].rstrip().endswith(":")
        if displayed or (_opens_display(lines[k:end]) and after < len(lines)):
            end = after + 1
            while end < len(lines) and lines[end][1].strip() and not others.match(lines[end][1]):
                end += 1
    return end


def _opens_display(lines: list[tuple[int, str]]) -> bool:
    return "".join(one for _, one in lines).count("$$") % 2 == 1
