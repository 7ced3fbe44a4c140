"""A question as it is posed: a problem with the truth about its posterior, and where a run starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.datamodels.keeping import but
from sgtheory.errors import UnusableInput
from sgtheory.onestep.full import Array, precision
from sgtheory.problem import Problem, Values
from sgtheory.reader.exact import Matrix
from sgtheory.reader.reading import row
from sgtheory.setting import Setting

STARTS = {
    "typical": "one posterior standard deviation from the mode along every principal axis, as far as a"
    " draw of the posterior is",
    "mode": "at the mode",
    "zero": "at theta = 0",
    "given": "where the problem says",
}
APPROXIMATE = (
    "The model is not quadratic. This is the answer for its quadratic at the mode: the curvature and"
    " the gradient noise that were found there, and a normal posterior with that mean, from which all"
    " errors are counted. A check runs the model itself, and shows what that leaves out."
)


@dataclass(frozen=True, eq=False)
class Truth:
    """What an average is held against: the posterior, its mean being the mode."""

    covariance: Array

    @cached_property
    def precision(self) -> Array:
        """The posterior's precision."""
        return np.linalg.inv(self.covariance)


@dataclass(frozen=True, eq=False)
class Posed:
    """A problem whose laws are exact, and the vector from its mode to the start of a run."""

    problem: Problem  # of a model that is not quadratic, its quadratic at the mode
    asked: Problem  # as the user gave it
    start: str  # one of STARTS
    away: Array

    @classmethod
    def of(cls, problem: Problem, start: str | None) -> Posed:
        """The question for a problem file's content and the name of a start."""
        if "N" not in problem.sizes and problem.examples is None:
            raise UnusableInput(
                "N, which the posterior depends on", "none", 'add "N": 100 to the problem'
            )
        exact, centre = problem, _mode(problem)
        if problem.model.nonlinear or problem.model.shape:
            exact = _quadratic(problem)
        given = problem.start.get("theta")
        name = start or ("given" if given is not None else "typical")
        if name not in STARTS:
            raise UnusableInput(f"a start among {', '.join(STARTS)}", repr(start), "choose one of these")
        if name == "given" and given is None:
            raise UnusableInput("a start in the problem", "none", 'add "start": {"theta": [0, 0]}')
        posed = cls(exact, problem, name, centre * 0)
        if name == "typical":
            return replace(posed, away=posed.typical)
        there = centre if name == "mode" else np.array([float(x) for x in given or [0] * problem.D])
        return replace(posed, away=there - centre)

    @cached_property
    def truth(self) -> Truth:
        """The posterior."""
        sgd = registry.sampler("sgd")
        sizes = {"S": Fraction(1)} | dict(self.problem.sizes)
        problem = but(self.problem, sizes=MappingProxyType(sizes), params={}).with_params(eps=1)
        found = np.linalg.inv(precision(Setting(sgd, self.problem.model), problem.values(sgd)))
        return Truth((found + found.T) / 2)

    @property
    def typical(self) -> Array:
        """The sum of the posterior's principal axes, each as long as its standard deviation."""
        variances, axes = np.linalg.eigh(self.truth.covariance)
        signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(len(axes))])
        return (axes * signs) @ np.sqrt(variances)

    @property
    def curvature(self) -> Array:
        """The curvature of the mean loss at the mode."""
        examples = self.problem.examples
        return np.array(examples.A if examples else self.problem.matrices["A"], float)

    @property
    def centre(self) -> Array:
        """The mode."""
        return _mode(self.problem if self.asked.examples is None else self.asked)

    @property
    def N(self) -> float:
        """How many examples there are."""
        return float(self.problem.sizes["N"])

    def started(self, problem: Problem) -> Problem:
        """The exact problem, or the user's own, with the start of a run in it."""
        there = _mode(problem) + self.away
        return but(problem, start=MappingProxyType({"theta": row([Fraction(x) for x in there])}))


def scaled(values: Values, curvature: Fraction, noise: Fraction) -> Values:
    """A sampler's numbers where the curvature, or the covariance of gradients, is larger by a factor."""
    factors = {"A": curvature, "C": noise}
    changed = {name: _times(values.matrices[name], x) for name, x in factors.items() if x != 1}
    matrices = {**values.matrices, **changed}
    examples = values.examples
    if examples is not None:
        examples = examples.scaled(float(curvature), float(noise))
    return replace(values, matrices=MappingProxyType(matrices), examples=examples)


def _times(matrix: Any, factor: Fraction) -> Any:
    return tuple(tuple(x * factor for x in line) for line in matrix)


def _mode(problem: Problem) -> Array:
    if problem.examples is None:
        return np.zeros(problem.D)
    return np.array([float(x) for x in problem.examples.mode])


def _quadratic(problem: Problem) -> Problem:
    """The quadratic that a model is at its mode."""
    examples = problem.examples
    if examples is None:
        got, remedy = problem.model.name, "give its A and C as a quadratic model"
        raise UnusableInput("a model with a curvature at its mode", got, remedy)
    return quadratic(examples.A, examples.C, problem.sizes)


def quadratic(A: Matrix, C: Matrix, sizes: Mapping[str, Any]) -> Problem:
    """That of a curvature and a gradient noise: those at a mode, or in the mean over places."""
    own = {name: sizes[name] for name in ("N", "S") if name in sizes}
    return Problem.of({"model": "quadratic", "hessian": A, "noise": C, **own})
