"""That an equation has exactly one solution: where what multiplies its unknown is zero nowhere.

An equation that is linear in a matrix, with functions of one symmetric matrix before and behind it,
multiplies the entry at each pair of eigenvalues by a number. It has one solution where none is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import sympy as sp

from verification.relations.compare import Compare
from verification.relations.iff import Iff
from verification.relations.joined import at_once
from verification.relations.stable import EIGENVALUE
from verification.statements.normal import of_each
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term
from verification.texts.unclear import Unclear

_SYMMETRIC = ("positive definite", "symmetric", "diagonal")
_LINEAR = "an equation that is linear in its unknown"
_TOLD = "one symmetric matrix, in sums, products and inverses, may stand before and behind it"


def one_solution(
    left: Term, right: Term, unknown: Letter, named: Sequence[str], kinds: Mapping[Letter, str]
) -> tuple[Any, tuple[Letter, ...]]:
    """That what multiplies the unknown is not zero, and the two eigenvalues of which that is said."""
    X, one = in_symbols(unknown), sp.Symbol("I", commutative=False)
    parts = [p for p in sp.Add.make_args(sp.expand(in_symbols(left) - in_symbols(right))) if p.has(X)]
    beside = {s for p in parts for s in p.free_symbols if not s.is_commutative} - {X, one}
    letters = [a for a in dict.fromkeys((*left.letters, *right.letters)) if in_symbols(a) in beside]
    if len(letters) > 1 or any(kinds.get(a, "positive definite") not in _SYMMETRIC for a in letters):
        raise Unclear(_LINEAR, ", ".join(map(str, letters)), _TOLD)
    definite = all(kinds.get(a, "positive definite") == "positive definite" for a in letters)
    if named and len(letters) != 1:
        raise Unclear(
            "eigenvalues of what stands beside the unknown", ", ".join(named), "name that matrix"
        )
    names = [*named, *(n for n in ("lambda_1", "lambda_2") if n not in named)][:2]
    pair = tuple(Letter(n, "positive" if definite else "real") for n in names)
    total = sp.Integer(0)
    for part in parts:
        factors = sp.Mul.make_args(part)
        where = [k for k, f in enumerate(factors) if f == X]
        sides = (factors[: where[0]], factors[where[0] + 1 :]) if len(where) == 1 else ((X,), ())
        numbers = [
            sp.sympify(f).xreplace({**{m: in_symbols(end) for m in beside}, one: sp.Integer(1)})
            for side, end in zip(sides, pair, strict=True)
            for f in side
        ]
        if any(f.has(X) or not f.is_commutative for f in numbers):
            raise Unclear(_LINEAR, f"{left} = {right}", _TOLD)
        total += sp.Mul(*numbers)
    turned = total.xreplace(dict(zip(map(in_symbols, pair), map(in_symbols, pair[::-1]), strict=True)))
    even = kinds.get(unknown, "any") == "symmetric" and sp.cancel(total - turned) == 0
    if unknown.kind == "matrix" and not (even or kinds.get(unknown, "any") == "any"):
        told = "declare it as a matrix, of which nothing else is asked"
        raise Unclear("an unknown that may be any matrix", f"{unknown}, {kinds[unknown]}", told)
    own = {a.name: a for a in (*left.letters, *right.letters, *pair)}
    found = from_sympy(sp.cancel(total))
    said = Compare(found.put({a: own[a.name] for a in found.letters}), "!=", 0)
    return said, pair if unknown.kind == "matrix" else ()


def over_pairs(statement: Any, given: Iterable[Any], pair: tuple[Letter, ...]) -> tuple[Any, list[Any]]:
    """What is said of all pairs of eigenvalues, and what is given of them, as said of two of them.

    That a condition holds of every eigenvalue exactly where no pair makes a number zero is said of each
    two, with one another and with themselves: so it is for every spectrum.
    """
    given = [*given]
    if any(_is_single(r) for r in given):
        only: dict[Letter, Any] = {pair[1]: pair[0], Letter("A", "matrix"): pair[0]}
        given = [r.put(only) for r in given if not _is_single(r)]
        return statement.put(only), [*map(_told, given)]
    found = [one for r in given for one in _of_each(r, pair)]
    if isinstance(statement, Iff):
        when = [*dict.fromkeys(one for r in statement.when.relations for one in _of_each(r, pair))]
        alike = (statement.statement, *statement.when.relations)
        if [one.relation for one in alike] == ["!=", "!="] and all(
            _is_whole(one, pair) for one in alike
        ):
            pass  # then one is zero where the other is, or there is a pair where it alone is
        else:
            ends = [dict(zip(pair, two, strict=True)) for two in product(pair, repeat=2)]
            zeros = dict.fromkeys(statement.statement.left.put(put) for put in ends)
            whole: Any = None
            for one in zeros:
                whole = one if whole is None else whole * one
            statement = Iff(Compare(whole, "!=", 0), at_once(when))
    return statement, found


def _is_single(one: Any) -> bool:
    return getattr(one, "relation", "") == "=" and {"D", "1"} == {str(one.left), str(one.right)}


def _of_each(one: Any, pair: tuple[Letter, ...]) -> Iterator[Any]:
    """A relation for all eigenvalues, of two of them."""
    each = of_each(one)
    if EIGENVALUE in each.letters:
        found = [each.put({EIGENVALUE: a}) for a in pair]
    elif {*pair} & {*each.letters}:
        found = [each.put(dict(zip(pair, two, strict=True))) for two in product(pair, repeat=2)]
    else:
        found = [each]
    yield from map(_told, dict.fromkeys(r for r in found if r.left != r.right))


def _told(one: Any) -> Any:
    """A relation of numbers: of matrices nothing is known beside their eigenvalues."""
    if any(a.kind in ("matrix", "dimension") for a in one.letters):
        raise Unclear("conditions on eigenvalues", one.text(), "say it of lambda_max(A), or of a, b")
    return one


def _is_whole(one: Any, pair: tuple[Letter, ...]) -> bool:
    """Whether its difference is symmetric in both eigenvalues, and no factor has one of them alone."""
    rest, ends = in_symbols(one.left) - in_symbols(one.right), [in_symbols(a) for a in pair]
    turned = rest.xreplace(dict(zip(ends, ends[::-1], strict=True)))
    factors = sp.factor_list(sp.fraction(sp.cancel(rest))[0])[1]
    return sp.cancel(rest - turned) == 0 and all(len(f.free_symbols & {*ends}) != 1 for f, _ in factors)
