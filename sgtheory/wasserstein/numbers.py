"""Distances between laws in numbers: any dimension, Hessian and noise that need not commute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.errors import Unstable, UnusableInput
from sgtheory.numbers.divergence import bures
from sgtheory.perturbation.derivatives import AtMode, at_mode
from sgtheory.perturbation.form import Form, form_of
from sgtheory.problem import Problem
from sgtheory.wasserstein.directions import DIFFUSION

Array = Any


@dataclass(frozen=True)
class Bracket:
    """``lower`` <= W2 <= ``upper``; where both laws are normal W2 is ``lower``: that is ``exact``."""

    lower: float
    upper: float
    exact: bool


@dataclass(frozen=True, eq=False)
class _Process:
    """A step's matrix, and what it makes of noise; ``gain`` is None for the diffusion."""

    rate: Array
    gamma: float
    form: Form | None

    @property
    def additive(self) -> float:
        return 0.0 if self.form is None else float(self.form.additive)

    @property
    def multiplies(self) -> float:
        return float(self.form is not None and self.form.multiplicative)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Joint second moments of two processes with the same noises: E[x y^T]."""

    a: _Process
    b: _Process
    found: AtMode
    cross: Array  # E[B_ik B_j]: Hessian and gradient of one minibatch

    def __call__(self, moment: Array, means: tuple[Array, Array]) -> Array:
        a, b = self.a, self.b
        x, y = means
        noisy = a.gamma * b.gamma * a.multiplies * b.multiplies
        total = a.rate @ moment @ b.rate.T
        total = total + noisy * np.einsum("ikjl,kl->ij", self.found.multiplicative, moment)
        mixed = a.multiplies * b.additive * np.einsum("ikj,k->ij", self.cross, x)
        mixed = mixed + a.additive * b.multiplies * np.einsum("jki,k->ij", self.cross, y)
        return total + a.gamma * b.gamma * mixed + self.constant

    @property
    def constant(self) -> Array:
        a, b, A = self.a, self.b, self.found.hessian
        if a.form is None and b.form is None:
            return np.linalg.solve(A, np.eye(len(A)) - a.rate @ b.rate)
        if a.form is None or b.form is None:
            chain, flow = (b, a) if a.form is None else (a, b)
            assert chain.form is not None
            heat = 2 * float(sp.sqrt(chain.form.temperature))
            return heat * np.linalg.solve(A, np.eye(len(A)) - flow.rate)
        heat = 2 * float(sp.sqrt(a.form.temperature * b.form.temperature)) * (a.gamma * b.gamma) ** 0.5
        return heat * np.eye(len(A)) + a.gamma * b.gamma * a.additive * b.additive * self.found.additive

    def stationary(self) -> Array:
        size = len(self.found.hessian)
        zero = np.zeros(size)
        columns = []
        for k in range(size * size):
            unit = np.zeros(size * size)
            unit[k] = 1.0
            columns.append((self(unit.reshape(size, size), (zero, zero)) - self.constant).ravel())
        operator = np.array(columns).T
        if not np.abs(np.linalg.eigvals(operator)).max() < 1:
            raise Unstable("second moments grow at these parameters: reduce the step")
        return np.linalg.solve(np.eye(len(operator)) - operator, self.constant.ravel()).reshape(
            size, size
        )


def bracket(first: Any, second: Any, problem: Problem, *, at: int | None = None) -> Bracket:
    """Bounds of W2 between two laws after ``at`` steps from the problem's start, or in the limit.

    Either may be ``DIFFUSION``, the Langevin diffusion at the times of the other's steps.

    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "N": 1, "S": 1, "params": {"gamma": 1}})
    >>> found = bracket("lmc", "diffusion", problem)  # of variances 2 and 1
    >>> round(found.lower, 12), round(found.upper, 12), found.exact
    (0.414213562373, 0.686671511485, True)
    """
    model = problem.model
    if model.nonlinear or model.potential:
        raise UnusableInput("a quadratic U", f"the model {model.name}", "see sgtheory.perturbation")
    forms = [None if x == DIFFUSION else form_of(x) for x in (first, second)]
    chain = next((f for f in forms if f is not None), None)
    if chain is None:
        raise UnusableInput("a sampler", "two diffusions", "name one")
    values = problem.values(chain.sampler)
    found = at_mode(problem, values)
    processes = [_process(f, chain, problem, found) for f in forms]
    begin = np.array([float(x) for x in problem.start.get("theta", (0,) * found.D)]) - found.minimiser
    means, products = _moved(processes, found, begin, at)
    P, Q, R = products
    gap = means[0] - means[1]
    lower = float(gap @ gap) + bures(P - np.outer(means[0], means[0]), Q - np.outer(means[1], means[1]))
    upper = float(np.trace(P) + np.trace(Q) - 2 * np.trace(R))
    real = bool(np.abs(found.multiplicative).max() > 0)
    normal = model.example is None or not any(p.additive for p in processes)
    exact = normal and not (real and any(p.multiplies for p in processes))
    return Bracket(max(lower, 0.0) ** 0.5, max(upper, 0.0) ** 0.5, exact)


def _process(form: Form | None, chain: Form, problem: Problem, found: AtMode) -> _Process:
    from scipy.linalg import expm

    numbers = problem.values((form or chain).sampler)
    for gain in (form or chain).gains:
        if not numbers.is_identity(gain):
            raise UnusableInput(f"{gain} = I", "another matrix", "change coordinates so that it is I")
    gamma = (form or chain).gamma
    known = {s: sp.Rational(str(numbers.scalars[s.name])) for s in gamma.free_symbols}
    size = float(gamma.subs(known))
    step = size * found.hessian
    return _Process(expm(-step) if form is None else np.eye(found.D) - step, size, form)


def _moved(
    processes: list[_Process], found: AtMode, begin: Array, at: int | None
) -> tuple[list[Array], list[Array]]:
    """Means, and second moments of the first, of the second, and of both together."""
    size = found.D
    cross = np.empty((size,) * 3)
    for i, k, j in np.ndindex(*cross.shape):
        cross[i, k, j] = found.joint((tuple(sorted((i, k))), (j,)))
    pairs = [(0, 0), (1, 1), (0, 1)]
    joint = [_Pair(processes[i], processes[j], found, cross) for i, j in pairs]
    if at is None:
        return [np.zeros(size)] * 2, [pair.stationary() for pair in joint]
    means, products = [begin, begin], [np.outer(begin, begin)] * 3
    for _ in range(at):
        products = [
            pair(moment, (means[i], means[j]))
            for pair, moment, (i, j) in zip(joint, products, pairs, strict=True)
        ]
        means = [p.rate @ m for p, m in zip(processes, means, strict=True)]
    return means, products
