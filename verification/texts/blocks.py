"""The lines of a sampler's block, each read once: of which letters it is, and its formulas as trees.

A line is an update (``x' = ...``), a change in place (``x <- ...``), a part of the step that has a name
(``u = ...``), or says how a letter is drawn (``xi ~ N(0, I)``). A name stands for the tree of its part,
and a state that changes in place for the tree of what it is by then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verification.texts.drawn import Drawn, drawn
from verification.texts.expressions import expression
from verification.texts.letters import Letters, canonical
from verification.texts.shapes import names_in, put
from verification.texts.spelling import MOST, STEP, at_step
from verification.texts.tokens import LONGEST
from verification.texts.unclear import Unclear

_LETTER = rf"\\?[A-Za-z]+(?:{STEP})?"
_LINE = re.compile(
    rf"\s*+\$?\s*+(?P<names>{_LETTER}(?:(?:\s*+,\s*+|\s++){_LETTER})*?)\s*+(?P<new>'|′|\^?\s*+\\prime)?\s*+\$?\s*+"
    r"(?:(?P<law>~|\\sim(?![A-Za-z])|∼|=(?=\s*(?:±|\\pm|\+/-|\+-)\s*1\b)|(?:has|have|with|of)(?![A-Za-z])|:(?!=))"
    r"|(?P<equal>=)|(?P<arrow>:=|<-|←|\\leftarrow(?![A-Za-z])|\\gets(?![A-Za-z])))(?P<right>.*)"
)
_RESHUFFLED = re.compile(  # minibatches are reshuffled; examples in a fresh random order in every epoch
    r"\s*(?:the\s+)?(?:minibatches|batches|examples|indices|data)\b[^=~∼]*"
    r"\b(?:reshuffl\w+|random\s+order|permut\w+)[^=~∼]*$"
)


@dataclass(frozen=True)
class Update:
    """What a state is after the step, as a tree, and where its line begins."""

    state: str
    tree: Any
    start: int


@dataclass(frozen=True)
class Block:
    """What the lines of a sampler's block say."""

    updates: tuple[Update, ...]
    drawn: tuple[Drawn, ...]
    reshuffled: bool

    @property
    def noises(self) -> list[str]:
        """The letters that are standard normal vectors."""
        return [n for one in self.drawn if one.law == "standard" for n in one.names]

    @property
    def others(self) -> list[Drawn]:
        """What is said of letters that are drawn otherwise."""
        return [one for one in self.drawn if one.law != "standard"]

    @property
    def gradients(self) -> Iterator[Any]:
        """Every gradient in it."""
        trees = (tree for one in self.updates for tree in one.tree.iter_subtrees_topdown())
        return (t for t in trees if t.data in ("called", "function") and t.children[0] in ("g", "grad"))


def block_of(body: str, letters: Letters, tex: bool = False) -> Block:
    """A block of lines; names that are letters of the table are nobody's to give.

    >>> from verification.texts.letters import row
    >>> h = Letters((row("h", "positive"),))
    >>> found = block_of("v <- v - h g(x)\\nx <- x + h v\\nxi ~ N(0, I)", h)
    >>> found.noises, [(one.state, sorted(names_in(one.tree))) for one in found.updates]
    (['xi'], [('v', ['h', 'v', 'x']), ('x', ['h', 'v', 'x'])])
    """
    if len(body) > LONGEST:
        raise Unclear(f"a sampler of at most {LONGEST} characters", str(len(body)), "shorten it", 0)
    written = [(found.start(), found[0]) for found in re.finditer(r"[^\n]+", body) if found[0].strip()]
    lines = [one for one in written if not _RESHUFFLED.match(one[1])]
    heads = [_LINE.match(line.replace("&", " ")) for _, line in lines]  # & of an alignment in LaTeX
    states = {n for head in heads if head and head["equal"] for n, after in _letters(head) if after}
    known, changed, seen = dict[str, Any](), list[str](), set[str]()
    updates, laws = list[Update](), list[Drawn]()
    if not (states or any(head and head["arrow"] for head in heads)):
        told = "such as: theta' = theta - h g(theta)"
        raise Unclear("lines of updates", body.strip()[:40] or "none", told, 0)
    table = {n for row in letters.rows for n in row.names}
    named = {n for head in heads if head for n, _ in _letters(head)}
    running = [*((n, "variable") for n in named), *[("g", "function")][: "g" not in table]]
    for (start, line), head in zip(lines, heads, strict=True):
        read = _Formulas(letters.binding(running), tex, start)
        strange = Unclear(
            "an update or a noise", line.strip()[:40], "theta' = ..., or xi ~ N(0, I)", start
        )
        if head is None:
            raise strange
        names, right = _letters(head), head["right"].replace("$", " ").strip().rstrip(" \\.;,")
        (name, new), *more = names
        if head["law"]:
            law = drawn(tuple(n for n, _ in names), right, head["law"], read)
            if law is None:
                raise strange
            laws.append(law)
            continue
        is_part = not new and name not in states and name not in table
        if more or not (is_part or (new and head["equal"])):
            raise strange
        tree = read(right)
        whole = put(tree, lambda t: t if t.data == "primed" else _part(t, known))
        if sum(1 for _ in whole.scan_values(bool)) > MOST:
            raise Unclear(f"at most {MOST} symbols in a line", "more", "name fewer parts", start)
        if new:
            updates.append(Update(name, whole, start))
            continue
        seen |= names_in(tree)
        if head["arrow"] and name not in known and name in seen:
            changed.append(name)
        known[name] = whole
    if updates and changed:
        told = f"write the line of {changed[0]} with a prime, or each of them with an arrow"
        raise Unclear("states after a step, or changes in place", "both", told, 0)
    updates += [Update(name, known[name], 0) for name in changed]
    random = [n for one in laws for n in one.names]
    twice = next((n for n in random if random.count(n) > 1 or n in {*states, *known}), None)
    if twice is not None:
        raise Unclear(
            "a letter that is said to be random once", f"{twice} again", "give it a name of its own", 0
        )
    if not updates:
        raise Unclear("lines of updates", "names of parts", "such as: theta' = theta - h g(theta)", 0)
    return Block(tuple(updates), tuple(laws), len(lines) < len(written))


def _letters(head: re.Match[str]) -> list[tuple[str, bool]]:
    """The letters of which a line is, and whether they are those after the step."""
    found = re.finditer(rf"(\\?[A-Za-z]+)({STEP})?", head["names"])
    steps = ((canonical(one[1]), at_step(one[2] or "")) for one in found)
    return [(name + more, after or bool(head["new"])) for name, (more, after) in steps]


def _part(tree: Any, known: dict[str, Any]) -> Any:
    """What a name stands for; None of other trees."""
    return known.get(str(tree.children[0])) if tree.data == "name" else None


@dataclass(frozen=True)
class _Formulas:
    """Reads formulas of a line: what is unclear of one is so where the line begins."""

    letters: Letters
    tex: bool
    start: int

    def __call__(self, written: str) -> Any:
        try:
            return expression(written, self.letters, self.tex, steps=True)
        except Unclear as error:
            error.at = self.start
            if error.expected != "a letter of the table":
                raise
            told = (
                f"a noise is a line of the block, {error.got} ~ N(0, I); another letter one of the table"
            )
            raise Unclear("a state, a noise or a letter", error.got, told, self.start) from None
