"""Formulas read from text, in the notation in which they are written out (``Term.text``)."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from sgtheory.errors import UnusableInput
from verification.relations import All, Compare, Equal
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.words import lexicon

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_LONGEST = 10_000  # characters


def read(text: str, letters: Mapping[str, Letter]) -> Any:
    """A term, or a relation where there is a sign of one; names are letters or words.

    >>> from verification.terms.term import letters
    >>> x, lam = letters("x lambda")
    >>> str(read("exp(-lambda*x)/2 <= 1", {"x": x, "lambda": lam}))
    'exp(-lambda*x)/2 <= 1'
    """
    if len(text) > _LONGEST:
        raise UnusableInput(f"at most {_LONGEST} characters", str(len(text)), "split the formula")
    names = {f"{name}_": letter for name, letter in letters.items() if name == "lambda"}
    plain = text.replace("lambda", "lambda_") if names else text
    left, equals, right = plain.partition(" = ")
    known = {**letters, **names}
    if equals:
        return Equal(_term(_parsed(left, text), left, known), _term(_parsed(right, text), right, known))
    node = _parsed(plain, text)
    if not isinstance(node, ast.Compare):
        return _term(node, plain, known)
    sides = [_term(side, plain, known) for side in (node.left, *node.comparators)]
    found = [
        Compare(a, _COMPARED[type(sign)], b)
        for a, sign, b in zip(sides, node.ops, sides[1:], strict=False)
        if type(sign) in _COMPARED
    ]
    if len(found) != len(node.ops):
        raise UnusableInput("one of = < <= > >=", text, "write an equation with one =")
    return found[0] if len(found) == 1 else All(*found)


def _parsed(text: str, whole: str) -> Any:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise UnusableInput("a formula", whole, f"it ends or breaks off: {error}") from error


def _term(node: Any, text: str, letters: Mapping[str, Letter]) -> Term:
    if isinstance(node, ast.Constant):
        return number(ast.get_source_segment(text.strip(), node) or str(node.value))
    if isinstance(node, ast.Name):
        if node.id in letters:
            return letters[node.id]
        if node.id in lexicon():
            return Applied(node.id, ())
        raise UnusableInput(f"a letter: {', '.join(sorted(letters))}", node.id, "declare it")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_term(node.operand, text, letters)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        parts = (_term(node.left, text, letters), _term(node.right, text, letters))
        return Applied(_OPERATORS[type(node.op)], parts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in lexicon():
        return Applied(node.func.id, tuple(_term(part, text, letters) for part in node.args))
    shown = ast.get_source_segment(text.strip(), node) or text
    raise UnusableInput("sums, products, powers and words", shown, f"words are {', '.join(lexicon())}")
