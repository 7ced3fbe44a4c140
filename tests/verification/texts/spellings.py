"""Other spellings of a statement of a text, made from how it is spelt: none may change its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

_FLIPPED = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le", "=": "="}
_CLAIM = re.compile(
    r"\*\*Claim (?P<name>[\w.]+?)\.?\*\*(?: \([^)]*\))?\.? (?P<body>.*?)(?=\n\n|\Z)", re.S
)
_FRACTION = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
_LISTED = re.compile(r",\s*(?:and\s+)?|\s+and\s+")


@dataclass(frozen=True)
class Statement:
    """What is given, what is said, and under which condition alone: formulas, or words of a chain."""

    said: str
    given: tuple[str, ...] = ()
    when: str = ""

    def text(self, way: str = "front") -> str:
        """The statement with its hypotheses where a way of saying puts them."""
        said = f"{self.said} if and only if {self.when}" if self.when else self.said
        if not self.given:
            return said
        *first, last = self.given
        given = f"{', '.join(first)} and {last}" if first else last
        return _WAYS[way].format(given=given, said=said)


_WAYS = {
    "front": "If {given}, then {said}", "without then": "If {given}, {said}",
    "behind": "{said} if {given}", "provided": "{said}, provided that {given}",
    "before": "Provided that {given}, {said}",
    "suppose": "Suppose that {given}. Then {said}", "implies": "{given} implies that {said}",
    "whenever": "{said} whenever {given}", "for every h": "For every h with {given}, {said}",
}  # fmt: skip
_BEHIND = ("behind", "provided", "whenever")  # of what is said, and not of its condition


def parsed(body: str) -> Statement | None:
    """A statement of an easy shape; None of another."""
    body = " ".join(body.split()).rstrip(".")
    found = re.fullmatch(r"If (.+?), then (.+)", body)
    given = tuple(_LISTED.split(found[1])) if found else ()
    said, _, when = (found[2] if found else body).partition(" if and only if ")
    easy = not re.search(r"\bas \$|O\(|->|Suppose|\. [A-Z]", body) and not body.startswith("In ")
    return Statement(said, given, when) if easy else None


def spellings(of: Statement) -> Iterator[tuple[str, str]]:
    """Each with what was done to it."""
    ways = [way for way in _WAYS if way != "front" and not (of.when and way in _BEHIND)]
    yield from ((way, of.text(way)) for way in (ways if of.given else ()))
    if len(of.given) > 1:
        yield "hypotheses exchanged", replace(of, given=of.given[::-1]).text()
    for k, one in enumerate(of.given):
        for name, other in relations(one):
            given = (*of.given[:k], other, *of.given[k + 1 :])
            if not re.match(r"\$?[SDAC] =", one) or name == "sides exchanged":  # a letter that is set
                yield f"given: {name}", replace(of, given=given).text()
    if of.when:
        yield "condition first", replace(of, said=of.when, when=of.said).text()
        for word in ("exactly when", "precisely if", "if, and only if,"):
            yield word, of.text().replace("if and only if", word)
        for name, other in relations(of.when):
            yield f"condition: {name}", replace(of, when=other).text()
        return
    yield from ((name, replace(of, said=other).text()) for name, other in relations(of.said))
    yield "and what is declared", replace(of, said=f"{of.said} and $0 < h$").text()


def relations(formula: str) -> Iterator[tuple[str, str]]:
    """A relation between formulas otherwise: in its sides, or how they are written."""
    sides, signs = _sides(formula)
    if len(signs) > 1:
        pairs = zip(sides, signs, sides[1:], strict=False)
        yield "split", " and ".join(f"${a} {sign} {b}$" for a, sign, b in pairs)
    if len(signs) != 1:
        return
    (left, right), (sign,) = sides, signs
    flipped = _FLIPPED[sign]
    yield "sides exchanged", f"${right} {flipped} {left}$"
    yield "on one side", f"${left} - ({right}) {sign} 0$"
    yield "twice", f"$2 ({left}) {sign} 2 ({right})$"
    yield "times a positive letter", f"$h ({left}) {sign} h ({right})$"
    yield "with its sign changed", f"$-({left}) {flipped} -({right})$"
    if _FRACTION.search(formula):
        yield "powers for fractions", _FRACTION.sub(r"(\1) (\2)^{-1}", formula)


def _sides(formula: str) -> tuple[list[str], list[str]]:
    """The sides of a chain of relations, and the signs between them; nothing of words."""
    inside = formula[1:-1] if re.fullmatch(r"\$[^$]+\$", formula) else formula
    if "$" in inside or re.search(r"\b(?:the|is|chain)\b", inside):
        return [], []
    depth, sides, signs, k = 0, [""], list[str](), 0
    while k < len(inside):
        depth += (inside[k] in "([{") - (inside[k] in ")]}")
        sign = re.match(r"\\[lg]e(?![a-z])|[<>]=?|=", inside[k:])
        if sign and not depth:
            signs.append({"<=": r"\le", ">=": r"\ge"}.get(sign[0], sign[0]))
            sides.append("")
            k += sign.end()
            continue
        sides[-1] += inside[k]
        k += 1
    return ([s.strip() for s in sides], signs) if set(signs) <= set(_FLIPPED) else ([], [])


def respelt(text: str, names: frozenset[str]) -> tuple[str, dict[str, tuple[str, str]]]:
    """A text with some of its statements, each in all spellings; the statement and way of each."""
    table: dict[str, tuple[str, str]] = {}

    def written(found: re.Match[str]) -> str:
        name, statement = found["name"], parsed(found["body"])
        if name not in names or statement is None:
            return ""
        lines = []
        for k, (way, said) in enumerate((("as it is", statement.text()), *spellings(statement))):
            table[f"claim{name.lower()}x{k}"] = (name, f"{way}: {said}")
            lines.append(f"**Claim {name}x{k}.** {said}.")
        return "\n\n".join(lines)

    return _CLAIM.sub(written, text), table
