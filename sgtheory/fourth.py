"""Third and fourth moments of the stationary law, exactly: how far from Gaussian it is.

With Gaussian noise an affine chain is Gaussian. With real minibatches one step is y' = T_B y + g, y =
(z, 1), where T_B is the mean of one matrix T_n per example of the minibatch, and g Gaussian. Then
E[y y y y] obeys a linear equation whose operator is the mean of T_B (x) T_B (x) T_B (x) T_B: a sum over
the partitions of the four places into those that meet the same example.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.affine import one_step
from sgtheory.declare import Noise, Spread
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.full import Array, product, scalar
from sgtheory.problem import Problem, Values
from sgtheory.setting import Setting

_LARGEST = 6  # states times dimension: the operator is tabled on (6 + 1)^8 entries
_ROWS = 256  # examples at a time

Partition = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Fourth:
    """Moments of theta in the stationary law, coordinate by coordinate.

    ``radius`` is the factor by which fourth moments forget their start at each step.
    """

    skewness: Array
    excess_kurtosis: Array
    radius: float

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``law --json``."""
        return {
            "skewness": self.skewness.tolist(),
            "excess_kurtosis": self.excess_kurtosis.tolist(),
            "radius": self.radius,
        }


def fourth_moments(sampler: Any, problem: Problem) -> Fourth:
    """Skewness and excess kurtosis of every coordinate of theta.

    The mean of two numbers, with minibatches of one: z' = (1 - eps) z +- eps with equal chances. So
    k4 (1 - (1 - eps)^4) = -2 eps^4 and k2 (1 - (1 - eps)^2) = eps^2; at eps = 1/2 the law is uniform.

    >>> coin = {"model": "gaussian_mean", "X": [[-1], [1]], "S": 1, "params": {"eps": "1/2"}}
    >>> problem = Problem.of(coin)
    >>> fourth_moments("sgd", problem).excess_kurtosis.round(12)
    array([-1.2])
    """
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    values = problem.values(setting.sampler)
    if problem.model.example is None:
        from sgtheory.numeric import law

        found = law(setting.sampler, problem).require_stable()
        zero = np.zeros(values.D)
        return Fourth(zero, zero, found.spectral_radius)
    _check(setting, values)
    steps = _examples(setting, values)
    operator = _operator(steps, values, problem.replacement) + _injected(steps, setting, values)
    return _moments(operator, steps.shape[1], values.D)


def _check(setting: Setting, values: Values) -> None:
    name, size = setting.sampler.name, len(setting.state) * values.D
    if setting.period != 1 or len(setting.sampler.gradients) != 1 or setting.reshuffled:
        raise UnusableInput("steps that are alike, with one minibatch each", name, "ask for sgd")
    if size > _LARGEST:
        raise UnusableInput(
            f"at most {_LARGEST} coordinates of all states", str(size), "drop columns of the data"
        )


def _examples(setting: Setting, values: Values) -> Array:
    """T_n of every example: how it would move (z, 1) if it were the minibatch."""
    d, states = values.D, setting.state
    n, size = values.examples.N, len(states) * d
    h, U, V = values.examples.floats
    root = float(values.scalars["f"] / values.scalars["S"]) ** 0.5
    T = np.zeros((n, size + 1, size + 1))
    T[:, size, size] = 1.0
    for a, state in enumerate(states):
        rows = slice(a * d, (a + 1) * d)
        for (word, source), coefficient in one_step(setting)[state].items():
            value = scalar(coefficient, values)
            spread = [k for k, letter in enumerate(word) if isinstance(letter, Spread)]
            if len(spread) > 1:
                raise UnusableInput("one minibatch to a step", setting.sampler.name, "ask for sgd")
            if spread:
                (k,) = spread
                front, inner = (product(w, values, float) for w in (word[:k], word[k + 1 :]))
                assert U is not None
                assert V is not None
                own = (
                    np.einsum("ni,nj->nij", V @ front.T, U @ inner)
                    - front @ values.examples.shared @ inner
                )
                b = states.index(source)
                T[:, rows, b * d : (b + 1) * d] += value * own
            elif isinstance(source, Noise) and str(word[-1:]) == "(B,)":
                if root:
                    T[:, rows, size] += value / root * h @ product(word[:-1], values, float).T
            elif not isinstance(source, Noise):
                b = states.index(source)
                T[:, rows, b * d : (b + 1) * d] += value * product(word, values, float)
    return T


def _injected(T: Array, setting: Setting, values: Values) -> Array:
    """What Gaussian noise adds: six pairs of places with its covariance, and three pairs of pairs."""
    d, size = values.D, T.shape[1]
    G = np.zeros((size, size))
    columns: dict[Any, Array] = {}
    for a, state in enumerate(setting.state):
        for (word, source), coefficient in one_step(setting)[state].items():
            if source in setting.sampler.noises:
                block = columns.setdefault(source, np.zeros((size, d)))
                block[a * d : (a + 1) * d] += scalar(coefficient, values) * product(word, values, float)
    for block in columns.values():
        G += block @ block.T
    last = np.zeros(size)
    last[-1] = 1.0
    pair = _pairs(T, values)
    total = np.zeros((size,) * 8)
    for places in ("abcd", "acbd", "adbc", "bcad", "bdac", "cdab"):
        o = places  # the noise is in the first two places, whose old values do not matter: they are 1
        i = o.upper()
        total += np.einsum(
            f"{o[:2]},{i[0]},{i[1]},{o[2]}{o[3]}{i[2]}{i[3]}->abcdABCD", G, last, last, pair
        )
    for first, second in (("ab", "cd"), ("ac", "bd"), ("ad", "bc")):
        total += np.einsum(f"{first},{second},A,B,C,D->abcdABCD", G, G, last, last, last, last)
    return total


def _pairs(T: Array, values: Values) -> Array:
    """The mean of T_B (x) T_B."""
    n, S = len(T), int(values.scalars["S"])
    both = np.einsum("nij,nkl->ikjl", T, T) / n
    mean = T.mean(axis=0)
    apart = np.einsum("ij,kl->ikjl", mean, mean)
    share = float(values.scalars["f"]) / S
    return share * both + (1 - share) * apart


def _operator(T: Array, values: Values, replacement: bool) -> Array:
    """The mean of T_B in four places, indices (out 1-4, in 1-4)."""
    means = {k: _mean_power(T, k) for k in (1, 2, 3, 4)}
    n, S, size = len(T), int(values.scalars["S"]), T.shape[1]
    total = np.zeros((size,) * 8)
    for partition in partitions((0, 1, 2, 3)):
        weight = _with_replacement(partition, S) if replacement else _without(partition, n, S)
        operands: list[Any] = []
        for block in partition:
            operands += [means[len(block)], [*block, *(k + 4 for k in block)]]
        total += weight * np.einsum(*operands, list(range(8)))
    return total


def _mean_power(T: Array, k: int) -> Array:
    """The mean over examples of T_n in k places: (out 1-k, in 1-k)."""
    size = T.shape[1]
    flat = T.reshape(len(T), -1)
    pairs_, rest = k // 2, k % 2
    total: Any = 0.0
    for begin in range(0, len(T), _ROWS):
        one = flat[begin : begin + _ROWS]
        two = np.einsum("na,nb->nab", one, one).reshape(len(one), -1) if pairs_ else one
        left = two if pairs_ == 2 else one if rest and pairs_ else np.ones((len(one), 1))
        total = total + left.T @ two
    shape = np.asarray(total / len(T)).reshape((size, size) * k)
    return shape.transpose([*range(0, 2 * k, 2), *range(1, 2 * k, 2)])


def partitions(places: tuple[int, ...]) -> Iterator[Partition]:
    """All partitions of a set.

    >>> len(list(partitions((0, 1, 2, 3))))
    15
    """
    if not places:
        yield ()
        return
    first, *rest = places
    for smaller in partitions(tuple(rest)):
        yield ((first,), *smaller)
        for k, block in enumerate(smaller):
            yield (*smaller[:k], (first, *block), *smaller[k + 1 :])


def _falling(n: int, k: int) -> int:
    return math.prod(range(n - k + 1, n + 1)) if k <= n else 0


def _with_replacement(partition: Partition, S: int) -> float:
    """The chance that exactly these of four draws from a minibatch are the same draw."""
    return _falling(S, len(partition)) / S**4


def _without(partition: Partition, n: int, S: int) -> float:
    """The same where draws are of different examples: Moebius inversion over finer partitions."""
    total = 0.0
    for finer in partitions((0, 1, 2, 3)):
        merged = [sum(set(f) <= set(block) for f in finer) for block in partition]
        if sum(merged) != len(finer):
            continue
        moebius = math.prod((-1) ** (k - 1) * math.factorial(k - 1) for k in merged)
        drawn = _falling(S, len(finer))
        if drawn:
            total += drawn / _falling(n, len(finer)) * moebius
    return total * n ** len(partition) / S**4


def _moments(operator: Array, size: int, d: int) -> Fourth:
    """The fixed point on symmetric tensors, and what it says of theta."""
    indices = list(combinations_with_replacement(range(size), 4))
    at = {index: k for k, index in enumerate(indices)}
    packed = np.zeros((len(indices), len(indices)))
    for index, k in at.items():
        row = operator[index]
        for other, j in at.items():
            packed[k, j] = sum(row[p] for p in set(permutations(other)))
    inner, source = packed[:-1, :-1], packed[:-1, -1]  # the last is E[1] = 1
    radius = float(np.abs(np.linalg.eigvals(inner)).max())
    if radius >= 1:
        raise Unstable(f"fourth moments grow by {radius:.6g} a step: the law has none")
    solved = np.linalg.solve(np.eye(len(inner)) - inner, source)
    moments = dict(zip(indices, (*solved, 1.0), strict=True))
    return _of_coordinates(moments, size - 1, d, radius)


def _of_coordinates(moments: Mapping[Any, float], one: int, d: int, radius: float) -> Fourth:
    second, third, fourth = (
        np.array([moments[(*(k,) * order, *(one,) * (4 - order))] for k in range(d)])
        for order in (2, 3, 4)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return Fourth(third / second**1.5, fourth / second**2 - 3, radius)
