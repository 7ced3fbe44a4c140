"""Hypotheses in a list: between "if" and "then" a comma is "and"."""

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
    found, kinds = list(tokens), [t.type for t in tokens]
    for start in (k for k, kind in enumerate(kinds) if kind == "HYP"):
        ends = [k for k in range(start, len(kinds)) if found[k] == "then"]
        whole = bool(ends) and set(kinds[start : ends[0]]) <= _LISTED
        for k in range(start, ends[0] if whole else start):
            listed = kinds[k] in ("SEP", "COMMA") and kinds[k + 1] not in ("SEP", "AND")
            if listed and "REL" in _clause(kinds[:k][::-1]) and "REL" in _clause(kinds[k + 1 :]):
                found[k] = Token("AND", "", start_pos=found[k].start_pos)
    return found


def _clause(kinds: Sequence[str]) -> Sequence[str]:
    """The tokens as far as a comma, or a word that joins."""
    joins = ("SEP", "COMMA", "AND", "HYP")
    return kinds[: next((k for k, kind in enumerate(kinds) if kind in joins), len(kinds))]
