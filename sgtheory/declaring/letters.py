"""Letters for what a step takes of its parameters: exp(-gamma h) becomes c, sqrt(1 - beta) becomes s.

Exact routes then see polynomials: a law is a formula in those letters, and numbers are put in for them
last. Roots in front of injected noise stay, for only their squares reach a covariance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

import sympy as sp

from sgtheory.declaring.noises import Noise, Vector
from sgtheory.independent.fields import residue, square_root
from sgtheory.language import (
    Apply,
    Curvature,
    FullGradient,
    Gradient,
    MatrixName,
    Parameter,
    Size,
    step_in,
    symbols_of,
    t,
)

_GRADIENTS = (Gradient, FullGradient, Curvature)
Pairs = tuple[tuple[Any, Any], ...]


def with_letters(updates: Pairs, where: Pairs, taken: Iterable[str]) -> tuple[Pairs, Pairs]:
    """Updates with letters for what is no polynomial in the parameters, and what they stand for.

    >>> from sgtheory.language import normal, positive, state
    >>> theta, xi, h = state("theta"), normal("xi"), positive("h")
    >>> step = sp.exp(-h) * theta + sp.sqrt(1 - sp.exp(-2 * h)) * xi
    >>> with_letters(((theta, step),), (), ["theta"])
    (((theta, xi*sqrt(1 - c**2) + c*theta),), ((c, exp(-h)),))
    """
    names, found = _names(set(taken)), list(where)
    exprs = [sp.sympify(e) for _, e in updates]
    if any(map(_is_curved, exprs)):  # no exact route takes it, and numbers need no letters
        return updates, where
    for base, arguments in _exponents(exprs):
        letter = _letter(next(names[sp.exp]), sp.exp(base))
        found.append((letter, sp.exp(base)))
        powers = {sp.exp(u): letter ** sp.cancel(u / base) for u in arguments}
        exprs = [e.xreplace(powers) for e in exprs]
    for one in dict.fromkeys(p for e in exprs for p in _products(e).values()):
        letter = _letter(next(names[sp.Pow]), one)
        found.append((letter, one))
        exprs = [_with_products(e, one, letter) for e in exprs]
    for one in _others(exprs):
        letter = _letter(next(names[sp.Pow if one.is_Pow else sp.Function]), one)
        found.append((letter, one))
        exprs = [e.xreplace({one: letter}) for e in exprs]
    changed = tuple((target, e) for (target, _), e in zip(updates, exprs, strict=True))
    return (changed, tuple(found)) if len(found) > len(where) else (updates, where)


def _is_curved(expr: Any) -> bool:
    """Whether vectors are multiplied, or are in a power."""
    powers = (p.base for p in expr.atoms(sp.Pow))
    products = ([a for a in m.args if a.atoms(Vector)] for m in expr.atoms(sp.Mul))
    return any(b.atoms(Vector) for b in powers) or any(len(found) > 1 for found in products)


def _names(taken: set[str]) -> dict[Any, Iterator[str]]:
    def free(first: str) -> Iterator[str]:
        yield from (n for n in (first, *(f"{first}_{k}" for k in range(1, 1000))) if n not in taken)

    return {sp.exp: free("c"), sp.Pow: free("s"), sp.Function: free("k")}


def _letter(name: str, meaning: Any) -> Any:
    if meaning.is_positive:
        return Parameter(name, positive=True)
    return Parameter(name, nonnegative=True) if meaning.is_nonnegative else Parameter(name, real=True)


def _is_scalar(expr: Any) -> bool:
    """Whether it is made of parameters and sizes alone, without the clock."""
    symbols = symbols_of(expr)
    fixed = all(isinstance(s, Parameter | Size) and s != t for s in symbols)
    return bool(symbols) and fixed and not expr.atoms(Vector, MatrixName)


def _exponents(exprs: Sequence[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Arguments of exponentials that are rational multiples of one another, and their measure."""
    left = {u.args[0] for e in exprs for u in e.atoms(sp.exp) if _is_scalar(u)}
    under_roots = {u.args[0] for e in exprs for r in _roots(e) for u in r.base.atoms(sp.exp)}
    while left:
        first = min(left, key=sp.default_sort_key)
        ratios = {u: sp.cancel(u / first) for u in left}
        alike = sorted((u for u in left if ratios[u].is_Rational), key=sp.default_sort_key)
        left -= set(alike)
        # sqrt(1 - exp(-h)) is sqrt(1 - c^2) for c = exp(-h/2)
        wanted = [ratios[u] / 2 if u in under_roots else ratios[u] for u in alike]
        base = sp.expand(first * reduce(_common, (abs(r) for r in wanted)))
        yield (base if base.could_extract_minus_sign() else -base), alike  # below 1 where h > 0


def _common(a: Any, b: Any) -> Any:
    return sp.Rational(sp.igcd(a.p * b.q, b.p * a.q), a.q * b.q)


def _roots(expr: Any) -> list[Any]:
    return [p for p in expr.atoms(sp.Pow) if not p.exp.is_Integer and _is_scalar(p)]


def _others(exprs: Sequence[Any]) -> list[Any]:
    """Functions of parameters, the innermost first, and roots that are in front of more than noise."""
    functions = {f for e in exprs for f in e.atoms(sp.Function) if _is_scalar(f)}
    odd = {p for e in exprs for p in _roots(e) if not (2 * p.exp).is_Integer}
    roots = {p for e in exprs for p in _roots(e) if p in _in_front(e)}
    odd |= {p for e in exprs for p in e.atoms(sp.Pow) if p.base.is_Integer and not _has_root(p)}
    return sorted(functions | odd | roots, key=lambda f: (len(list(sp.preorder_traversal(f))), str(f)))


def _has_root(power: Any) -> bool:
    """Whether a power of a number is one of residues, where formulas are held against steps."""
    try:
        return (2 * power.exp).is_Integer and bool(square_root(residue(int(power.base)), residue))
    except TypeError:
        return False


def _products(expr: Any) -> dict[Any, Any]:
    """Roots, one of a number among them, in front of a state, as one: sqrt(2 h T) is one letter."""
    found = {}
    for term in sp.Add.make_args(sp.expand(expr)):
        roots = [f for f in sp.Mul.make_args(term) if f.is_Pow and f.exp == sp.Rational(1, 2)]
        of_a_state = not term.atoms(Noise, *_GRADIENTS) and any(f.is_number for f in roots)
        if len(roots) > 1 and of_a_state and all(_is_scalar(f) or f.is_number for f in roots):
            found[term] = sp.sqrt(sp.Mul(*(f.base for f in roots)), evaluate=False)
    return found


def _with_products(expr: Any, product: Any, letter: Any) -> Any:
    """With a letter for a product of roots."""
    terms = {t: t / sp.sqrt(product.base) * letter for t, p in _products(expr).items() if p == product}
    return sp.Add(*(terms.get(t, t) for t in sp.Add.make_args(sp.expand(expr)))) if terms else expr


def _in_front(expr: Any) -> set[Any]:
    """Roots of parameters in front of what is no noise."""
    found: set[Any] = set()
    for term in sp.Add.make_args(sp.expand(expr)):
        if not term.atoms(Noise):
            found |= set(_roots(term))
    return found


_USUAL = (
    "eps",
    "gamma",
    "eta",
    "h",
    "dt",
    "lr",
    "step",
    "step_size",
    "epsilon",
    "delta",
    "tau",
    "alpha",
)


def step_of(updates: Pairs, where: Pairs = ()) -> Any:
    """The parameter that is the step: without it no gradient is felt; whatever it is called.

    Where none is written, no force: nothing that moves depends on the position.
    Of several, the one that stills the injected noise too; then a name that is usual; else eps.

    >>> from sgtheory import registry
    >>> [step_of(registry.sampler(n).updates) for n in ("sgd", "sghmc", "sgldfp", "underdamped")]
    [eps, eta, gamma, eps]
    """
    short = dict(reversed(where))
    written = [(target, sp.sympify(e).subs(short)) for target, e in updates]
    found = set().union(*(symbols_of(e) for _, e in written))
    scalars = sorted((p for p in found if isinstance(p, Parameter) and not p.is_integer), key=str)
    without = {p: [(target, e.subs(p, 0)) for target, e in written] for p in scalars}
    without = {p: u for p, u in without.items() if not any(e.has(sp.nan, sp.zoo, sp.oo) for _, e in u)}
    felt = any(e.atoms(*_GRADIENTS) for _, e in written)
    deaf = [p for p, u in without.items() if not any(_feels(t, e, felt) for t, e in u)]
    kept = {p: [target == e for target, e in u if target.name == "theta"] for p, u in without.items()}
    still = [p for p in kept if all(kept[p])]
    quiet = [p for p in deaf if not any(e.atoms(Noise) for _, e in without[p])]
    for chosen in (quiet, deaf, still):
        usual = [p for name in _USUAL for p in chosen if p.name == name]
        if chosen:
            return (*usual, *chosen)[0]
    return step_in(sp.Tuple(*(e for _, e in written)))


def _feels(target: Any, after: Any, gradient: bool) -> bool:
    """Whether a state moves by a gradient; where none is written, by where the position is.

    A matrix that all is multiplied by may be one that is the identity without the step.
    """
    if gradient:
        return bool(after.atoms(*_GRADIENTS))
    while isinstance(after, Apply):
        after = after.args[1]
    moved = sp.expand(after - target) if target.name == "theta" else after
    return any(s.name == "theta" for s in moved.free_symbols)
