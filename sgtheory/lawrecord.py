"""The record of a law in numbers, and how its parts are put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sgtheory import observables
from sgtheory.errors import Unstable
from sgtheory.full import Array, center
from sgtheory.problem import Values
from sgtheory.setting import Setting

_OPTIONAL = (
    "mean_square_radius", "kl_to_posterior", "kl_from_posterior", "wasserstein2", "period",
    "at", "residual",
)  # fmt: skip


@dataclass(frozen=True)
class NumericLaw:
    """A law in numbers. ``covariance`` maps pairs of states, such as ``("theta", "v")``, to matrices.

    Of a sampler whose updates repeat with a period, this is the law at the end of a period. KL
    divergences and the Wasserstein distance are between the law of the state that is meant to be the
    sample (theta, or a mean of iterates) and the posterior.
    """

    sampler: str
    time: str
    states: tuple[str, ...]
    stable: bool
    spectral_radius: float
    mean_square_radius: float | None = None  # of second moments, where noise depends on the state
    mean: Mapping[str, Array] = field(default_factory=dict)
    covariance: Mapping[tuple[str, str], Array] | None = None
    kl_to_posterior: float | None = None
    kl_from_posterior: float | None = None
    wasserstein2: float | None = None
    average: observables.Average | None = None
    autocorrelation_time: Array | None = None  # of every coordinate of theta, in steps
    ess_per_pass: Array | None = None
    temperature: Mapping[str, float] = field(default_factory=dict)
    period: int | None = None
    at: int | None = None
    residual: float | None = None
    unstable_because: str = ""

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.law/1; keys that do not apply are absent."""
        document: dict[str, Any] = {
            "schema": "sgtheory.law/1",
            "sampler": self.sampler,
            "time": self.time,
            "state": list(self.states),
            "stable": self.stable,
        }
        if not np.isnan(self.spectral_radius):
            document["spectral_radius"] = self.spectral_radius
            document["spectral_gap"] = 1 - self.spectral_radius
        if self.covariance is not None:
            document["mean"] = {k: v.tolist() for k, v in self.mean.items()}
            document["covariance"] = {f"{a},{b}": v.tolist() for (a, b), v in self.covariance.items()}
        if self.average is not None:
            document["average"] = self.average.to_json()
        for key in ("autocorrelation_time", "ess_per_pass"):
            if getattr(self, key) is not None:
                document[key] = [x if np.isfinite(x) else None for x in getattr(self, key).tolist()]
        if self.temperature:
            document["temperature"] = dict(self.temperature)
        document |= {k: getattr(self, k) for k in _OPTIONAL if getattr(self, k) is not None}
        if self.unstable_because:
            document["limit"] = self.unstable_because
        return document

    def require_stable(self) -> NumericLaw:
        """The law itself, or the error that names the limit."""
        if not self.stable:
            raise Unstable(self.unstable_because)
        return self

    def __repr__(self) -> str:
        word = "stable" if self.stable else "unstable"
        return f"<NumericLaw of {self.sampler}, {self.time} time, {word}>"

    def _repr_html_(self) -> str:
        from sgtheory.display import table

        rows: dict[str, Any] = {"stable": self.stable, "spectral radius": float(self.spectral_radius)}
        rows |= {f"mean of {name}": value for name, value in self.mean.items()}
        rows |= {f"covariance of {a} and {b}": v for (a, b), v in (self.covariance or {}).items()}
        if self.kl_to_posterior is not None:
            rows["KL divergence to the posterior"] = float(self.kl_to_posterior)
        if self.ess_per_pass is not None:
            rows["effective samples a pass"] = self.ess_per_pass
        return table(f"The law of {self.sampler} in {self.time} time", rows)


def in_place(setting: Setting, values: Values, means: Mapping[str, Array]) -> dict[str, Array]:
    """Means of the sampler's states where they are, no longer measured from the mode."""
    moving = setting.sampler.positions
    return {s.name: means[s.name] + center(values) * (s in moving) for s in setting.sampler.state}


def split(stacked: Array, names: tuple[str, ...], d: int) -> dict[tuple[str, str], Array]:
    """The blocks of a stacked covariance, by pair of states in their order."""
    return {
        (a, b): stacked[i * d : (i + 1) * d, j * d : (j + 1) * d]
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i <= j
    }
