"""Wrong twins: an expression, corrupted mechanically in the ways that people err.

Every node of the expression tree is corrupted in every way that its kind allows, one corruption to a
twin. Nothing is said here about whether a twin is still true: that is for the prover and the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import sympy as sp

from sgtheory.declare import N, Parameter, S, Size

Twin = tuple[str, Any]
T = TypeVar("T")


def corruptions(expr: Any) -> Iterator[Twin]:
    """Named corruptions of a scalar or matrix expression, each a different expression.

    >>> from verification.notation import A, Sigma, eps
    >>> [name for name, _ in corruptions(A * Sigma)]
    ['A*Sigma doubled', 'A*Sigma with its sign flipped', 'A*Sigma dropped', 'order reversed in A*Sigma']
    >>> [str(twin) for name, twin in corruptions(eps**2) if "power" in name]
    ['eps**3', 'eps', 'eps**(-2)']
    """
    seen = {expr}
    for name, twin in _of_the_whole(sp.sympify(expr)):
        if twin not in seen and twin is not sp.nan and not twin.has(sp.zoo, sp.oo):
            seen.add(twin)
            yield name, twin


def spread(found: Iterable[T], most: int | None) -> list[T]:
    """All of them, or as many as asked for, from all over.

    >>> spread("abcdefg", 3)
    ['a', 'c', 'e']
    """
    every = list(found)
    if most is None or len(every) <= most:
        return every
    return [every[k * len(every) // most] for k in range(most)]


def _of_the_whole(expr: Any) -> Iterator[Twin]:
    yield from _of_terms(expr)
    yield from _exchanged_sizes(expr)
    yield from _one_side_of_a_commutator(expr)
    yield from exchanged(expr, tuple(sorted(expr.atoms(Parameter, Size), key=str)))
    yield from _inside(expr, lambda twin: twin)


def _of_terms(expr: Any) -> Iterator[Twin]:
    """Each term doubled, with its sign flipped, or dropped; its matrices in the other order."""
    terms = sp.Add.make_args(expr)
    for k, term in enumerate(terms):
        others = sp.Add(*terms[:k], *terms[k + 1 :])
        yield f"{term} doubled", others + 2 * term
        yield f"{term} with its sign flipped", others - term
        yield f"{term} dropped", others
        scalars, words = term.args_cnc()
        if len(words) > 1:
            turned = sp.Mul(*scalars) * sp.Mul(*reversed(words))
            yield f"order reversed in {term}", others + turned


def _exchanged_sizes(expr: Any) -> Iterator[Twin]:
    if expr.has(N) or expr.has(S):
        yield "N and S exchanged", expr.subs({N: S, S: N}, simultaneous=True)


def _one_side_of_a_commutator(expr: Any) -> Iterator[Twin]:
    """``X Y + Y X`` written as if the two commuted."""
    terms = sp.Add.make_args(sp.expand(expr))
    for k, first in enumerate(terms):
        for second in terms[k + 1 :]:
            (a, left), (b, right) = first.args_cnc(), second.args_cnc()
            if len(left) > 1 and left == right[::-1] and left != right and a == b:
                rest = sp.Add(*(t for t in terms if t not in (first, second)))
                yield f"{second} merged into {first}", rest + 2 * first


def _inside(expr: Any, put_back: Callable[[Any], Any]) -> Iterator[Twin]:
    """Corruptions of every node below; ``put_back`` says what the whole is with a node replaced."""
    for name, wrong in _of_node(expr):
        yield name, put_back(wrong)
    if not expr.args or isinstance(expr, sp.Rational):
        return
    for k, arg in enumerate(expr.args):

        def with_arg(wrong: Any, k: int = k) -> Any:
            return put_back(expr.func(*expr.args[:k], wrong, *expr.args[k + 1 :]))

        # a sum inside a factor has terms of its own, which the whole has not
        if isinstance(arg, sp.Add) and not isinstance(expr, sp.Add):
            for name, wrong in _of_terms(arg):
                yield name, with_arg(wrong)
        yield from _inside(arg, with_arg)


def _of_node(node: Any) -> Iterator[Twin]:
    if isinstance(node, sp.Pow) and node.exp.is_Rational:
        base, power = node.args
        yield f"power of {base} one more in {node}", base ** (power + 1)
        if power != 1:
            yield f"power of {base} one less in {node}", base ** (power - 1)
        yield f"power of {base} inverted in {node}", base ** (-power)
        if power == sp.Rational(1, 2):
            yield f"{base} for {node}", base
    if isinstance(node, Parameter | Size):
        yield f"{node} missing", sp.Integer(1)
        yield f"sqrt({node}) for {node}", sp.sqrt(node)
        if isinstance(node, Size):
            yield f"{node} squared", node**2
    if _is_turned(node):
        yield f"{node} transposed", _transposed(node)


def _is_turned(node: Any) -> bool:
    """A mixed moment: its transpose is that of the states in the other order."""
    name = getattr(node, "name", "")
    return name.startswith("P_") and len(set(name.split("_")[1:])) == 2


def _transposed(node: Any) -> Any:
    _, a, b = node.name.split("_")
    return sp.Symbol(f"P_{b}_{a}", commutative=False)


def exchanged(expr: Any, symbols: tuple[Any, ...]) -> Iterator[Twin]:
    """Each symbol of an expression written for another of the same kind.

    >>> from verification.notation import eps, mu
    >>> [str(twin) for _, twin in exchanged(eps**2 * mu, (eps, mu))]
    ['eps**3', 'mu**3']
    """
    present = [s for s in symbols if expr.has(s)]
    for wrong in symbols:
        for right in present:
            if wrong != right:
                yield f"{wrong} for {right}", expr.subs(right, wrong)
