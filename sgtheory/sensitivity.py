"""How the distances from the posterior change with a parameter: exact gradients, no differences.

Where P = M P M^T + Q (or M P + P M^T + Q = 0) and a distance has the derivative G with respect to P,
its derivative along a parameter is tr(Y (dM P M^T + M P dM^T + dQ)), with Y = M^T Y M + G the same
equation transposed. What M and Q do along a parameter is read off the declared update, term by term:
scalars are differentiated as formulas, matrices one occurrence at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import divergence, registry
from sgtheory.affine import has_spread, increments, mode_form, one_step
from sgtheory.declare import Derived, MatrixName, Noise, Root
from sgtheory.errors import UnusableInput
from sgtheory.full import Array, FullStep, full_step, matrix, precision, product, scalar, symmetric_root
from sgtheory.modes import Modes, modes_of, solve
from sgtheory.problem import Problem, Values
from sgtheory.setting import Setting

_NOTHING = 1e-12  # of the variances: a squared distance below that is rounding


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of the distances between the law and the posterior with respect to a parameter.

    Of a matrix they have its shape: symmetric for a symmetric one, a diagonal for a diagonal one.
    One that does not exist is None: that of the Wasserstein distance where it is zero.
    """

    parameter: str
    kl_to_posterior: Any
    kl_from_posterior: Any
    wasserstein2: Any

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``law --json``."""
        names = ("kl_to_posterior", "kl_from_posterior", "wasserstein2")
        found = {n: np.asarray(getattr(self, n)).tolist() for n in names if getattr(self, n) is not None}
        return {"parameter": self.parameter, **found}


def gradient(sampler: Any, problem: Problem, parameter: str, *, time: str = "discrete") -> Sensitivity:
    """The gradient of every distance with respect to one parameter of a sampler.

    Constant SGD in one dimension has variance P = eps C/(S A (2 - eps A)), here eps/(2 - eps), and
    dP/d eps = 2/(2 - eps)^2; the divergence (N P - log(N P) - 1)/2 changes by (N - 1/P)/2 times it.

    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "N": 4, "S": 1, "params": {"eps": 1}})
    >>> float(gradient("sgd", problem, "eps").kl_to_posterior)
    3.0
    """
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    _check(setting, problem, parameter)
    values = problem.values(setting.sampler)
    modes = modes_of(mode_form(setting, time), values)
    blocks = solve(modes.M(), modes.Q(), time)
    chain = _Chain(setting, values, time, modes, modes.to_coordinates(blocks))
    k = [s.name for s in setting.state].index(setting.sampler.sample.name)
    own = slice(k * values.D, (k + 1) * values.D)
    covariance, inverse = chain.P[own, own], precision(setting, values)
    found = {}
    for name, slope in _slopes(covariance, inverse).items():
        G = np.zeros_like(chain.P)
        if slope is not None:
            G[own, own] = slope
        found[name] = None if slope is None else chain.along(parameter, G)
    return Sensitivity(parameter, **found)


def _check(setting: Setting, problem: Problem, parameter: str) -> None:
    sampler = setting.sampler
    known = [p.name for p in sampler.parameters]
    if parameter == "N":
        raise UnusableInput(
            f"a parameter of {sampler.name}", "N, which moves the posterior too", "fix it"
        )
    if parameter not in (*known, "S") or (parameter == "S" and not problem.replacement):
        raise UnusableInput(
            f"a parameter of {sampler.name} ({', '.join(known)}, or S with replacement)",
            parameter,
            "choose one",
        )
    derived = [
        p.name
        for p in sampler.parameters
        if isinstance(sampler.default(p), Derived) and p.name not in problem.params
    ]
    if derived:
        raise UnusableInput(
            f"a problem that gives {derived[0]}", "one from which it is derived", f'give "{derived[0]}"'
        )
    if setting.period != 1:
        raise UnusableInput("steps that are all alike", sampler.name, "compare two laws instead")
    if has_spread(setting):
        raise UnusableInput(
            "noise that does not depend on the point", setting.model.name, "compare two laws instead"
        )


def _slopes(covariance: Array, inverse: Array) -> dict[str, Array | None]:
    """The derivative of every distance with respect to the covariance."""
    found: dict[str, Array | None] = {
        "kl_to_posterior": None, "kl_from_posterior": None, "wasserstein2": None,
    }  # fmt: skip
    if not divergence.is_definite(covariance):
        return found
    back, posterior = np.linalg.inv(covariance), np.linalg.inv(inverse)
    found["kl_to_posterior"] = (inverse - back) / 2
    found["kl_from_posterior"] = (back - back @ posterior @ back) / 2
    distance = divergence.wasserstein2(covariance, np.zeros(len(covariance)), inverse)
    scale = float(np.trace(covariance) + np.trace(posterior))
    if distance**2 > _NOTHING * scale:  # at distance zero it has a kink
        root = symmetric_root((posterior + posterior.T) / 2)
        middle = np.linalg.inv(symmetric_root(root @ covariance @ root))
        found["wasserstein2"] = (np.eye(len(covariance)) - root @ middle @ root) / (2 * distance)
    return found


@dataclass(frozen=True, eq=False)
class _Chain:
    """A stationary chain, with what derivatives of its covariance need."""

    setting: Setting
    values: Values
    time: str
    modes: Modes
    P: Array

    def along(self, parameter: str, G: Array) -> Any:
        """The derivative of a function of P with gradient G, along a parameter."""
        Y = self._transposed(G)
        step = full_step(self.setting, self.values, self.time)
        by_drift = 2 * Y @ step.M @ self.P if self.time == "discrete" else 2 * Y @ self.P
        parameters = {p.name: p for p in self.setting.sampler.parameters}
        symbol = parameters.get(parameter)
        if isinstance(symbol, MatrixName):
            total = sum(self._of_matrix(symbol, *term) for term in self._terms(by_drift, Y, step))
            return _shaped(symbol, total)
        name = parameter
        return float(sum(self._of_scalar(name, *term) for term in self._terms(by_drift, Y, step)))

    def _transposed(self, G: Array) -> Array:
        """Y = M^T Y M + G (or M^T Y + Y M + G = 0), mode by mode."""
        d, m = self.modes.size
        wide = np.zeros((m * d, m * d))
        back = np.zeros((m * d, m * d))
        for a in range(m):
            own = slice(a * d, (a + 1) * d)
            wide[own, own], back[own, own] = self.modes.bases[a], self.modes.inverses[a]
        inner = (wide.T @ G @ wide).reshape(m, d, m, d).transpose(1, 3, 0, 2)
        solved = solve(self.modes.M().transpose(0, 2, 1), inner, self.time)
        return np.asarray(back.T @ solved.transpose(2, 0, 3, 1).reshape(m * d, m * d) @ back)

    def _terms(self, by_drift: Array, Y: Array, step: FullStep) -> Any:
        """Every term of the update: its word, its coefficient, the gradient of its block."""
        d, states = self.values.D, self.setting.state
        forms = one_step(self.setting) if self.time == "discrete" else increments(self.setting)
        noises: dict[Any, list[tuple[int, Any, Any]]] = {}
        for a, state in enumerate(states):
            for (word, source), coefficient in forms[state].items():
                if isinstance(source, Noise):
                    noises.setdefault(source, []).append((a, word, coefficient))
                else:
                    b = states.index(source)
                    yield word, coefficient, by_drift[a * d : (a + 1) * d, b * d : (b + 1) * d]
        for terms in noises.values():
            whole = np.vstack([self._front(terms, a) for a in range(len(states))])
            slopes = 2 * Y @ whole
            for a, word, coefficient in terms:
                plain = word[:-1] if _coloured(word) else word
                yield plain, coefficient, slopes[a * d : (a + 1) * d]

    def _front(self, terms: Any, a: int) -> Array:
        """The noise's block in one state, times C where the noise is that of minibatches."""
        total = np.zeros((self.values.D, self.values.D))
        for at, word, coefficient in terms:
            if at == a:
                plain = word[:-1] if _coloured(word) else word
                block = scalar(coefficient, self.values) * product(plain, self.values, float)
                total += block @ matrix("C", self.values) if _coloured(word) else block
        return total

    def _of_scalar(self, name: str, word: Any, coefficient: Any, slope: Array) -> float:
        written = sp.sympify(coefficient).subs(dict(self.setting.sampler.where))
        changed = sum(sp.diff(written, s) for s in written.free_symbols if s.name == name)
        if changed == 0:
            return 0.0
        return float(scalar(changed, self.values) * np.sum(slope * product(word, self.values, float)))

    def _of_matrix(self, symbol: Any, word: Any, coefficient: Any, slope: Array) -> Array:
        total = np.zeros((self.values.D, self.values.D))
        for k, letter in enumerate(word):
            plain = letter.args[0] if isinstance(letter, Root) else letter
            if plain != symbol:
                continue
            left = product(word[:k], self.values, float)
            right = product(word[k + 1 :], self.values, float)
            here = scalar(coefficient, self.values) * left.T @ slope @ right.T
            total += _through_root(letter, here, self.values) if isinstance(letter, Root) else here
        return total


def _coloured(word: Any) -> bool:
    return bool(word) and str(word[-1]) == "B"


def _through_root(letter: Any, slope: Array, values: Values) -> Array:
    """From the gradient with respect to X^(1/2) to that with respect to X (Daleckii and Krein)."""
    eigenvalues, basis = np.linalg.eigh(matrix(letter.args[0], values))
    roots = np.sqrt(eigenvalues)
    inner = basis.T @ (slope + slope.T) @ basis / 2
    return np.asarray(basis @ (inner / (roots[:, None] + roots[None])) @ basis.T)


def _shaped(symbol: Any, total: Array) -> Array:
    if hasattr(symbol, "diagonal_only"):
        return np.diag(total).copy()
    return (total + total.T) / 2 if symbol.is_positive else total
