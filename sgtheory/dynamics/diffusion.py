"""Diffusions dX = b dt + sigma dW: generator, Fokker-Planck residual of a density, divergence term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import sympy as sp

from sgtheory.errors import UnusableInput


@dataclass(frozen=True)
class Diffusion:
    """A drift and the columns of a noise matrix, one row to a state; read as Ito or Stratonovich.

    >>> x, v = sp.symbols("x v", real=True)
    >>> gamma, T = sp.symbols("gamma T", positive=True)
    >>> U = sp.Function("U")(x)
    >>> langevin = Diffusion((x, v), (v, -U.diff(x) - gamma * v), ((0,), (sp.sqrt(2 * gamma * T),)))
    >>> langevin.residual(-(U + v**2 / 2) / T)
    0
    """

    state: tuple[Any, ...]
    drift: tuple[Any, ...]
    noise: tuple[tuple[Any, ...], ...]
    reading: str = "Ito"  # or "Stratonovich"

    def __post_init__(self) -> None:
        for what in ("drift", "noise"):
            rows: Any = getattr(self, what)
            if len(rows) != len(self.state):
                raise UnusableInput(
                    f"as many entries of the {what} as states ({len(self.state)})",
                    str(len(rows)),
                    "add 0",
                )
        if self.reading not in ("Ito", "Stratonovich"):
            raise UnusableInput("Ito or Stratonovich", repr(self.reading), "choose one")
        object.__setattr__(self, "drift", tuple(map(sp.sympify, self.drift)))
        object.__setattr__(self, "noise", tuple(tuple(map(sp.sympify, r)) for r in self.noise))

    @property
    def dimension(self) -> int:
        """How many states."""
        return len(self.state)

    @cached_property
    def covariance(self) -> tuple[tuple[Any, ...], ...]:
        """sigma sigma^T, the rate at which variance grows."""
        return tuple(
            tuple(sp.Add(*(a * b for a, b in zip(r, s, strict=True))) for s in self.noise)
            for r in self.noise
        )

    @cached_property
    def ito_drift(self) -> tuple[Any, ...]:
        """The drift of the Ito form: in Stratonovich form, plus half of (sigma . grad) sigma.

        >>> x = sp.Symbol("x", real=True)
        >>> Diffusion((x,), (0,), ((x,),), "Stratonovich").ito_drift
        (x/2,)
        """
        if self.reading == "Ito":
            return self.drift
        along = range(len(self.noise[0]))
        return tuple(
            b
            + sp.Rational(1, 2)
            * sp.Add(
                *(
                    self.noise[j][k] * sp.diff(self.noise[i][k], y)
                    for j, y in enumerate(self.state)
                    for k in along
                )
            )
            for i, b in enumerate(self.drift)
        )

    @cached_property
    def divergence(self) -> tuple[Any, ...]:
        """Gamma_i = sum_j d_j (sigma sigma^T)_ij / 2, which a drift along the score needs beside it."""
        return tuple(
            sp.Add(*(sp.diff(a, y) for a, y in zip(row, self.state, strict=True))) / 2
            for row in self.covariance
        )

    def generator(self, f: Any) -> Any:
        """L f."""
        pairs = [(i, j) for i in range(self.dimension) for j in range(self.dimension)]
        first = (b * sp.diff(f, y) for b, y in zip(self.ito_drift, self.state, strict=True))
        second = (self.covariance[i][j] * sp.diff(f, self.state[i], self.state[j]) / 2 for i, j in pairs)
        return sp.Add(*first, *second)

    def adjoint(self, p: Any) -> Any:
        """L* p, the rate at which a density p changes.

        >>> x = sp.Symbol("x", real=True)
        >>> Diffusion((x,), (-x,), ((1,),)).adjoint(x**2)
        3*x**2 + 1
        """
        carried = (sp.diff(b * p, y) for b, y in zip(self.ito_drift, self.state, strict=True))
        spread = (
            sp.diff(self.covariance[i][j] * p, self.state[i], self.state[j]) / 2
            for i in range(self.dimension)
            for j in range(self.dimension)
        )
        return sp.expand(sp.Add(*spread) - sp.Add(*carried))

    def current(self, log_density: Any) -> tuple[Any, ...]:
        """The drift that the noise does not account for: b - (a grad log pi + div a)/2.

        Times the density it is the current of probability; the process is reversible where it is zero.
        """
        slope = score(log_density, self.state)
        return tuple(
            sp.expand(b - g - sp.Add(*(a * s for a, s in zip(row, slope, strict=True))) / 2)
            for b, g, row in zip(self.ito_drift, self.divergence, self.covariance, strict=True)
        )

    def gained(self, log_density: Any) -> tuple[Any, Any]:
        """What the drift takes away and what the noise brings, per time and relative to the density.

        The density is invariant where both are equal.
        """
        slope = [sp.diff(log_density, y) for y in self.state]
        taken = sp.Add(
            *(sp.diff(b, y) + b * s for b, y, s in zip(self.ito_drift, self.state, slope, strict=True))
        )
        brought = sp.Integer(0)
        for i, y in enumerate(self.state):
            for j, z in enumerate(self.state):
                a = self.covariance[i][j]
                brought += sp.diff(a, y, z) + sp.diff(a, y) * slope[j] + sp.diff(a, z) * slope[i]
                brought += a * (sp.diff(log_density, y, z) + slope[i] * slope[j])
        return taken, brought / 2

    def residual(self, log_density: Any) -> Any:
        """(L* pi)/pi, expanded: zero exactly where the density is invariant."""
        taken, brought = self.gained(log_density)
        return sp.expand(brought - taken)

    def with_drift(self, drift: Sequence[Any]) -> Self:
        """Another drift, read as Ito."""
        return replace(self, drift=tuple(drift), reading="Ito")


def score(log_density: Any, state: Sequence[Any]) -> tuple[Any, ...]:
    """The gradient of a log density."""
    return tuple(sp.diff(log_density, y) for y in state)


def gaussian(state: Sequence[Any], covariance: Any) -> Any:
    """The log density of a normal law of mean zero, up to a constant.

    >>> x, s = sp.Symbol("x", real=True), sp.Symbol("s", positive=True)
    >>> gaussian((x,), [[s]])
    -x**2/(2*s)
    """
    x = sp.Matrix(list(state))
    return -(x.T * sp.Matrix(covariance).inv() * x)[0] / 2


def coordinates(name: str, size: int) -> tuple[Any, ...]:
    """Real symbols x_1, x_2, ...; without a number in one dimension.

    >>> coordinates("x", 2)
    (x_1, x_2)
    """
    if size == 1:
        return (sp.Symbol(name, real=True),)
    return tuple(sp.Symbol(f"{name}_{k}", real=True) for k in range(1, size + 1))
