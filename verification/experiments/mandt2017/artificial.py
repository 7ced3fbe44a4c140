"""Section 7.2's artificial data: linear regression, drawn from its own model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.problem import Problem
from verification.experiments.problems import problem_on
from verification.experiments.record import Setting

RIDGE = 1  # the prior's precision
WORDS = (
    "Artificial data, drawn from the model as the paper draws its own: {N:,} covariates of {D} numbers"
    " with unit covariance, weights from the prior, noise of variance 1 (not printed)."
)
SETTINGS = (
    Setting("examples", "10,000", "section 7.2, Synthetic data"),
    Setting("dimension", "10", "section 7.2, Synthetic data"),
    Setting("covariates", "Gaussian with unit covariance", "section 7.2, Synthetic data"),
    Setting("prior's precision", "1", "section 7.2, Synthetic data"),
    Setting("variance of the noise in y", "", "", "1"),
)


@dataclass(frozen=True, eq=False)
class Artificial:
    """Covariates and responses, and the posterior that they have."""

    X: Any
    y: Any
    theta: Any  # the true weights
    sigma2: float = 1.0  # the variance of y about X theta

    @property
    def precision(self) -> Any:
        """Of the posterior."""
        return self.X.T @ self.X / self.sigma2 + RIDGE * np.eye(self.X.shape[1])

    @property
    def posterior(self) -> Any:
        """Its covariance."""
        return np.linalg.inv(self.precision)

    @property
    def mode(self) -> Any:
        """Its mean."""
        return np.linalg.solve(self.precision, self.X.T @ self.y / self.sigma2)

    @property
    def extremes(self) -> tuple[int, int]:
        """The coordinates with the smallest and the largest marginal variance."""
        variances = np.diag(self.posterior)
        return int(variances.argmin()), int(variances.argmax())

    @property
    def words(self) -> str:
        """What is said on the page."""
        return WORDS.format(N=len(self.X), D=self.X.shape[1])

    def problem(self, S: int, params: Mapping[str, Any], start: Any = None) -> Problem:
        """Real minibatches on these data, from the mode or another place."""
        content: dict[str, Any] = {"model": "linear_regression", "ridge": RIDGE, "S": S}
        content["sigma2"] = f"{self.sigma2:.17g}"
        begin = self.mode if start is None else start
        content |= {"params": dict(params), "start": {"theta": list(map(float, begin))}}
        return problem_on(content, X=self.X, y=self.y)


def artificial(rng: Any, N: int, D: int, sigma2: float = 1.0) -> Artificial:
    """Draw data from the model.

    >>> made = artificial(np.random.default_rng(1), 1000, 2)
    >>> bool(abs(made.mode - made.theta).max() < 0.2)
    True
    """
    X, theta = rng.standard_normal((N, D)), rng.standard_normal(D) / RIDGE**0.5
    return Artificial(X, X @ theta + sigma2**0.5 * rng.standard_normal(N), theta, sigma2)
