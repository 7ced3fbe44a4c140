"""How the distances from the posterior change with a parameter: exact gradients, no differences.

Where P = M P M^T + Q (or M P + P M^T + Q = 0) and a distance has the derivative G with respect to P,
its derivative along a parameter is tr(Y (dM P M^T + M P dM^T + dQ)), with Y = M^T Y M + G the same
equation transposed. What M and Q do along a parameter is read off the declared update, term by term:
scalars are differentiated as formulas, matrices one occurrence at a time. Steps that repeat with a
period are taken one by one: Y moves backwards through them while P moves forwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import DiagonalName, MatrixName, N, Noise, Root, S, f
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.modepairs.quantities import TIMES
from sgtheory.notation.display import Shown
from sgtheory.numbers import divergence
from sgtheory.numbers.modes import Modes, clocked, modes_of, solve
from sgtheory.onestep.affine import Word, has_spread, increments, mode_form, one_step
from sgtheory.onestep.full import Array, Means, matrix, precision, product, symmetric_root
from sgtheory.problem import Problem, ProblemLike, Values, as_problem
from sgtheory.setting import Setting

_KINK = 1e-8  # of the deviations: a Wasserstein distance below that is rounding
_ENTRIES = 10_000_000  # numbers that the covariances of all phases of a period may take


@dataclass(repr=False, frozen=True)
class Sensitivity(Shown):
    """Derivatives of the distances between the law and the posterior with respect to a parameter.

    Of a matrix they have its shape: G with change tr(G^T dX) for a free matrix X, that same G made
    symmetric for a symmetric one, its diagonal for a diagonal one. One that does not exist is None: all
    three where the law is degenerate, that of the Wasserstein distance where it is zero.
    """

    parameter: str
    value: Any
    kl_to_posterior: Any
    kl_from_posterior: Any
    wasserstein2: Any

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``law --json``; what does not exist is absent."""
        names = ("value", "kl_to_posterior", "kl_from_posterior", "wasserstein2")
        found = {n: np.asarray(getattr(self, n)).tolist() for n in names if getattr(self, n) is not None}
        return {"parameter": self.parameter, **found}


def gradient(
    sampler: Any, problem: ProblemLike, parameter: str, *, time: str = "discrete"
) -> Sensitivity:
    """The gradient of every distance with respect to one parameter of a sampler, or to S.

    A parameter that is not given but derived from others counts as fixed while these are moved.
    Constant SGD in one dimension has variance P = eps C/(S A (2 - eps A)), here eps/(2 - eps), and
    dP/d eps = 2/(2 - eps)^2; the divergence (N P - log(N P) - 1)/2 changes by (N - 1/P)/2 times it.

    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "N": 4, "S": 1, "params": {"eps": 1}})
    >>> gradient("sgd", problem, "eps").kl_to_posterior
    3.0
    """
    problem = as_problem(problem)
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    symbol = _check(setting, problem, str(parameter), time)
    values = problem.values(setting.sampler)
    modes = modes_of(mode_form(setting, time), values)
    if Means.of(setting, values, time, modes.phases) is not None:
        raise UnusableInput(
            "a sampler that settles at the mode of the loss",
            f"{setting.sampler.name}, which something pulls away from it",
            "compare two laws: the mean moves too",
        )
    _check_stable(modes, problem)
    chain = _Chain(setting, values, modes, _terms(setting, time))
    k, d = [s.name for s in setting.state].index(setting.sampler.sample.name), values.D
    own = slice(k * d, (k + 1) * d)
    P = chain.stationary
    slopes = _slopes(P[own, own], precision(setting, values))
    found: dict[str, Any] = dict.fromkeys(("kl_to_posterior", "kl_from_posterior", "wasserstein2"))
    if slopes:
        G = np.zeros((len(slopes), *P.shape))
        G[:, own, own] = np.array(list(slopes.values()))
        found |= zip(slopes, chain.along(symbol, G, _S_in(problem)), strict=True)
    return Sensitivity(symbol.name, _value(symbol, values), **found)


def _check(setting: Setting, problem: Problem, parameter: str, time: str) -> Any:
    """The symbol of a parameter that has a gradient; whatever else is refused."""
    sampler = setting.sampler
    known = {p.name: p for p in sampler.parameters if not p.is_integer}
    steps = sp.sympify(setting.period) if setting.period is not None else None
    if time not in TIMES:
        raise UnusableInput(f"{' or '.join(TIMES)} time", repr(time), "choose one of the two")
    if parameter == "N":
        raise UnusableInput("a parameter of the sampler alone", "N, which moves the posterior too",
                            "compare two laws")  # fmt: skip
    if parameter == "S" and "S" in problem.sizes and steps is not None and S not in steps.free_symbols:
        known["S"] = S
    if parameter not in known:
        raise UnusableInput(
            f"a parameter of {sampler.name} that varies continuously",
            parameter,
            f"choose one of {', '.join(known)}, or S where minibatches of any size can be drawn",
        )
    if steps is None:
        raise UnusableInput(
            "a sampler that has a limit", sampler.name, "choose one whose updates repeat"
        )
    if "N" not in problem.sizes:
        raise UnusableInput("N, which says what the posterior is", "none", 'add "N": 100 to the problem')
    if known[parameter] in set().union(*(sp.sympify(x).free_symbols for x in sampler.target)):
        raise UnusableInput(
            "a parameter that leaves alone what the sampler is after", parameter, "compare two laws"
        )
    if has_spread(setting):
        raise UnusableInput(
            "noise that does not depend on the point",
            f"{sampler.name} on {setting.model.name}",
            "compare two laws, or take the quadratic model with the same A and C",
        )
    return known[parameter]


def _check_stable(modes: Modes, problem: Problem) -> None:
    """Only a chain that settles has a gradient; the law says why it does not."""
    form, eigenvalues = modes.form, np.linalg.eigvals(modes.whole[0])
    growth = eigenvalues.real.max() + 1 if form.time == "continuous" else np.abs(eigenvalues).max()
    if growth >= 1 - 4 * np.finfo(float).eps:
        from sgtheory.numbers.numeric import law

        law(form.setting.sampler, problem, time=form.time).require_stable()
        raise Unstable(f"{form.setting.sampler.name} is at the limit of its stability")


def _value(symbol: Any, values: Values) -> Any:
    if not isinstance(symbol, MatrixName):
        return float(values.scalars[symbol.name])
    whole = values.arrays[symbol.name].copy()
    return np.diag(whole).copy() if isinstance(symbol, DiagonalName) else whole


def _S_in(problem: Problem) -> dict[Any, Any]:
    """What S moves besides itself: without replacement, the share f that is left of the variance."""
    return {} if problem.replacement else {f: (N - S) / sp.Max(N - 1, 1)}


def _slopes(covariance: Array, inverse: Array) -> dict[str, Array]:
    """The derivative of every distance with respect to the covariance, of those that have one."""
    if not divergence.is_definite(covariance):
        return {}
    one, back, posterior = np.eye(len(covariance)), np.linalg.inv(covariance), np.linalg.inv(inverse)
    found = {
        "kl_to_posterior": (inverse - back) / 2,
        "kl_from_posterior": (back - back @ posterior @ back) / 2,
    }
    # x - T x is how far the optimal map moves x: its mean square is the distance, nothing cancels
    root = symmetric_root((posterior + posterior.T) / 2)
    away = one - root @ np.linalg.inv(symmetric_root(root @ covariance @ root)) @ root
    distance = float(np.sqrt(max(np.sum((away @ covariance) * away), 0.0)))
    if distance > _KINK * float(np.sqrt(np.trace(covariance) + np.trace(posterior))):
        found["wasserstein2"] = away / (2 * distance)
    return found


@dataclass(frozen=True)
class _Term:
    """One term of a step: coefficient * word, from a state or a noise to a state."""

    target: int
    source: Any  # the number of a state, or a noise
    word: Word  # without the factor B of a minibatch's noise
    coloured: bool  # whether that noise has covariance C instead of I
    coefficient: Any


@cache
def _terms(setting: Setting, time: str) -> tuple[_Term, ...]:
    forms = one_step(setting) if time == "discrete" else increments(setting)
    short = dict(setting.sampler.where)
    found = []
    for a, state in enumerate(setting.state):
        for (word, source), coefficient in forms[state].items():
            coloured = isinstance(source, Noise) and str(word[-1:]) == "(B,)"
            origin = source if isinstance(source, Noise) else setting.state.index(source)
            plain = word[:-1] if coloured else word
            found.append(_Term(a, origin, plain, coloured, sp.sympify(coefficient).subs(short)))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Chain:
    """A chain, with what derivatives of its stationary covariance need."""

    setting: Setting
    values: Values
    modes: Modes
    terms: tuple[_Term, ...]

    @property
    def stationary(self) -> Array:
        """The stacked covariance at the end of a period."""
        return self.modes.to_coordinates(solve(*self.modes.whole, self.modes.form.time))

    def along(self, symbol: Any, G: Array, tied: dict[Any, Any]) -> list[Any]:
        """The derivatives of functions of P with gradients G, along one symbol."""
        drift = [x for x in self.terms if not isinstance(x.source, Noise)]
        noise = [(x, y) for x in self.terms for y in self.terms if _one_noise(x, y)]
        weighed = [self._weight(symbol, x.coefficient, tied) for x in drift]
        # a product of two roots is none: its slope exists where a noise vanishes, at beta = alpha
        paired = [self._weight(symbol, x.coefficient * y.coefficient, tied) for x, y in noise]
        of_drift = [np.zeros((len(G), self.values.D, self.values.D)) for _ in drift]
        of_noise = [np.zeros((len(G), self.values.D, self.values.D)) for _ in noise]
        for clock, (Y, slope) in self._phases(G):
            for x, weight, total in zip(drift, weighed, of_drift, strict=True):
                total += weight[clock] * self._block(slope, x.target, x.source)
            for (x, y), weight, total in zip(noise, paired, of_noise, strict=True):
                total += weight[clock] * self._block(Y, x.target, y.target)
        is_matrix = isinstance(symbol, MatrixName)
        found = np.zeros((len(G), *(self.values.D,) * 2 * is_matrix))
        for x, total in zip(drift, of_drift, strict=True):
            word = self._product(x.word)
            found += self._through(symbol, x.word, total) if is_matrix else np.sum(total * word, (1, 2))
        for (x, y), total in zip(noise, of_noise, strict=True):
            other = self._product(y.word).T
            other = self.values.arrays["C"] @ other if x.coloured else other
            if is_matrix:  # the pair comes in either order
                found += self._through(symbol, x.word, 2 * total @ other.T)
            else:
                found += np.sum(total * (self._product(x.word) @ other), (1, 2))
        return [_shaped(symbol, one) for one in found]

    def _weight(self, symbol: Any, coefficient: Any, tied: dict[Any, Any]) -> Array:
        """At every phase: the coefficient, or where the symbol is a scalar, its derivative."""
        if not isinstance(symbol, MatrixName):
            moving = coefficient.subs(tied) if symbol == S else coefficient
            coefficient = sp.diff(moving, symbol)
        return clocked(coefficient, self.values, self.modes.phases)

    def _phases(self, G: Array) -> Iterator[tuple[int, tuple[Array, Array]]]:
        """Backwards: every phase with its Y, and the gradient with respect to its M."""
        Y = np.array([self._transposed(one) for one in G])
        P = self.stationary
        if self.modes.form.time == "continuous":
            yield 0, (Y, 2 * Y @ P)
            return
        _check_size(self.modes.phases, P.size)
        before = []
        for clock in range(self.modes.phases):
            before.append(P)
            if clock + 1 < self.modes.phases:
                M, Q = self._step(clock)
                P = M @ P @ M.T + Q
        for clock in reversed(range(self.modes.phases)):
            M, _ = self._step(clock)
            yield clock, (Y, 2 * Y @ M @ before[clock])
            Y = M.T @ Y @ M

    def _step(self, clock: int) -> tuple[Array, Array]:
        """M and Q of one step in coordinates."""
        wide, back = self._bases
        alone = np.eye(self.values.D)[:, :, None, None]  # no mode moves another
        M = wide @ _stacked(alone * self.modes.M(clock)[:, None]) @ back
        return M, self.modes.to_coordinates(self.modes.Q(clock))

    @property
    def _bases(self) -> tuple[Array, Array]:
        """From stacked modes to stacked coordinates, and back."""
        from scipy.linalg import block_diag

        return block_diag(*self.modes.bases), block_diag(*self.modes.inverses)

    def _transposed(self, G: Array) -> Array:
        """Y = M^T Y M + G over a period (or M^T Y + Y M + G = 0), mode by mode."""
        d, m = self.modes.size
        wide, back = self._bases
        inner = (wide.T @ G @ wide).reshape(m, d, m, d).transpose(1, 3, 0, 2)
        M = self.modes.whole[0]
        solved = solve(M.transpose(0, 2, 1), inner, self.modes.form.time)
        return np.asarray(back.T @ _stacked(solved) @ back)

    def _block(self, stacks: Array, a: int, b: int) -> Array:
        d = self.values.D
        return stacks[:, a * d : (a + 1) * d, b * d : (b + 1) * d]

    def _product(self, word: Word) -> Array:
        return product(word, self.values, float)

    def _through(self, symbol: Any, word: Word, slope: Array) -> Array:
        """From the gradient with respect to a word to that with respect to one of its letters."""
        total = np.zeros_like(slope)
        for k, letter in enumerate(word):
            if (letter.args[0] if isinstance(letter, Root) else letter) != symbol:
                continue
            here = self._product(word[:k]).T @ slope @ self._product(word[k + 1 :]).T
            total += _through_root(matrix(symbol, self.values), here) if letter != symbol else here
        return total


def _one_noise(x: _Term, y: _Term) -> bool:
    return isinstance(x.source, Noise) and x.source == y.source


def _stacked(blocks: Array) -> Array:
    """Pair blocks (mode, mode, state, state) as one matrix, state by state."""
    d, _, m, _ = blocks.shape
    return blocks.transpose(2, 0, 3, 1).reshape(m * d, m * d)


def _check_size(phases: int, size: int) -> None:
    if phases * size > _ENTRIES:
        raise UnusableInput(
            f"a period of at most {_ENTRIES // size} steps",
            str(phases),
            "shorten it, or compare two laws",
        )


def _through_root(whole: Array, slope: Array) -> Array:
    """From the gradient with respect to X^(1/2) to that with respect to X (Daleckii and Krein)."""
    eigenvalues, basis = np.linalg.eigh(whole)
    roots = np.sqrt(eigenvalues)
    inner = basis.T @ (slope + slope.transpose(0, 2, 1)) @ basis / 2
    return np.asarray(basis @ (inner / (roots[:, None] + roots[None])) @ basis.T)


def _shaped(symbol: Any, total: Array) -> Any:
    if not isinstance(symbol, MatrixName):
        return float(total)
    if isinstance(symbol, DiagonalName):
        return np.diag(total).copy()
    return (total + total.T) / 2 if symbol.is_positive else total
