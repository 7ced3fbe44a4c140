"""What a user cares about, and how far one run's answer is from it: bias and scatter, both exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory.advice.posed import Posed, Truth
from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.numbers import divergence
from sgtheory.numbers.coefficient import excess, variance_of_excess
from sgtheory.numbers.extrapolated import Run
from sgtheory.numbers.runs import Chain, RunAverage, Schedule
from sgtheory.onestep.full import Array, symmetric_root
from sgtheory.reader import exact, native

LINEAR = ("both", "mean", "variance")  # what can be asked of a linear functional
UNITS: Mapping[str, str] = MappingProxyType(
    {
        "both": "of means in posterior standard deviations and of variances as shares, over {}",
        "mean": "in posterior standard deviations, over {}",
        "variance": "as a share of the posterior's variance, over {}",
        "worst": "of the mean, in posterior standard deviations, in its worst direction",
        "coefficient": "of the local learning coefficient, as a share of it",
        "predictive": "of predictive means, in their posterior standard deviations, over all examples",
        "quadratic": "of the quadratic functional, in its posterior standard deviation",
        "kl": "the KL divergence from the law of the last state to the posterior",
    }
)
CARES = tuple(UNITS)
_ROUNDED = 1e-12  # of a variance, in units of the posterior
AVERAGED = ("both", "mean", "variance", "predictive")  # of means over a run, each by itself
EXTRAPOLATED = ("both", "mean", "variance", "worst", "predictive", "quadratic")  # means over a run


@dataclass(repr=False, frozen=True)
class Error(Shown):
    """An expected error: its square is the bias squared plus the scatter from run to run squared.

    A divergence of laws has no parts.
    """

    value: float
    bias: float | None = None
    scatter: float | None = None

    @classmethod
    def of(cls, bias: Array, variance: Array) -> Error:
        """The root of the mean square of several quantities; infinite where rounding spoils it."""
        if np.any(variance < -_ROUNDED):  # near critical damping
            return cls(float("inf"), _root(bias**2), float("inf"))
        return cls(_root(bias**2 + variance), _root(bias**2), _root(variance))

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``advise --json``."""
        parts = {"value": self.value, "bias": self.bias, "scatter": self.scatter}
        return {name: x for name, x in parts.items() if x is not None}


@dataclass(frozen=True, eq=False)
class Care:
    """What is asked of a run; ``of`` are directions as rows, all coordinates or one that is given.

    Of "predictive" they stand for all examples, in posterior units; of "quadratic" they are the matrix.
    """

    what: str
    of: Array
    given: bool
    centre: Array  # the mode

    @classmethod
    def about(cls, what: str, of: Any, posed: Posed) -> Care:
        """The mean, the variance, ... of all coordinates, or of a functional."""
        if what not in CARES:
            raise UnusableInput(f"what matters among {', '.join(CARES)}", repr(what), "choose one")
        dimension, centre = len(posed.away), posed.centre
        if what == "quadratic":
            return cls(what, _matrix(of, dimension), True, centre)
        if of is None:
            directions = _predictors(posed) if what == "predictive" else np.eye(dimension)
            return cls(what, directions, False, centre)
        weights = _numbers(of)
        if weights.shape != (dimension,) or not weights.any():
            wanted = f"{dimension} weights of a linear functional, not all zero"
            raise UnusableInput(wanted, str(of), "give one for each coordinate")
        if what not in LINEAR:
            raise UnusableInput("a functional's mean or variance", what, "leave the functional out")
        return cls(what, weights[None], True, centre)

    @property
    def words(self) -> str:
        """Such as ``both of a functional``."""
        return f"{self.what} of a functional" if self.given and self.what in LINEAR else self.what

    @property
    def unit(self) -> str:
        """What errors are measured in."""
        return UNITS[self.what].format("the functional" if self.given else "all coordinates")

    @property
    def of_last_state(self) -> bool:
        """Whether only the last state of a run counts, and no average."""
        return self.what == "kl"

    def error(self, run: Run, schedule: Schedule, truth: Truth) -> Error:
        """The expected error of a run, from its law and its autocovariances."""
        if not self.of_last_state:
            return Error.of(*self.parts(run, schedule, truth))
        mean, covariance = _one(run).at(schedule.steps)
        if not divergence.is_definite(covariance):
            return Error(float("inf"))
        return Error(divergence.kl_to(covariance, mean, truth.precision))

    def parts(
        self, run: Run, schedule: Schedule, truth: Truth, centre: Array | float = 0.0
    ) -> tuple[Array, Array]:
        """Bias and variance of every quantity in its unit; of last states, those of theta itself.

        ``centre`` is how far from the mode is what a run's means are counted from.
        """
        if self.what == "quadratic":
            return self._quadratic(run, schedule, truth)
        scales = self._scales(truth)
        if self.of_last_state:
            mean, covariance = _one(run).at(schedule.steps)
            return self.of @ mean / np.sqrt(scales), _along(self.of, covariance) / scales
        found = run.average(schedule)
        if self.what == "coefficient":
            half, chain = len(found.bias) / 2, _one(run)  # half is the true coefficient of a quadratic
            bias = excess(chain, chain.products(schedule)) / half - 1
            return np.array([bias]), np.array([variance_of_excess(chain, schedule) / half**2])
        if self.what == "worst":
            direction = _worst(found, truth)
            return direction @ found.bias, _along(direction, found.covariance)
        biases, variances = [], []
        if self.what != "variance":
            biases.append(self.of @ (found.bias + centre) / np.sqrt(scales))
            variances.append(_along(self.of, found.covariance) / scales)
        if self.what in ("both", "variance"):
            biases.append(_along(self.of, found.squares) / scales - 1)
            variances.append(run.scatter(schedule, self.of) / scales**2)
        return np.concatenate(biases), np.concatenate(variances)

    def _scales(self, truth: Truth) -> Array:
        if self.what == "predictive":  # in posterior units already
            return np.ones(len(self.of))
        return _along(self.of, truth.covariance)

    def _quadratic(self, run: Run, schedule: Schedule, truth: Truth) -> tuple[Array, Array]:
        """Bias and variance of the mean of theta^T B theta, theta not from the mode."""
        found, B = run.average(schedule), self.of
        bias = 2 * self.centre @ B @ found.bias
        bias = bias + np.sum(B * (run.products(schedule) - truth.covariance))
        scale = self._spread(truth)
        variance = run.scatter_of_quadratic(schedule, B, self.centre)
        return np.array([bias / scale]), np.array([variance / scale**2])

    def _spread(self, truth: Truth) -> float:
        """The posterior standard deviation of the quadratic functional."""
        turned, slope = self.of @ truth.covariance, 2 * self.of @ self.centre
        return float(np.sqrt(slope @ truth.covariance @ slope + 2 * np.sum(turned * turned.T)))

    def deviations(self, run: Run, schedule: Schedule, truth: Truth, seen: Mapping[str, Array]) -> Array:
        """The deviations of runs (rows), of which something was ``seen`` of every coordinate.

        That is the "mean" from the mode, the "variance", and the mean of "squares" from the mode.
        """
        means = seen["mean"]
        if self.what == "quadratic":
            return self._deviation_of_quadratic(truth, means, seen["squares"])
        scales = self._scales(truth)
        if self.what == "coefficient":
            got, remedy = "the local learning coefficient", "law --coefficient tells what it is made of"
            raise UnusableInput("a check of means or variances", got, remedy)
        if self.what == "worst":
            return means @ _worst(run.average(schedule), truth).T
        found = []
        if self.what != "variance":
            found.append(means @ self.of.T / np.sqrt(scales))
        if self.what in ("both", "variance"):
            if self.given:
                got, remedy = "the variance of a functional", "ask for the error of its mean"
                raise UnusableInput("a check of coordinates, or of means", got, remedy)
            found.append(seen["variance"] / scales - 1)
        return np.concatenate(found, axis=1)

    def _deviation_of_quadratic(self, truth: Truth, means: Array, squares: Array) -> Array:
        diagonal = np.diag(self.of)
        if np.any(self.of != np.diag(diagonal)):
            got, remedy = "one with products of coordinates", "check one that has none"
            raise UnusableInput("a check of a quadratic functional of squares", got, remedy)
        away = squares @ diagonal - diagonal @ np.diag(truth.covariance)
        return ((2 * means @ self.of @ self.centre + away) / self._spread(truth))[:, None]


def _numbers(of: Any) -> Array:
    """Numbers of any kind, or rows of them, as an array; none where rows differ in length."""
    rows = _each(native.plain(of))
    try:
        return np.asarray(rows, float)
    except ValueError:
        return np.zeros(0)


def _each(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_each(one) for one in value]
    return float(exact.number(value, "a functional"))


def _matrix(of: Any, dimension: int) -> Array:
    """The symmetric matrix of a quadratic functional."""
    found = np.zeros(0) if of is None else _numbers(of)
    if found.shape != (dimension, dimension) or not found.any() or np.any(found != found.T):
        wanted = f"a symmetric matrix, {dimension} x {dimension} and not zero, of theta^T B theta"
        raise UnusableInput(wanted, str(of), "give its rows, such as 1,0;0,2")
    return found


def _predictors(posed: Posed) -> Array:
    """Directions whose mean square is that over all examples, each in its posterior unit."""
    X = posed.asked.data.get("X")
    if X is None or posed.asked.model.shape or X.shape[1] != len(posed.away):
        got, remedy = posed.asked.model.name, "ask for the error of means, or of a functional"
        raise UnusableInput("a linear model of rows X, for its predictive means", got, remedy)
    rows = np.asarray(X, float)
    scales = _along(rows, posed.truth.covariance)
    rows, scales = rows[scales > 0], scales[scales > 0]
    mean = (rows / scales[:, None]).T @ rows / len(X)
    return symmetric_root(len(mean) * mean)


def _one(run: Run) -> Chain:
    """The chain of a question that is not about means, which are all that can be extrapolated."""
    assert isinstance(run, Chain)
    return run


def _along(directions: Array, matrix: Array) -> Array:
    return np.asarray(((directions @ matrix) * directions).sum(axis=1))


def _root(squares: Array) -> float:
    """The root of a mean of squares."""
    return float(np.sqrt(max(float(np.mean(squares)), 0.0)))


def _worst(found: RunAverage, truth: Truth) -> Array:
    """The direction of the largest error of the mean, as a row in posterior units."""
    root = symmetric_root(truth.precision)
    return np.linalg.eigh(root @ found.mean_square @ root)[1][:, -1:].T @ root
