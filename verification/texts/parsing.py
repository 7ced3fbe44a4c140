"""From tokens to the tree of a statement; what does not fit is told with what could stand there."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedInput

from verification.texts.hypotheses import FORMULA, RELATIONS
from verification.texts.unclear import Unclear

_EXPECTED = {
    "REL": "a relation (=, <=, does not depend on, vanishes, ...)", "RIGHT": "a closing bracket",
    "SEP": "the end",
    "NAME": "a formula", "NUM": "a formula", "LEFT": "a bracket", "ARROW": "->", "CARET": "^",
    "SUB": "_",
    "HYP": "if", "IFF": "if and only if", "AND": "and",
    "DIFF": "d and the letter that is integrated over",
}  # fmt: skip


@cache
def grammar() -> Lark:
    """The grammar of statements."""
    text = (Path(__file__).parent / "statements.lark").read_text("utf-8")
    return Lark(text, start="text", parser="lalr", lexer="basic")


def parsed(tokens: list[Token], end: int) -> Any:
    """The tree of a statement; what does not fit is told with what could stand there."""
    tokens = _apart([t for k, t in enumerate(tokens) if not _is_doubled(tokens, k)])
    reader: Any = grammar().parse_interactive("")
    said = [t.type for t in tokens]
    _refuse_loose_commas(tokens)
    for k, token in enumerate(tokens):
        kind = _fitting(reader, token.type)
        if not kind and token.type == "COMMA":
            token = Token("AND" if _in_hypothesis(said[:k]) else "SEP", ",", start_pos=token.start_pos)
            kind = _fitting(reader, token.type)
        if not kind:
            raise _unexpected(_accepted(reader), token, token.start_pos or 0)
        reader.feed_token(token.update(type=kind))
    try:
        return reader.feed_eof()
    except UnexpectedInput:
        raise _unexpected(_accepted(reader), None, end) from None


def _apart(tokens: list[Token]) -> list[Token]:
    """How minibatches are drawn as a clause of its own, out of the hypotheses among which it is said."""
    kinds = ["", *(t.type for t in tokens), ""]
    found = list[Token]()
    for before, token, after in zip(kinds, tokens, kinds[2:], strict=False):
        if token.type == "AND" and before == "DRAWN":
            found.append(Token("HYP", "if", start_pos=token.start_pos))
        elif not (after == "DRAWN" and token.type in ("AND", "HYP")):
            found.append(token)
    return found


def _accepted(reader: Any) -> set[str]:
    """The kinds of all tokens that could come next."""
    return {kind.lstrip("_") for kind in reader.accepts()}


def _fitting(reader: Any, kind: str) -> str:
    """The name under which the grammar takes a token of a kind next, silent ones first; else nothing."""
    return next((name for name in (f"_{kind}", kind) if _fits(reader, name)), "")


def _fits(reader: Any, kind: str) -> bool:
    """Whether one kind of token could come next, without trying all as ``accepts`` does.

    What is complete before it is reduced on a copy of the states.
    """
    states, stack = reader.parser_state.parse_conf.states, list(reader.parser_state.state_stack)
    while kind in states[stack[-1]]:
        _, then = states[stack[-1]][kind]
        if not hasattr(then, "expansion"):  # a state to go to, and no rule to reduce by
            return True
        del stack[len(stack) - len(then.expansion) :]
        stack.append(states[stack[-1]][then.origin.name][1])
    return False


_BEGINS = (
    "HYP",
    "IFF",
    "AS",
    "DISCRETE",
    "CONTINUOUS",
    "UPTO",
    "STATES",
    "EXISTS",
    "FIRSTORDER",
    "AMONG",
)


def _refuse_loose_commas(tokens: list[Token]) -> None:
    """Refuse a comma alone between two relations: the second may be said, or be a condition."""
    depth, clause = 0, list[str]()
    for token, after in pairwise(tokens):
        depth += {"LEFT": 1, "OPENS": 1, "RIGHT": -1, "CLOSES": -1}.get(token.type, 0)
        if depth or token.type not in ("SEP", "COMMA") or (token == "," and "REL" not in clause):
            clause += [token.type] if clause or token.type not in ("SEP", "COMMA") else []
            continue
        more = clause.index("HYP", 1) if "HYP" in clause[1:] else 0
        opens = bool(clause) and clause[0] in _BEGINS and "REL" not in clause[:more]  # for all h with
        if token == "," and RELATIONS & {*clause} and not opens and after.type in FORMULA:
            got = "a comma alone"
            raise Unclear(
                "'and' or 'if' between two relations", got, "say which is meant", token.start_pos or 0
            )
        clause = []


def _is_doubled(tokens: list[Token], k: int) -> bool:
    """Whether it is the comma of ", and", or the "and" of "and then"."""
    pair = [t.type for t in tokens[k : k + 2]]
    return pair in (["SEP", "AND"], ["COMMA", "AND"], ["AND", "SEP"])


def _in_hypothesis(before: list[str]) -> bool:
    """Whether the last clause that began is a hypothesis."""
    begun = [kind for kind in before if kind in ("HYP", "SEP", "IFF")]
    return bool(begun) and begun[-1] == "HYP"


def _unexpected(accepted: set[str], token: Token | None, where: int) -> Unclear:
    told = list(dict.fromkeys(_EXPECTED[k] for k in _EXPECTED if k in accepted))[:3]
    got = "the end of the statement" if token is None else repr(str(token) or token.type.lower())
    near = "see 'Write it in a text' in the guide"
    if token is not None and token.type == "SEP" and "REL" in accepted:
        near = "a statement says something of a formula"
    return Unclear(" or ".join(told) or "the end", got, near, where)
