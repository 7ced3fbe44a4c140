"""A, C and the mode of a loss from the gradients of its examples, at the mode or at points around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.estimate.arrays import array, as_matrix, covariance, fractions
from sgtheory.estimate.fit import MORE_POINTS, fit
from sgtheory.problem import Problem
from sgtheory.reader import arrays as archives
from sgtheory.reader import exact
from sgtheory.reader.exact import Matrix, Vector


@dataclass(frozen=True)
class Estimate:
    """What gradients tell about a loss. The loss is the mean over N examples, and A its curvature.

    ``C`` is the covariance of one example's gradient, with divisor N, about ``mean_gradient``, which
    vanishes at a mode. ``residual`` is 0 for a quadratic loss: the part of the change of the gradients
    between points that is not explained, of mean gradients by one symmetric A, of each example's by a
    matrix of its own; the larger of the two. At D + 1 points only an asymmetry of A can show, for D = 1
    nothing (then it is None): give more points than that.

    >>> found = from_gradients([[1, 0], [0, 1], [-1, -1]])
    >>> found.C[0], found.mean_gradient
    ((Fraction(2, 3), Fraction(1, 3)), (Fraction(0, 1), Fraction(0, 1)))
    """

    C: Matrix
    mean_gradient: Vector
    N: int
    A: Matrix | None = None
    mode: Vector | None = None
    residual: float | None = None
    replacement: bool = True  # how minibatches are drawn, for problem()

    @property
    def fisher(self) -> Matrix:
        """The mean of g g^T, not centred: the empirical Fisher matrix. It is C only at a mode.

        >>> from_gradients([[1], [3]]).fisher
        ((Fraction(5, 1),),)
        """
        g = self.mean_gradient
        return tuple(tuple(c + g[i] * g[j] for j, c in enumerate(row)) for i, row in enumerate(self.C))

    @property
    def drift(self) -> float:
        """The share of the mean gradient in the empirical Fisher matrix (its trace): 0 at a mode.

        >>> from_gradients([[1], [3]]).drift
        0.8
        """
        total = sum(row[i] for i, row in enumerate(self.fisher))
        return float(sum(x * x for x in self.mean_gradient) / total) if total else 0.0

    @property
    def fisher_gap(self) -> float | None:
        """How far C is from A, relative to A in the Frobenius norm; None where A is not known.

        It is 0 if A = C (Mandt et al., Assumption 5): the loss is minus a log likelihood, the data were
        drawn from its model, and there are many of them.

        >>> from_gradients([[[-2], [0]], [[-1], [1]], [[0], [2]]], [[-1], [0], [1]]).fisher_gap
        0.0
        """
        if self.A is None:
            return None
        A = exact.floats(self.A)
        return float(np.linalg.norm(exact.floats(self.C) - A) / np.linalg.norm(A))

    def problem(self, S: Any, params: Mapping[str, Any]) -> Problem:
        """The quadratic problem with this A and C, about the mode: constant Gaussian noise.

        Without replacement the noise of a minibatch is smaller by (N - S)/(N - 1), here as there. That
        gradients of examples differ in curvature is left out: the data models keep it.

        >>> found = from_gradients([[[-3], [1]], [[-2], [2]], [[-1], [3]]], [[-1], [0], [1]])
        >>> found.problem(1, {"eps": "1/5"}).to_json()["noise"]
        [[4]]
        """
        if self.A is None:
            raise UnusableInput("a known curvature A", "gradients at one point", MORE_POINTS)
        size, left = exact.number(S, "S"), Fraction(1)
        if not self.replacement:
            if size > self.N:
                raise UnusableInput(f"S of at most N = {self.N}", f"S = {size}", "reduce S")
            left = (self.N - size) / max(self.N - 1, 1)
        A = np.array(self.A, object)
        return Problem.of(
            {
                "model": "quadratic",
                "hessian": ((A + A.T) / Fraction(2)).tolist(),
                "noise": [[left * c for c in row] for row in self.C],
                "N": self.N,
                "S": size,
                "params": params,
            }
        )


def from_gradients(gradients: Any, points: Any = None) -> Estimate:
    """C from gradients at the mode (N x D); A, C and the mode from gradients at points (P x N x D).

    With points (P x D, all N examples at each), A is the symmetric matrix that fits the mean gradients
    best, and C belongs to each example's gradient carried to the mode: both exact where every example's
    loss is quadratic and the points span all directions (up to rounding, for floats).

    >>> points = [[0, 0], [1, 0], [0, 1]]
    >>> examples = [(2, -1), (0, 1)]  # gradients at the origin
    >>> slopes = [[2 * x + y, x + 3 * y] for x, y in points]
    >>> gradients = [[(u + a, v + b) for a, b in examples] for u, v in slopes]
    >>> found = from_gradients(gradients, points)
    >>> exact.floats(found.A).tolist(), exact.floats(found.C).tolist()
    ([[2.0, 1.0], [1.0, 3.0]], [[1.0, -1.0], [-1.0, 1.0]])
    >>> found.mode, found.residual
    ((Fraction(-3, 5), Fraction(1, 5)), 0.0)
    """
    if points is None:
        at_mode = array(gradients, "gradients", "N x D")
        C, mean = covariance(at_mode)
        return Estimate(C, mean, len(at_mode))
    at_points, where = array(gradients, "gradients", "P x N x D"), array(points, "points", "P x D")
    if where.shape != (at_points.shape[0], at_points.shape[2]):
        raise UnusableInput(
            f"points {at_points.shape[0]} x {at_points.shape[2]}, as the gradients say",
            " x ".join(map(str, where.shape)),
            "give one point for each table of gradients",
        )
    found = fit(at_points, where)
    C, mean = covariance(found.at_mode)
    return Estimate(
        C, mean, len(found.at_mode), as_matrix(found.A), tuple(fractions(found.mode)), found.residual
    )


def read(path: str | Path) -> Estimate:
    """The same from an .npz file with the array ``gradients`` and, where there are several, ``points``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "g.npz", gradients=[[1.0], [-1.0]])
    ...     read(Path(folder) / "g.npz").C
    ((Fraction(1, 1),),)
    """
    what = "a readable .npz file of arrays"
    found = archives.archive(path, what=what, remedy="save it with numpy.savez(file, gradients=...)")
    others = ", ".join(sorted(set(found) - {"gradients", "points"}))
    if "gradients" not in found or others:
        raise UnusableInput(
            f'the arrays "gradients" and, where there are several, "points" in {Path(path).name}',
            ", ".join(found) or "nothing",
            f"drop or rename {others}" if others else "save the gradients there",
        )
    return from_gradients(**found)


def of_problem(problem: Problem) -> Estimate:
    """The same record for a problem on a data model, from its examples: exact, at the exact mode.

    >>> data = {"model": "gaussian_mean", "X": [[0], [1], [5]], "S": 1}
    >>> of_problem(Problem.of(data)).C
    ((Fraction(14, 3),),)
    """
    examples = problem.examples
    if examples is None:
        raise UnusableInput(
            "a problem on a data model",
            f"the model {problem.model.name}, which has no examples",
            "read A and C from its matrices",
        )
    C, mean = covariance(examples.at_mode)
    A, mode = examples.A, examples.mode
    return Estimate(C, mean, examples.N, A, mode, 0.0, problem.replacement)
