"""Invariant weights of a discretised transition operator, and expectations under them with an error.

The operator takes a function f to ``P f(x) = E f(step from x)``. Read off at the nodes of a grid, with
quadrature over what is random and interpolation between nodes, it is a sparse matrix; weights w with
``w P = w`` give expectations ``sum of w f(node)`` in the stationary state. Functions stay smooth under P
even where laws have no density, as when only a velocity is driven.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.operator.grid import Axis, Grid
from sgtheory.operator.step import OneStep, one_step, pairs
from sgtheory.problem import Problem
from sgtheory.setting import Setting

Array = Any

_POINTS = {1: 8, 2: 6, 3: 4}  # neighbours for interpolation
_FIRST = {1: 60, 2: 40, 3: 18}  # nodes of an axis to begin with
_MOST = {1: 4_000, 2: 12_000, 3: 100_000}  # nodes in all
_DENSE = 3_000
_ORDER = {0: 1, 1: 12, 2: 8, 3: 5}  # of the quadrature of so many noises, to begin with; 4 for more
_PILOT = 4_000  # chains that find the box
_SPREAD = 2.0  # how far beyond the pilot's extremes the box goes, in its standard deviations
_WIDE = 30.0  # largest over smallest of a positive number, from which on its logarithm is spaced
_REFINED = 1.4
_STAYS = 1e-6  # the probability of leaving the box in a step from which on there is no law to speak of
_SHIFT = 1e-9  # of inverse iteration: an eigenvalue of a power of that below 1 is found in a few turns


@dataclass(frozen=True)
class Reference:
    """The stationary law on two grids: expectations are those of the finer, errors what it changed."""

    states: tuple[str, ...]
    nodes: tuple[Array, Array]
    weights: tuple[Array, Array]
    leaves: float  # the probability of leaving the box in a step: it is the law of those that do not

    def expect(self, f: Callable[..., Array]) -> tuple[float, float]:
        """The expectation of a function of the states, and its error."""
        coarse, fine = (
            float(w @ np.broadcast_to(f(*nodes.T), len(w)))
            for nodes, w in zip(self.nodes, self.weights, strict=True)
        )
        return fine, abs(fine - coarse)

    def mean(self, name: str) -> tuple[float, float]:
        """Of one state."""
        k = self.states.index(name)
        return self.expect(lambda *x: x[k])

    def covariance(self, first: str, second: str) -> tuple[float, float]:
        """Of two states, about the means on the finer grid."""
        i, j = self.states.index(first), self.states.index(second)
        a, b = self.mean(first)[0], self.mean(second)[0]
        return self.expect(lambda *x: (x[i] - a) * (x[j] - b))


def stationary(
    sampler: Any, problem: Problem, *, accuracy: float = 1e-6, seed: int = 0, clock: int = 2**40
) -> Reference:
    """The stationary law of a sampler on a problem in one dimension, of at most three states that move.

    Of a sampler that sees the clock it is the law that it would settle in with the clock at ``clock``.

    Grids are refined until first and second moments change by less than ``accuracy`` of a standard
    deviation (or of a variance), or until they are as fine as they may be: the error says how far.
    A chain whose step is explicit may escape from far out, where its drift overshoots, however rarely
    it gets there: then this is the law of chains that have not.

    >>> content = {"model": "double_well", "noise": [[1]], "N": 1, "S": 1, "params": {"eps": "1/4"}}
    >>> law = stationary("sgld", Problem.of(content))
    >>> value, error = law.expect(lambda theta: theta**2)
    >>> round(value, 4), error < 1e-6
    (1.0266, True)
    """
    found = registry.sampler(sampler, problem.params)
    setting = Setting(found, problem.model)
    step = one_step(setting, problem.values(found), clock)
    if len(step.states) not in _POINTS:
        got = f"{len(step.states)} of {found.name}"
        raise UnusableInput("at most three states", got, "simulate it")
    return settled(step, _begin(step, problem), found.name, accuracy, seed)


def settled(step: OneStep, begin: Array, name: str, accuracy: float, seed: int = 0) -> Reference:
    """The stationary law of a step; ``name`` is what its chains are called where there is none."""
    dimension = len(step.states)
    grid, order = _first_grid(step, begin, seed), _ORDER.get(len(step.noises), 4)
    before, (coarse, _) = grid, _weights(step, grid, order)
    while True:
        grid, order = before.refined(_REFINED), order + (4 if len(step.noises) < 2 else 2)
        fine, leaves = _weights(step, grid, order)
        finest = _REFINED**dimension * 1.3 * grid.size > _MOST[dimension]
        stays = abs(leaves) < _STAYS  # on a coarse grid interpolation leaks as well
        if finest and not stays:
            raise UnusableInput(
                "a stationary law that fits into a box",
                f"chains of {name} that leave it with probability {leaves:.2g} a step",
                "reduce the step size",
            )
        reference = Reference(step.states, (before.nodes, grid.nodes), (coarse, fine), leaves)
        if finest or (stays and _change(reference) < accuracy):
            return reference
        before, coarse = grid, fine


def _change(found: Reference) -> float:
    """The largest change of a first or second moment, in units of the spread."""
    worst = 0.0
    spreads = {s: max(found.covariance(s, s)[0], 0.0) ** 0.5 for s in found.states}
    for k, a in enumerate(found.states):
        worst = max(worst, found.mean(a)[1] / (spreads[a] or 1.0))
        for b in found.states[k:]:
            worst = max(worst, found.covariance(a, b)[1] / (spreads[a] * spreads[b] or 1.0))
    return worst


def _begin(step: OneStep, problem: Problem) -> Array:
    return np.array([float(problem.start.get(s, (0,))[0]) for s in step.states])


def _first_grid(step: OneStep, begin: Array, seed: int) -> Grid:
    """A box about where a few thousand chains go."""
    source = np.random.default_rng(seed)
    # upwards: a running mean of squares is never negative
    x = np.tile(begin, (_PILOT, 1)) + 1e-3 * abs(source.standard_normal((_PILOT, len(begin))))
    low, high = np.full(len(begin), np.inf), np.full(len(begin), -np.inf)
    spread, steps = np.full(len(begin), np.nan), 64
    while True:  # twice as long until the spread has settled
        for k in range(steps):
            drawn = step.drawn(_PILOT, source)
            with np.errstate(all="ignore"):
                x = np.stack(step.after(*x.T, *drawn.T), axis=1)
            if not np.isfinite(x).all() or abs(x).max() > 1e12:
                raise UnusableInput(
                    "a chain with a stationary law",
                    f"one that diverges after {k + 1} steps",
                    "reduce eps",
                )
            if k >= steps // 2:
                low, high = np.minimum(low, x.min(axis=0)), np.maximum(high, x.max(axis=0))
        if np.all(abs(x.std(axis=0) / spread - 1) < 0.1) or steps >= 2**15:
            break
        spread, steps = x.std(axis=0), 2 * steps
        low[:], high[:] = np.inf, -np.inf
    dimension = len(begin)
    axes = []
    for k in range(dimension):
        log = bool(low[k] > 0 and (high[k] > _WIDE * low[k] or _is_positive(step, x, k, source)))
        a, b = (np.log(low[k]), np.log(high[k])) if log else (low[k], high[k])
        beyond = 2 * _SPREAD * np.log(x[:, k]).std() if log else _SPREAD * x[:, k].std()
        axes.append(Axis(a - beyond, b + beyond, _FIRST[dimension], log))
    return Grid(tuple(axes), _POINTS[dimension])


def _is_positive(step: OneStep, x: Array, k: int, source: np.random.Generator) -> bool:
    """Whether a step from where a state is negative is not a number."""
    negative = x[:64].copy()
    negative[:, k] *= -1
    with np.errstate(all="ignore"):
        return not all(np.isfinite(y).all() for y in step.after(*negative.T, *step.drawn(64, source).T))


def _matrix(step: OneStep, grid: Grid, order: int) -> Any:
    """P as a sparse matrix."""
    from scipy.sparse import csr_matrix

    n, total = grid.size, None
    rows = np.repeat(np.arange(n), grid.points ** len(grid.axes))
    for images, weight in pairs(step, grid.nodes, order):
        columns, values = grid.interpolation(images)
        part = csr_matrix((weight * values.ravel(), (rows, columns.ravel())), shape=(n, n))
        total = part if total is None else total + part
    return total


def _weights(step: OneStep, grid: Grid, order: int) -> tuple[Array, float]:
    """The invariant weights, of sum 1, and what a step loses of them."""
    matrix = _matrix(step, grid, order)
    if grid.size <= _DENSE:
        from scipy.linalg import lu_factor, lu_solve

        factors = lu_factor(matrix.toarray().T - (1 + _SHIFT) * np.eye(grid.size))
        found = np.full(grid.size, 1 / grid.size)
        for _ in range(4):
            found = lu_solve(factors, found)
            found /= found.sum()
    else:
        from scipy.sparse.linalg import eigs

        start = np.full(grid.size, 1 / grid.size)
        _, vectors = eigs(matrix.T, k=1, which="LM", v0=start, ncv=60, tol=1e-13, maxiter=5_000)
        found = np.real(vectors[:, 0])
        found = found / found.sum()
    return found, 1 - float((matrix.T @ found).sum())
