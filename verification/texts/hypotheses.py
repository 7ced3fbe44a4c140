"""Hypotheses in a list, where a comma is "and"; and what of a statement's tokens says nothing."""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token

# of what such a list consists
_LISTED = frozenset(
    """HYP REL AND SEP COMMA NAME NUM LEFT RIGHT SIGN TIMES DIV CARET FRAC FUNC BARE SUB PRIME TOP BAR
    ENDBAR COMMUTE DEFINITE""".split()  # noqa: SIM905
)


def joined(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a statement with "and" for such commas: if S = 1, D = 1 and n > 2, then."""
    found = _either_way(tokens)
    kinds = [t.type for t in found]
    for start in (k for k, kind in enumerate(kinds) if kind == "HYP"):
        ends = [k for k in range(start, len(kinds)) if found[k] == "then"]
        whole = bool(ends) and set(kinds[start : ends[0]]) <= _LISTED
        for k in range(start, ends[0] if whole else start):
            listed = kinds[k] in ("SEP", "COMMA") and kinds[k + 1] not in ("SEP", "AND")
            if listed and "REL" in _clause(kinds[:k][::-1]) and "REL" in _clause(kinds[k + 1 :]):
                found[k] = Token("AND", "", start_pos=found[k].start_pos)
    return found


def _either_way(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with one for "if, and only if,"."""
    found = list[Token]()
    for token in tokens:
        before = [t.type for t in found[-3:]]
        tail = next(
            (n for n, own in ((3, ["HYP", "SEP", "AND"]), (2, ["HYP", "AND"])) if before[-n:] == own), 0
        )
        if token.type == "ONLYIF" and tail:
            found[-tail:] = [Token("IFF", "", start_pos=token.start_pos)]
        elif not (token.type == "SEP" and token == "," and before[-1:] == ["IFF"]):
            found.append(token)
    return found


def _clause(kinds: Sequence[str]) -> Sequence[str]:
    """The tokens as far as a comma, or a word that joins."""
    joins = ("SEP", "COMMA", "AND", "HYP")
    return kinds[: next((k for k, kind in enumerate(kinds) if kind in joins), len(kinds))]


def said_of(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without a noun that only names the formula after it, and without the sampler's name."""
    kinds = [t.type for t in tokens]
    named = "SAMPLER" in kinds and "SAME" not in kinds
    formula = ("NAME", "LEFT", "NUM", "FUNC", "BARE", "FRAC")

    def says_nothing(k: int) -> bool:
        if kinds[k] == "NOUN":
            return kinds[k + 1 : k + 2] != [] and kinds[k + 1] in formula
        return named and (kinds[k] == "SAMPLER" or kinds[k : k + 2] == ["HYP", "SAMPLER"])

    return [t for k, t in enumerate(tokens) if not says_nothing(k)]
