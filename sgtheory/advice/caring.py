"""What a user cares about, and how far one run's answer is from it: bias and scatter, both exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory.advice.posed import Truth
from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.numbers import divergence
from sgtheory.numbers.coefficient import excess, variance_of_excess
from sgtheory.numbers.runs import Chain, RunAverage, Schedule
from sgtheory.onestep.full import Array, symmetric_root

UNITS: Mapping[str, str] = MappingProxyType(
    {
        "both": "of means in posterior standard deviations and of variances as shares, over {}",
        "mean": "in posterior standard deviations, over {}",
        "variance": "as a share of the posterior's variance, over {}",
        "worst": "of the mean, in posterior standard deviations, in its worst direction",
        "coefficient": "of the local learning coefficient, as a share of it",
        "kl": "the KL divergence from the law of the last state to the posterior",
    }
)
CARES = tuple(UNITS)


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
        """The root of the mean square of several quantities."""
        return cls(_root(bias**2 + variance), _root(bias**2), _root(variance))

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``advise --json``."""
        parts = {"value": self.value, "bias": self.bias, "scatter": self.scatter}
        return {name: x for name, x in parts.items() if x is not None}


@dataclass(frozen=True, eq=False)
class Care:
    """What is asked of a run; ``of`` are directions as rows, all coordinates or one that is given."""

    what: str
    of: Array
    given: bool

    @classmethod
    def about(cls, what: str, of: Any, dimension: int) -> Care:
        """The mean, the variance, ... of all coordinates, or of a linear functional."""
        if what not in CARES:
            raise UnusableInput(f"what matters among {', '.join(CARES)}", repr(what), "choose one")
        if of is None:
            return cls(what, np.eye(dimension), False)
        try:
            weights = np.asarray([float(x) for x in of])
        except (TypeError, ValueError):
            weights = np.zeros(0)
        if weights.shape != (dimension,) or not np.isfinite(weights).all() or not weights.any():
            wanted = f"{dimension} weights of a linear functional, not all zero"
            raise UnusableInput(wanted, str(of), "give one for each coordinate")
        if what in ("worst", "coefficient", "kl"):
            raise UnusableInput("a functional's mean or variance", what, "leave the functional out")
        return cls(what, weights[None], True)

    @property
    def words(self) -> str:
        """Such as ``both of a functional``."""
        return f"{self.what} of a functional" if self.given else self.what

    @property
    def unit(self) -> str:
        """What errors are measured in."""
        return UNITS[self.what].format("the functional" if self.given else "all coordinates")

    @property
    def of_last_state(self) -> bool:
        """Whether only the last state of a run counts, and no average."""
        return self.what == "kl"

    def error(self, chain: Chain, schedule: Schedule, truth: Truth) -> Error:
        """The expected error of a run, from its law and its autocovariances."""
        if not self.of_last_state:
            return Error.of(*self.parts(chain, schedule, truth))
        mean, covariance = chain.at(schedule.steps)
        if not divergence.is_definite(covariance):
            return Error(float("inf"))
        return Error(divergence.kl_to(covariance, mean, truth.precision))

    def parts(self, chain: Chain, schedule: Schedule, truth: Truth) -> tuple[Array, Array]:
        """Bias and variance of every quantity in its unit; of last states, those of theta itself."""
        scales = _along(self.of, truth.covariance)
        if self.of_last_state:
            mean, covariance = chain.at(schedule.steps)
            return self.of @ mean / np.sqrt(scales), _along(self.of, covariance) / scales
        found = chain.average(schedule)
        if self.what == "coefficient":
            half = len(found.bias) / 2  # the true coefficient of a quadratic loss
            bias = excess(chain, found.squares + found.mean_square) / half - 1
            return np.array([bias]), np.array([variance_of_excess(chain, schedule) / half**2])
        if self.what == "worst":
            direction = _worst(found, truth)
            return direction @ found.bias, _along(direction, found.covariance)
        biases, variances = [], []
        if self.what in ("both", "mean"):
            biases.append(self.of @ found.bias / np.sqrt(scales))
            variances.append(_along(self.of, found.covariance) / scales)
        if self.what in ("both", "variance"):
            biases.append(_along(self.of, found.squares) / scales - 1)
            variances.append(chain.scatter(schedule, self.of) / scales**2)
        return np.concatenate(biases), np.concatenate(variances)

    def deviations(
        self, chain: Chain, schedule: Schedule, truth: Truth, means: Array, variances: Array
    ) -> Array:
        """The deviations of runs (rows), of which averages, from the mode, and variances are known."""
        scales = _along(self.of, truth.covariance)
        if self.what == "coefficient":
            got, remedy = "the local learning coefficient", "law --coefficient tells what it is made of"
            raise UnusableInput("a check of means or variances", got, remedy)
        if self.what == "worst":
            return means @ _worst(chain.average(schedule), truth).T
        found = []
        if self.what != "variance":
            found.append(means @ self.of.T / np.sqrt(scales))
        if self.what in ("both", "variance"):
            if self.given:
                got, remedy = "the variance of a functional", "ask for the error of its mean"
                raise UnusableInput("a check of coordinates, or of means", got, remedy)
            found.append(variances / scales - 1)
        return np.concatenate(found, axis=1)


def _along(directions: Array, matrix: Array) -> Array:
    return np.asarray(((directions @ matrix) * directions).sum(axis=1))


def _root(squares: Array) -> float:
    """The root of a mean of squares."""
    return float(np.sqrt(max(float(np.mean(squares)), 0.0)))


def _worst(found: RunAverage, truth: Truth) -> Array:
    """The direction of the largest error of the mean, as a row in posterior units."""
    root = symmetric_root(truth.precision)
    return np.linalg.eigh(root @ found.mean_square @ root)[1][:, -1:].T @ root
