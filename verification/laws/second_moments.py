"""Second moments of a linear step in one coordinate, whose coefficients may be random.

A step x' = M x + r has E[x' x'^T] = E[M P M^T] + Q, linear in P = E[x x^T] whatever noises are in M: a
curvature of minibatches, or noise in proportion to the state, has a law in second moments too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product
from operator import add
from typing import Any

import sympy as sp
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

from sgtheory.declare import N
from sgtheory.declaring.noises import Noise
from sgtheory.modepairs.matrixform import block_symbol
from sgtheory.modepairs.stability import of_matrix
from sgtheory.onestep.affine import CURVATURE, is_affine
from sgtheory.onestep.closure import in_one_dimension
from sgtheory.polynomials import factored
from sgtheory.setting import Setting
from verification.laws import epochs

A, C = (sp.Symbol(n, positive=True) for n in "AC")  # the curvature of the coordinate, and its noise
_PLACES = ((2, 3, 5, 7, 11, 13, 17), (19, 3, 23, 2, 29, 5, 7))  # of letters, over a hundred


@dataclass(frozen=True)
class SecondMoments:
    """What second moments settle to, by name, and what has to be positive for that."""

    moments: Mapping[str, Any]
    settles: tuple[Any, ...]
    random: bool  # whether coefficients are
    where: tuple[Any, ...] = ()  # what has to be positive for the formulas to have a meaning
    drift: Any = None  # what a step makes of the means of the states
    beside: Any = None  # the covariances of all states with the position
    at: int = 0  # which of the states is the position

    def at_lag(self, lag: Any) -> Any:
        """The covariance of the position with itself so many steps before; None where it is unknown.

        Of several states, for a number of steps that is known.

        >>> from sgtheory import registry
        >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
        >>> second_moments(sgd).at_lag(1)
        -H*eps*C*(-H*eps*A + 1)/(S*A*(H*eps*A - 2))
        """
        if self.drift is None:
            return None
        if self.drift.rows == 1:
            return self.drift[0, 0] ** lag * self.beside[0, 0]
        return factored((self.drift**lag * self.beside)[self.at]) if isinstance(lag, int) else None

    def averaged(self, window: Any) -> Any:
        """The variance of the position's average over so many steps; None where it is unknown."""
        if isinstance(window, int):
            lags = [self.at_lag(k) for k in range(window)]
            if None in lags:
                return None
            shares = (c * (window - k) * (2 if k else 1) for k, c in enumerate(lags))
            return factored(sp.Add(*shares) / window**2)
        if self.drift is None or self.drift.rows > 1:
            return None
        r = self.drift[0, 0]
        left = 2 * r * (1 - r**window) / (window * (1 - r) ** 2)
        return self.beside[0, 0] * ((1 + r) / (1 - r) - left) / window


@cache
def second_moments(setting: Setting) -> SecondMoments | None:
    """Of a sampler with numbers for matrices; None where a step is no such thing.

    >>> from sgtheory import registry
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> found = second_moments(sgd)
    >>> found.moments["Sigma"], found.settles
    (-H*eps*C/(S*A*(H*eps*A - 2)), (-H*eps*A + 2,))
    """
    if setting.reshuffled:
        found = epochs.at_ends(setting, _in_letters)
        if found is None:
            return None
        V, over_lags, settles = found
        return SecondMoments({"Sigma": V, "Sigma_lags": over_lags}, (settles,), False, (N - 1,))
    try:
        step = {s: _in_letters(e, setting) for s, e in in_one_dimension(setting).items()}
    except (TypeError, ValueError, AttributeError):
        return None
    states = setting.state
    noises = tuple(sorted(set().union(*(e.atoms(Noise) for e in step.values())), key=str))
    if not all(e.is_polynomial(*states, *noises) for e in step.values()):
        return None
    polys = {s: sp.Poly(e, *states, *noises).terms() for s, e in step.items()}
    if not all(sum(powers[: len(states)]) <= 1 for terms in polys.values() for powers, _ in terms):
        return None
    means = [_expected(polys[s], len(states), noises) for s in states]
    if any(row.get((0,) * len(states), 0) != 0 for row in means):
        return None  # it rests elsewhere than at the mode
    pairs = tuple(combinations_with_replacement(range(len(states)), 2))
    products = (_product(polys[states[i]], polys[states[j]]) for i, j in pairs)
    rows = [_expected(terms, len(states), noises) for terms in products]
    of_pairs = [tuple((i == k) + (j == k) for k in range(len(states))) for i, j in pairs]
    T = sp.Matrix([[row.get(powers, 0) for powers in of_pairs] for row in rows])
    fresh = sp.Matrix([row.get((0,) * len(states), 0) for row in rows])
    system = sp.eye(len(pairs)) - T
    solution = _solved(system, fresh)
    if solution is None or not _agrees(setting, polys, noises, pairs, T, fresh):
        return None
    solved = [factored(x) for x in solution]
    names = [s.name for s in states]
    known = {frozenset(pair): x for pair, x in zip(pairs, solved, strict=True)}
    moments = {
        block_symbol(names[i], names[j]).name: known[frozenset((i, j))]
        for i, j in product(range(len(states)), repeat=2)
    }
    drift = sp.Matrix([[row.get(_unit(k, len(states)), 0) for k in range(len(states))] for row in means])
    at = names.index("theta") if "theta" in names else 0  # of which Sigma is the covariance
    moments["Sigma_lags"] = _over_lags(drift, solved, pairs, at)
    beside = _as_matrix(solved, pairs, len(states))[:, at]
    alike = is_affine(setting)  # then second moments settle where means do
    criteria = tuple(f for f in map(factored, of_matrix(drift)) if not f.is_positive)
    if not alike:
        criteria = _positive_where_it_settles(T, fresh, drift, pairs)
    settles = tuple(dict.fromkeys(criteria))
    return SecondMoments(moments, settles, not alike, drift=drift, beside=beside, at=at)


def _solved(system: Any, right: Any) -> Any:
    """What linear equations are solved by, over the field of letters; None where they are singular."""
    n = system.rows
    both = DomainMatrix.from_Matrix(system.row_join(right)).to_field()
    try:
        found = both.extract(range(n), range(n)).lu_solve(both.extract(range(n), [n]))
    except DMNonInvertibleMatrixError:
        return None
    return found.to_Matrix()


def _over_lags(drift: Any, solved: Any, pairs: Any, at: int) -> Any:
    """The sum of the stationary covariances of one state at all lags, to both sides of zero.

    At lag k it is drift^k P, also where coefficients are random, since these are new at each step.
    """
    P = _as_matrix(solved, pairs, drift.rows)
    ahead = _solved(sp.eye(drift.rows) - drift, P[:, at])
    return 0 if ahead is None else factored(2 * ahead[at] - P[at, at])


def _in_letters(expr: Any, setting: Setting) -> Any:
    """With numbers for matrices, and what abbreviations stand for written out."""
    expr, B, positive = sp.sympify(expr), sp.Symbol("B"), {}
    for s in expr.free_symbols - expr.atoms(Noise) - set(setting.state):
        positive[s] = sp.sqrt(C) if s.name == B.name else A if s == CURVATURE else s
    return sp.expand(sp.sympify(expr).subs(dict(setting.sampler.where)).xreplace(positive))


def _unit(k: int, size: int) -> tuple[int, ...]:
    return tuple(int(i == k) for i in range(size))


def _product(p: Any, q: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The terms of a product of polynomials; SymPy cancels each coefficient as it multiplies."""
    return ((tuple(map(add, a, b)), c * d) for (a, c), (b, d) in product(p, q))


def _expected(terms: Any, states: int, noises: tuple[Any, ...]) -> dict[tuple[int, ...], Any]:
    """What a polynomial, given by its terms, comes to on average, by powers of the states."""
    found: dict[tuple[int, ...], Any] = {}
    for powers, c in terms:
        mean = sp.Mul(*(w.moment(k) for w, k in zip(noises, powers[states:], strict=True)))
        if mean != 0:
            found[powers[:states]] = sp.expand(found.get(powers[:states], 0) + c * mean)
    return found


def _positive_where_it_settles(T: Any, fresh: Any, drift: Any, pairs: Any) -> tuple[Any, ...]:
    """What has to be positive for powers of T to vanish: what its equation is solved by, as a matrix.

    Where P = T(P) + Q has a positive definite solution, T^n(P) < P for some n, if the noise Q reaches
    all states in n steps of the mean; so T^n shrinks P, and all below it. The identity reaches them.
    """
    size = drift.rows
    Q = _as_matrix(fresh, pairs, size)
    reached, power = sp.zeros(size), sp.eye(size)
    for _ in range(size):
        reached, power = reached + power * Q * power.T, drift * power
    if not factored(sp.expand(reached.det())).is_positive:
        fresh = sp.Matrix([int(i == j) for i, j in pairs])
    P = _as_matrix(_solved(sp.eye(len(pairs)) - T, fresh), pairs, size)
    kept: list[Any] = []
    for k in range(1, size + 1):
        top, below = sp.fraction(factored(P[:k, :k].det()))
        kept.append(_odd(sp.factor(top) * sp.factor(below), kept))
    return tuple(dict.fromkeys(c for c in kept if not c.is_positive))


def _as_matrix(entries: Any, pairs: Any, size: int) -> Any:
    found = sp.zeros(size)
    for (i, j), x in zip(pairs, entries, strict=True):
        found[i, j] = found[j, i] = x
    return found


def _odd(product: Any, known: list[Any]) -> Any:
    """A product without its positive factors; of an even power of one that is known to be none is left.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> _odd(3 * x * (1 - y) ** 3, []), _odd((2 - x) * (1 - y) ** 2, [1 - y])
    (1 - y, 2 - x)
    """
    found = sp.Integer(1)
    for factor in sp.Mul.make_args(product):
        base, power = factor.as_base_exp()
        if factor.is_number:
            found *= sp.sign(factor)
        elif not base.is_positive and power.is_odd:
            found *= base
        elif (
            not base.is_positive and base not in known and sp.expand(-base) not in map(sp.expand, known)
        ):
            found *= base**2
    return found


def _agrees(
    setting: Setting, polys: Any, noises: tuple[Any, ...], pairs: Any, T: Any, fresh: Any
) -> bool:
    """Whether the updates, run on all signs of their noises, come to the same second moments.

    They do for noises that occur at most squared in a product of two states.
    """
    states = setting.state
    once = all(max(p[len(states) :], default=0) <= 1 for terms in polys.values() for p, _ in terms)
    if not once or len(noises) > 5:
        return len(noises) <= 5  # by moments of their law alone
    letters = sorted(set().union(*(c.free_symbols for p in polys.values() for _, c in p)), key=str)
    for numbers in _PLACES:
        at = {x: sp.Rational(numbers[k % 7] ** 2, 400 + k) for k, x in enumerate(letters)}
        start = [sp.Rational(n, 7) for n in numbers[: len(states)]]
        total = [sp.Integer(0)] * len(pairs)
        for signs in product((1, -1), repeat=len(noises)):
            env = dict(zip((*states, *noises), (*start, *signs), strict=True))
            after = _run(setting, env, at)
            total = [t + after[i] * after[j] for t, (i, j) in zip(total, pairs, strict=True)]
        before = sp.Matrix([start[i] * start[j] for i, j in pairs])
        expected = (T * before + fresh).subs(at)
        ran = [t / 2 ** len(noises) for t in total]
        if any(
            abs(sp.N(a - b, 40)) > sp.Rational(1, 10**30) for a, b in zip(expected, ran, strict=True)
        ):
            return False
    return True


def _run(setting: Setting, env: dict[Any, Any], at: dict[Any, Any]) -> list[Any]:
    """The declared updates, one after the other, on numbers."""
    from sgtheory.onestep.closure import scalar

    for target, expr in setting.updates:
        env[target] = sp.N(_in_letters(scalar(sp.sympify(expr)).xreplace(env), setting).subs(at), 50)
    return [env[s] for s in setting.state]
