"""Hypotheses in a list, where a comma is "and"; and what of a statement's tokens says nothing."""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token

from verification.texts.unclear import Unclear

# of what such a list consists
_LISTED = frozenset(
    """HYP REL AND SEP COMMA NAME NUM LEFT RIGHT SIGN TIMES DIV CARET FRAC FUNC BARE SUB PRIME TOP BAR
    ENDBAR COMMUTE DEFINITE CALLED DERIV NOUN ENDS CLIMBS FREE SETTLES IN OPENS CLOSES""".split()  # noqa: SIM905
)

_STOPS = ("HYP", "IFF", "ONLYIF", "UNLESS", "AS", "ONLYTHEN", "IMPLIES")
RELATIONS = frozenset(
    """REL SETTLES TENDS FREE PROPTO MOVES CLIMBS LINEARLY COMMUTE COMMUTES BEST BESTOF DEFINITE ORDER
    SUMS BOUNDED ENDS ARROW SAMPLES ONESOLUTION""".split()  # noqa: SIM905
)
# of what letters are, which may be taken for a hypothesis where "then" is missing
_OF_LETTERS = frozenset(("REL", "DEFINITE", "COMMUTE", "IN"))
# of which sort of limit, time or draws a statement is said: clauses that are no hypotheses
_OTHER = frozenset(
    """DISCRETE CONTINUOUS UPTOFACTOR DRAWN AMONG TOGETHER AS UPTO STATES FIRSTORDER SMALL
    UNLESS EXISTS""".split()  # noqa: SIM905
)
# with which a formula may begin
FORMULA = frozenset(
    "NAME NUM LEFT FUNC BARE FRAC SIGN BAR SUM INT DERIV CALLED NOUN".split()  # noqa: SIM905
)


def joined(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a statement with "and" for such commas: if S = 1, D = 1 and n > 2, then."""
    found = _up_to_then(_either_way(tokens))
    kinds = _outside_brackets(found)
    lists = [(k, _end_of_list(found, kinds, k)) for k, kind in enumerate(kinds) if kind == "HYP"]
    lists += [(0, k) for k, kind in enumerate(kinds) if kind == "IMPLIES" and not lists]
    for start, end in lists:
        for k in range(start, end - 1 if set(kinds[start:end]) <= _LISTED else start):
            listed = kinds[k] in ("SEP", "COMMA") and kinds[k + 1] not in ("SEP", "AND")
            sides = (_clause(kinds[:k][::-1]), _clause(kinds[k + 1 : end]))
            if listed and all(_OF_LETTERS & {*one} for one in sides):
                found[k] = Token("AND", "", start_pos=found[k].start_pos)
    return found


def _up_to_then(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, where all clauses between the first "if" and "then" are hypotheses, or refused."""
    kinds, found = _outside_brackets(tokens), [*tokens]
    start = next((k for k, kind in enumerate(kinds) if kind in ("HYP", "DRAWN", "UNLESS")), len(kinds))
    then = (k for k in range(start, len(kinds)) if tokens[k] == "then" and kinds[k] == "SEP")
    end = start if RELATIONS & {*kinds[:start]} else next(then, start)
    for k in (k for k in range(start, end) if kinds[k] in ("IFF", "ONLYIF", "IMPLIES")):
        told, where = "say in another statement what holds exactly there", tokens[k].start_pos or 0
        raise Unclear("hypotheses up to 'then'", "'if and only if', or 'implies'", told, where)
    cuts = [k for k in range(start, end) if kinds[k] in ("SEP", "COMMA")]
    for k, before, after in zip(cuts, [start, *cuts], [*cuts[1:], end], strict=False):
        old, new = kinds[before:k], [kind for kind in kinds[k + 1 : after] if kind != "AND"]
        if not new or new[0] == "HYP" or new[0] in _OTHER:
            continue
        more = RELATIONS & {*new} or "FREE" not in old
        kind = "HYP" if _OTHER & {*old} else "COMMA" if not RELATIONS & {*_clause(old[::-1])} else "AND"
        if kinds[k + 1] != "AND" or kind == "HYP":
            found[k] = Token(kind if more else "COMMA", "if", start_pos=tokens[k].start_pos)
    return found


def _outside_brackets(tokens: Sequence[Token]) -> list[str]:
    """The kinds of tokens; what is in brackets is a name."""
    depth, kinds = 0, list[str]()
    for token in tokens:
        depth -= token.type in ("RIGHT", "CLOSES")
        kinds.append("NAME" if depth else token.type)
        depth += token.type in ("LEFT", "OPENS")
    return kinds


def _end_of_list(found: Sequence[Token], kinds: Sequence[str], start: int) -> int:
    """Where hypotheses end: at "then"; behind what is said, with it; else at the comma after "and"."""
    after = range(start + 1, len(kinds))
    then = next((k for k in after if found[k] == "then"), None)
    if then is not None:
        return then
    stops = next((k for k in after if kinds[k] in _STOPS), len(kinds))
    if RELATIONS & {*kinds[:start]} and "HYP" not in kinds[:start]:
        return stops if "AND" in kinds[start:stops] else start
    last = next((k for k in range(start, stops) if kinds[k] == "AND" and "REL" in kinds[start:k]), stops)
    comma = next((k for k in range(last, stops - 1) if kinds[k] in ("SEP", "COMMA")), start)
    return comma if kinds[comma + 1 : comma + 2] and kinds[comma + 1] in FORMULA | {"SETTLES"} else start


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
