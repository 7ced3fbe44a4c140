"""Weak expansion of one step: E f(X_h) and e^(hL) f as power series in h, for unspecified f and U.

Everything is a polynomial over the rationals in: states, noises, roots of parameters and their
inverses, and the derivatives of the unspecified functions at the start, which are independent letters.
A step becomes a power series in sqrt(h); its moments give the operator sum_a c_a d^a/a! that acts on f.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.halfpowers import Formal, Inconsistent
from sgtheory.dynamics.letters import Letters
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.walking import LOSS, walk
from sgtheory.language import Gradient

Random = tuple[tuple[Any, Step], ...]  # steps of which one is drawn, with their probabilities
Operator = dict[tuple[int, ...], Any]  # derivatives of f -> coefficient


def letters_for(process: Diffusion, steps: Random, h: Any, order: int) -> Letters:
    """The ring for a step and the process that it is held against."""
    printed = [*process.drift, *(e for row in process.noise for e in row)]
    everything = [*printed, *(e for _, step in steps for _, e in step.updates)]
    index = {s: k for k, s in enumerate(process.state)}
    functions: dict[str, tuple[int, ...]] = {}
    for expr in everything:
        for f in expr.atoms(AppliedUndef):
            if all(a in index for a in f.args):
                functions.setdefault(f.func.__name__, tuple(index[a] for a in f.args))
        if expr.has(Gradient):
            functions.setdefault(LOSS, (0,))
    noises = tuple(dict.fromkeys(w for _, step in steps for w in step.noises))
    own = {s for e in printed for s in e.free_symbols} | {s for _, k in steps for s in k.parameters}
    ordered = tuple(sorted(own - {*process.state, *noises, h}, key=lambda s: s.name))
    return Letters(process.state, noises, ordered, functions, order)


def error_operators(
    process: Diffusion, steps: Random, h: Any, order: int
) -> tuple[Letters, list[Operator]]:
    """E f(X_h) - e^(hL) f, one operator on f to each power of h.

    >>> x, h, xi = sp.symbols("x h xi", real=True)
    >>> ou = Diffusion((x,), (-x,), ((sp.sqrt(2),),))
    >>> euler = Step((x,), ((x, x - h * x + sp.sqrt(2) * sp.sqrt(h) * xi),), (xi,))
    >>> letters, errors = error_operators(ou, ((sp.Integer(1), euler),), h, 2)
    >>> [shown_operator(letters, e) for e in errors]
    [0, 0, -x*Derivative(f(x), x)/2 + Derivative(f(x), (x, 2))]
    """
    letters = letters_for(process, steps, h, order)
    total: list[Operator] = [{} for _ in range(order + 1)]
    parts = [(sp.QQ(w.p, w.q), step_operator(step, h, letters)) for w, step in steps]
    for weight, part in (*parts, (sp.QQ(-1), flow_operator(process, h, letters))):
        for into, operator in zip(total, part, strict=True):
            _add(into, operator, weight, letters)
    return letters, [{a: c for a, c in operator.items() if c} for operator in total]


def shown_operator(letters: Letters, operator: Operator, f: str = "f") -> Any:
    """An operator applied to an unspecified function, as an expression."""
    applied: dict[str, Any] = {
        name: sp.Function(name)(*(letters.states[k] for k in places))
        for name, places in letters.functions.items()
    }
    function = sp.Function(f)(*letters.states)
    terms = []
    for alpha, c in sorted(operator.items(), key=lambda item: (sum(item[0]), item[0])):
        by = [(s, k) for s, k in zip(letters.states, alpha, strict=True) if k]
        terms.append(letters.expression(c, applied) * (function.diff(*by) if by else function))
    return sp.Add(*terms)


def step_operator(step: Step, h: Any, letters: Letters, spare: int = 0) -> list[Operator]:
    """E f(X_h) as operators on f, one to each power of h, of which the last ``spare`` are not known."""
    at = Formal(letters, h, spare=spare)
    after = step.run(at, {s: at.symbol(s) for s in letters.states})
    away = [after[s] + at.symbol(s).scaled(sp.QQ(-1)) for s in letters.states]
    for s, d in zip(letters.states, away, strict=True):
        if d.c[0]:
            raise Inconsistent(f"the step does not leave {s} where it is at {h} = 0")
    powers = [at.powers(d) for d in away]
    found: list[Operator] = [{} for _ in range(letters.order + 1)]
    most = 2 * letters.order
    for alpha in product(range(most + 1), repeat=len(away)):
        if sum(alpha) > most:
            continue
        term = at.number(Fraction(1, math.prod(map(math.factorial, alpha))))
        for p, k in zip(powers, alpha, strict=True):
            term = term * p[k] if k else term
        for k, c in enumerate(term.c):
            value = letters.tidy(letters.expected(c)) if c else c
            if value:
                if k % 2:
                    raise Inconsistent(f"E f has a term in {h}^({k}/2)")
                found[k // 2][alpha] = value
    return found


def flow_operator(process: Diffusion, h: Any, letters: Letters) -> list[Operator]:
    """e^(hL) f as operators on f, one to each power of h; L may itself depend on h.

    >>> x, h = sp.symbols("x h", real=True)
    >>> small = Diffusion((x,), (-x,), ((sp.sqrt(h),),))
    >>> letters = letters_for(small, (), h, 2)
    >>> [shown_operator(letters, term) for term in flow_operator(small, h, letters)][1:]
    [-x*Derivative(f(x), x), x*Derivative(f(x), x)/2 + (x**2/2 + 1/2)*Derivative(f(x), (x, 2))]
    """
    at, orders = Formal(letters, h), range(letters.order + 1)

    def series(expr: Any) -> list[Any]:
        whole = walk(sp.expand(expr), at).c
        if any(whole[1::2]):
            raise Inconsistent(f"{expr} is no series in whole powers of {h}")
        return [letters.tidy(c) for c in whole[::2]]

    n = len(letters.states)
    drift = [series(b) for b in process.ito_drift]
    spread = [[[c * sp.QQ(1, 2) for c in series(a)] for a in row] for row in process.covariance]
    current: list[Operator] = [{(0,) * n: letters.zero + 1}, *({} for _ in orders[1:])]
    found: list[Operator] = [dict(operator) for operator in current]
    for k in orders[1:]:
        moved: list[Operator] = [{} for _ in orders]
        for p, m in product(orders, orders):  # a term of L^(k-1) at h^p, the term of L at h^m
            if current[p] and p + m + k <= letters.order:
                row = [b[m] for b in drift]
                square = [[a[m] for a in r] for r in spread]
                _add(moved[p + m], _generated(current[p], row, square, letters), sp.QQ(1), letters)
        current = moved
        for p, operator in enumerate(current[: letters.order + 1 - k]):
            _add(found[p + k], operator, sp.QQ(1, math.factorial(k)), letters)
    return found


def _add(into: Operator, operator: Operator, weight: Any, letters: Letters) -> None:
    for alpha, c in operator.items():
        into[alpha] = letters.tidy(into.get(alpha, letters.zero) + c * weight)


def _generated(f: Operator, drift: list[Any], spread: list[list[Any]], letters: Letters) -> Operator:
    """L applied to sum_a c_a d^a f."""
    total: Operator = {}

    def put(alpha: tuple[int, ...], value: Any) -> None:
        if value:
            total[alpha] = total.get(alpha, letters.zero) + value

    n = range(len(letters.states))
    for i in n:
        moved = _differentiated(f, i, letters)
        for alpha, c in moved.items():
            put(alpha, drift[i] * c)
        for j in n:
            if spread[i][j]:
                for alpha, c in _differentiated(moved, j, letters).items():
                    put(alpha, spread[i][j] * c)
    tidied = {a: letters.tidy(c) for a, c in total.items()}
    return {a: c for a, c in tidied.items() if c}


def _differentiated(f: Operator, i: int, letters: Letters) -> Operator:
    total: Operator = {}
    for alpha, c in f.items():
        inner = letters.derivative(c, i)
        if inner:
            total[alpha] = total.get(alpha, letters.zero) + inner
        raised = (*alpha[:i], alpha[i] + 1, *alpha[i + 1 :])
        total[raised] = total.get(raised, letters.zero) + c
    return total
