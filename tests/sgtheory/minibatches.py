"""Real minibatches by enumeration: every draw a step can make, and its affine map, in fractions.

Shares nothing with the package: samplers are written by hand from their documentation, a gradient is
the mean over the examples that were drawn, and moments are averages over all draws. No curvature, no
mode and no noise covariance is ever derived; a map is found by running the step on unit vectors.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product
from math import comb, factorial, lcm

import numpy as np

one = Fraction(1)


def exactly(rows):
    """Nested lists of numbers or strings as an array of fractions."""
    return np.vectorize(Fraction, otypes=[object])(np.array(rows, dtype=object))


def eye(n):
    return exactly([[int(i == j) for j in range(n)] for i in range(n)])


def whole(rows):
    """Fractions as whole numbers and their common denominator: sums then need no reducing."""
    common = lcm(*(x.denominator for x in rows.flat))
    return np.array([int(x * common) for x in rows.flat], dtype=object).reshape(rows.shape), common


def over(rows, common):
    return np.array([Fraction(x, common) for x in rows.flat], dtype=object).reshape(rows.shape)


def times(A, B):
    """The product of two matrices of fractions."""
    (a, p), (b, q) = whole(A), whole(B)
    return over(a @ b, p * q)


def solve(A, b):
    """A x = b in fractions, by elimination."""
    rows = [[*row, x] for row, x in zip(A.tolist(), b.tolist(), strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i, row in enumerate(rows):
            if i != k and row[k]:
                rows[i] = [x - row[k] * y for x, y in zip(row, rows[k], strict=True)]
    return np.array([row[-1] for row in rows], dtype=object)


@dataclass(frozen=True)
class GaussianMean:
    """One example's loss is half the squared distance to it."""

    X: object

    N = property(lambda self: len(self.X))
    D = property(lambda self: self.X.shape[1])

    def gradient(self, n, x):
        return x - self.X[n]

    def full(self, x):
        return sum(self.gradient(n, x) for n in range(self.N)) / self.N

    @cached_property
    def curvature(self):
        zero = exactly([0] * self.D)
        return np.array([self.full(e) - self.full(zero) for e in eye(self.D)]).T

    @cached_property
    def mode(self):
        return solve(self.curvature, -self.full(exactly([0] * self.D)))


@dataclass(frozen=True)
class LinearRegression(GaussianMean):
    """One example's loss is (X.x - y)^2 / (2 sigma2), and an N-th of the ridge ridge/2 |x|^2."""

    y: object
    ridge: Fraction
    sigma2: Fraction

    def gradient(self, n, x):
        return (self.X[n] @ x - self.y[n]) / self.sigma2 * self.X[n] + self.ridge / self.N * x


@dataclass(frozen=True)
class OneCurvature(GaussianMean):
    """A wrong twin: every example has its own gradient at the mode, but the mean curvature."""

    other: GaussianMean

    def gradient(self, n, x):
        other = self.other
        return other.curvature @ (x - other.mode) + other.gradient(n, other.mode)


def draws(N, S, replacement):
    """The minibatches of S out of N and their probabilities; the order within one does not matter."""
    if replacement:
        counted = Counter(tuple(sorted(b)) for b in product(range(N), repeat=S))
        return {batch: Fraction(times, N**S) for batch, times in counted.items()}
    return dict.fromkeys(combinations(range(N), S), Fraction(1, comb(N, S)))


def epochs(N, S):
    """The orders in which an epoch can meet its minibatches, and their probabilities."""
    cut = Counter(
        tuple(tuple(sorted(p[k : k + S])) for k in range(0, N, S)) for p in permutations(range(N))
    )
    return {epoch: Fraction(times, factorial(N)) for epoch, times in cut.items()}


class World:
    """What a sampler may ask for in one step: gradients on its minibatches, noises, its numbers."""

    def __init__(self, data, numbers, batches, clock):
        self.data, self.batches, self.t = data, batches, clock
        self.__dict__ |= numbers
        self.N, self.mode, self.full = data.N, data.mode, data.full
        self.rewind()

    def rewind(self, shaken=None):
        """Before a run: which coordinate of which noise is 1, all others being 0."""
        self.shaken, self.covariances = shaken, []
        return self

    def g(self, x, k=0):
        """The gradient on the step's minibatch number k."""
        batch = self.batches[k]
        return sum(self.data.gradient(n, x) for n in batch) / Fraction(len(batch))

    def noise(self, covariance):
        """Injected noise of mean zero: a number stands for that multiple of the identity."""
        d, k = self.data.D, len(self.covariances)
        whole = isinstance(covariance, np.ndarray)
        self.covariances.append(covariance if whole else covariance * eye(d))
        return eye(d)[self.shaken[1]] if self.shaken and self.shaken[0] == k else exactly([0] * d)


def affine_map(hand, world):
    """(M, c, Q) of one step on given minibatches: z becomes M z + c + noise of covariance Q."""
    d, m = world.data.D, len(hand.states)

    def run(z, shaken=None):
        return np.concatenate(hand.step(world.rewind(shaken), *np.split(z, m)))

    zero = exactly([0] * (d * m))
    c = run(zero)
    covariances = world.covariances
    M = np.array([run(e) - c for e in eye(d * m)]).T
    Q = 0 * M
    for k, covariance in enumerate(covariances):
        front = np.array([run(zero, (k, i)) - c for i in range(d)]).T
        Q = Q + front @ covariance @ front.T
    return M, c, Q


@dataclass(frozen=True)
class Moments:
    """What a random affine map does to E[y] and E[y y^T], y = (z, 1), as matrices."""

    mean: object
    second: object

    def after(self, earlier):
        return Moments(times(self.mean, earlier.mean), times(self.second, earlier.second))


def average(maps):
    """The Moments of affine maps that come with probabilities."""
    n = len(maps[0][1][0])
    T = np.array([eye(n + 1)] * len(maps))
    fresh = 0 * T
    for k, (_, (M, c, Q)) in enumerate(maps):
        T[k, :n, :n], T[k, :n, n], fresh[k, :n, :n] = M, c, Q
    (chances, p), (T, q), (fresh, r) = (
        whole(exactly([chance for chance, _ in maps])),
        whole(T),
        whole(fresh),
    )
    second = sum(x * np.kron(t, t) for x, t in zip(chances, T, strict=True)) * r
    second[:, -1] += q**2 * np.tensordot(chances, fresh, 1).ravel()
    mean = over(np.tensordot(chances, T, 1), p * q)
    return Moments(mean, over(_on_pairs(second, n + 1), p * q**2 * r))


def pairs(n):
    return [(i, j) for i in range(n) for j in range(i, n)]


def _on_pairs(kron, n):
    """A map on n x n matrices as one on the upper triangles of symmetric ones."""
    at = [i * n + j for i, j in pairs(n)]
    mirrored = [j * n + i for i, j in pairs(n)]
    twice = np.array([int(i != j) for i, j in pairs(n)], dtype=object)
    return kron[np.ix_(at, at)] + kron[np.ix_(at, mirrored)] * twice


class Chain:
    """A sampler on data, its moments from the maps of all draws. ``period`` is in steps."""

    def __init__(self, hand, data, numbers, S, replacement=True):
        self.hand, self.data, self.numbers, self.S = hand, data, numbers, S
        self.replacement = replacement
        self.period = hand.period(data.N, S, numbers)
        self.size = len(hand.states) * data.D
        self._steps = {}

    def step(self, clock=0):
        """The Moments of the step at a time of the clock."""
        clock = clock % self.period if self.period else clock
        if clock not in self._steps:
            choices = draws(self.data.N, self.S, self.replacement)
            self._steps[clock] = average(
                [
                    (np.prod([choices[b] for b in batches]), self._map(batches, clock))
                    for batches in product(choices, repeat=self.hand.draws)
                ]
            )
        return self._steps[clock]

    def _map(self, batches, clock):
        return affine_map(self.hand, World(self.data, self.numbers, batches, clock))

    def steps(self, n):
        """The Moments of n steps from clock 0."""
        if self.hand.reshuffled:
            return self._reshuffled(n)
        total = Moments(eye(self.size + 1), eye(len(pairs(self.size + 1))))
        for clock in range(n):
            total = self.step(clock).after(total)
        return total

    def _reshuffled(self, n):
        """Whole epochs, then the first minibatches of one more: within an epoch maps are composed."""
        whole, rest = divmod(n, self.period)
        total = self._epoch(rest)
        for _ in range(whole):
            total = total.after(self._epoch(self.period))
        return total

    def _epoch(self, length):
        maps = []
        for epoch, chance in epochs(self.data.N, self.S).items():
            M, c, Q = eye(self.size), exactly([0] * self.size), 0 * eye(self.size)
            for batch in epoch[:length]:
                A, b, R = self._map((batch,), 0)
                M, c, Q = A @ M, A @ c + b, A @ Q @ A.T + R
            maps.append((chance, (M, c, Q)))
        return average(maps)

    @cached_property
    def cycle(self):
        """The Moments of a whole period."""
        return self.steps(self.period)

    def stationary(self):
        """Mean and covariance at the end of a period, rounded only at the end."""
        K = self.cycle.second
        packed = solve(eye(len(K) - 1) - K[:-1, :-1], K[:-1, -1])
        return self._unpack([*packed, one])

    def after(self, n, start):
        """Mean and covariance after n steps from a fixed start."""
        y = [*start, one]
        first = np.array([y[i] * y[j] for i, j in pairs(len(y))], dtype=object)
        return self._unpack(self.steps(n).second @ first)

    def _unpack(self, packed):
        n = self.size
        second = 0 * eye(n + 1)
        for (i, j), value in zip(pairs(n + 1), packed, strict=True):
            second[i, j] = second[j, i] = value
        mean = second[:n, n]
        return mean.astype(float), (second[:n, :n] - np.outer(mean, mean)).astype(float)

    def contraction(self):
        """The linear part on second moments alone: the mean of M (x) M over a period, in float64."""
        n = self.size
        inner = [k for k, (i, j) in enumerate(pairs(n + 1)) if j < n]
        return self.cycle.second[np.ix_(inner, inner)].astype(float)


def _one(N, S, numbers):
    return 1


@dataclass(frozen=True)
class Hand:
    """A sampler by hand: ``step(world, *states)`` gives the new states."""

    states: tuple
    step: object
    draws: int = 1  # minibatches to a step
    period: object = _one
    reshuffled: bool = False


def sgd(w, theta):
    return (theta - w.eps * w.H @ w.g(theta),)


def averaged_sgd(w, theta, m):
    theta = theta - w.eps * w.H @ w.g(theta)
    return theta, Fraction(w.t, w.t + 1) * m + Fraction(1, w.t + 1) * theta


def iasg(w, theta, m):
    theta = theta - w.eps * w.H @ w.g(theta)
    k = w.t % w.T
    return theta, Fraction(k, k + 1) * m + Fraction(1, k + 1) * theta


def momentum(w, theta, v):
    v = (1 - w.mu) * v - w.eps * w.H @ w.g(theta)
    return theta + v, v


def momentum_position_first(w, theta, v):
    return theta + v, (1 - w.mu) * v - w.eps * w.H @ w.g(theta)


def nesterov(w, theta, v):
    v = (1 - w.mu) * v - w.eps * w.H @ w.g(theta + (1 - w.mu) * v)
    return theta + v, v


def sgld(w, theta):
    return (theta - w.eps / 2 * w.N * w.H @ w.g(theta) + w.noise(w.eps * w.H),)


def lmc(w, theta):
    return (theta - w.gamma * w.N * w.full(theta) + w.noise(2 * w.gamma),)


def sgldfp(w, theta):
    drift = w.g(theta) - w.g(w.mode) + w.full(w.mode)
    return (theta - w.gamma * w.N * drift + w.noise(2 * w.gamma),)


def sgfs(w, theta):
    front = w.H @ w.E
    return (theta - w.eps * w.H @ w.g(theta) + w.noise(w.eps * front @ front.T),)


def sgfs_scalar(w, theta):
    return (theta - w.eps * w.h * w.g(theta) + w.noise(w.eps * w.h**2 * w.E @ w.E.T),)


def sgfs_bounded(w, theta):
    return (theta - w.eps * w.h_max * w.g(theta) + w.noise(w.eps * w.h_max**2 * w.E @ w.E.T),)


def sghmc(w, theta, v):
    injected = w.noise(2 * (w.alpha - w.beta) * w.eta * w.tau)
    return theta + v, (1 - w.alpha) * v - w.eta * w.N * w.g(theta) + injected


def sghmc_velocity_first(w, theta, v):
    _, v = sghmc(w, theta, v)
    return theta + v, v


def refreshed(step):
    def again(w, theta, v):
        fresh = w.noise(w.eta * w.tau)
        return step(w, theta, fresh if w.t % w.L == 0 else v)

    return Hand(("theta", "v"), again, 1, lambda N, S, numbers: numbers["L"])


def splitting(word):
    """Underdamped Langevin dynamics: A drifts, B kicks, O is exact friction and noise, in shares."""

    def step(w, theta, v):
        kicks = 0
        for letter in word:
            part = w.eps / word.count(letter)
            if letter == "A":
                theta = theta + part * v
            elif letter == "B":
                v, kicks = v - part * w.N * w.g(theta, kicks), kicks + 1
            else:
                c = Fraction(np.exp(-float(w.gamma * part)))
                v = c * v + w.noise(w.tau * (1 - c * c))
        return theta, v

    return Hand(("theta", "v"), step, word.count("B"))


HAND = {
    **dict.fromkeys(("sgd", "sgd_diagonal", "sgd_square_root"), Hand(("theta",), sgd)),
    **dict.fromkeys(("sgfs", "sgfs_diagonal"), Hand(("theta",), sgfs)),
    "sgfs_scalar": Hand(("theta",), sgfs_scalar),
    "sgfs_bounded": Hand(("theta",), sgfs_bounded),
    "sgld": Hand(("theta",), sgld),
    "sgldfp": Hand(("theta",), sgldfp),
    "lmc": Hand(("theta",), lmc),
    "reshuffled_sgd": Hand(("theta",), sgd, 1, lambda N, S, numbers: N // S, True),
    "averaged_sgd": Hand(("theta", "m"), averaged_sgd, 1, lambda N, S, numbers: None),
    "iasg": Hand(("theta", "m"), iasg, 1, lambda N, S, numbers: numbers["T"]),
    "momentum": Hand(("theta", "v"), momentum),
    "momentum_position_first": Hand(("theta", "v"), momentum_position_first),
    "nesterov": Hand(("theta", "v"), nesterov),
    "sghmc": Hand(("theta", "v"), sghmc),
    "sghmc_refreshed": refreshed(sghmc),
    "sghmc_velocity_first_refreshed": refreshed(sghmc_velocity_first),
    "sghmc_velocity_first": Hand(("theta", "v"), sghmc_velocity_first),
    "underdamped": splitting("BAOAB"),
    "underdamped:OBABO": splitting("OBABO"),
    "underdamped:ABOBA": splitting("ABOBA"),
    "underdamped:BAO": splitting("BAO"),
}
