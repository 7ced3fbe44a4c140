"""The complete recipe: b = -(D + Q) grad H + div(D + Q) with Q skew, found or shown not to exist.

H is minus the log density and D half the covariance of the noise. Every process of this form leaves
the density invariant (Ma, Chen and Fox), so one that does not has no recipe whatever Q may be. For one
that does, Q is sought with entries that are polynomials in stated letters: a linear system over the
field of parameters, whose contradiction proves that there is none of that form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.coefficients import collected, independent
from sgtheory.dynamics.density import Examined, examine
from sgtheory.dynamics.diffusion import Diffusion, score
from sgtheory.dynamics.linear import Contradiction, Solved, solve
from sgtheory.errors import UnusableInput
from sgtheory.polynomials import is_zero

_MOST = 3_000  # unknowns


@dataclass(frozen=True)
class Recipe:
    """D is symmetric, Q is skew; ``free`` multiples of other Q do the same."""

    D: Any
    Q: Any
    free: int = 0

    def drift(self, log_density: Any, state: Sequence[Any]) -> tuple[Any, ...]:
        """-(D + Q) grad H + div(D + Q), multiplied out."""
        both, slope = self.D + self.Q, score(log_density, state)
        return tuple(
            sp.expand(
                sp.Add(*(both[i, j] * slope[j] + sp.diff(both[i, j], y) for j, y in enumerate(state)))
            )
            for i in range(len(state))
        )


@dataclass(frozen=True)
class NoRecipe:
    """Why there is none: of any form, where the density is not invariant, or of the form that is stated.

    ``contradiction`` combines the equations of the coefficients of ``letters`` in each row to 0 = 1.
    """

    examined: Examined
    letters: tuple[Any, ...] = ()
    degree: int = 0
    contradiction: Contradiction | None = None

    @property
    def words(self) -> str:
        """As a sentence."""
        if self.contradiction is None:
            return f"the density is not invariant: {self.examined.remainder} times it is left"
        named = ", ".join(map(str, self.letters)) or "constants"
        return f"no Q has entries of degree at most {self.degree} in {named}"


def recipe(
    process: Diffusion, log_density: Any, degree: int = 2, letters: Sequence[Any] | None = None
) -> Recipe | NoRecipe:
    """The matrices D and Q of a process and a density, Q of the lowest degree in the letters.

    The letters are the states that are written out and the functions in the coefficients, unless they
    are given.

    >>> x, v, z = sp.symbols("x v zeta", real=True)
    >>> A, mu = sp.symbols("A mu", positive=True)
    >>> U = sp.Function("U")(x)
    >>> noise = ((0,), (sp.sqrt(2 * A),), (0,))
    >>> thermostat = Diffusion((x, v, z), (v, -U.diff(x) - z * v, (v**2 - 1) / mu), noise)
    >>> found = recipe(thermostat, -(U + v**2 / 2 + mu * (z - A) ** 2 / 2))
    >>> found.Q
    Matrix([
    [0,    -1,    0],
    [1,     0, v/mu],
    [0, -v/mu,    0]])
    >>> recipe(thermostat, -(U + v**2 / 2 + mu * z**2 / 2)).words
    'the density is not invariant: A*v**2 - A times it is left'
    """
    examined = examine(process, log_density)
    if not examined.invariant:
        return NoRecipe(examined)
    D = sp.Matrix(process.covariance) / 2
    current = process.current(log_density)
    chosen = tuple(letters if letters is not None else _letters(process))
    refused: Contradiction | None = None
    for most in range(degree + 1):
        search = _Search(process, tuple(score(log_density, process.state)), current, chosen, most)
        solved = solve(search.columns, search.right)
        if isinstance(solved, Solved):
            found = Recipe(D, search.skew(solved.values), len(solved.free))
            _check(found, process, log_density)
            return found
        refused = solved
    if not independent([*current, *score(log_density, process.state), *chosen], process.state):
        raise UnusableInput(
            "coefficients without roots and with one exponential at most, to prove that no Q exists",
            f"{process.drift} and {log_density}",
            "name such a factor as a function of its own",
        )
    return NoRecipe(examined, chosen, degree, refused)


def _letters(process: Diffusion) -> list[Any]:
    """States that occur outside functions, and functions that multiply something."""
    printed = [*process.ito_drift, *(a for row in process.covariance for a in row)]
    whole = [
        e.replace(lambda f: isinstance(f, sp.Derivative | AppliedUndef), lambda f: sp.S.One)
        for e in printed
    ]
    states = [s for s in process.state if any(s in e.free_symbols for e in whole)]
    functions = {
        f
        for e in printed
        for f in e.replace(lambda f: isinstance(f, sp.Derivative), lambda f: sp.S.One).atoms(
            AppliedUndef
        )
    }
    return [*states, *sorted(functions, key=sp.default_sort_key)]


def _check(found: Recipe, process: Diffusion, log_density: Any) -> None:
    for got, wanted in zip(found.drift(log_density, process.state), process.ito_drift, strict=True):
        if not is_zero(got - wanted):
            raise ArithmeticError(f"a recipe whose drift is {got}, not {wanted}")


@dataclass(frozen=True)
class _Search:
    """Equations for the coefficients of the entries of Q above its diagonal."""

    process: Diffusion
    slope: tuple[Any, ...]
    current: tuple[Any, ...]
    letters: tuple[Any, ...]
    degree: int

    @cached_property
    def places(self) -> list[tuple[int, int, Any]]:
        """An entry and a monomial to each unknown, low degrees first."""
        pairs = list(combinations(range(self.process.dimension), 2))
        found = [
            (i, j, sp.Mul(*m))
            for d in range(self.degree + 1)
            for m in combinations_with_replacement(self.letters, d)
            for i, j in pairs
        ]
        if len(found) > _MOST:
            raise UnusableInput(
                f"at most {_MOST} unknown coefficients", str(len(found)), "name fewer letters"
            )
        return found

    @property
    def columns(self) -> list[Mapping[Any, Any]]:
        """What each unknown adds to the equations."""
        state = self.process.state
        found: list[Mapping[Any, Any]] = []
        for i, j, m in self.places:
            above = m * self.slope[j] + sp.diff(m, state[j])
            below = -m * self.slope[i] - sp.diff(m, state[i])
            found.append({**self._row(i, above), **self._row(j, below)})
        return found

    @property
    def right(self) -> Mapping[Any, Any]:
        """What they have to add up to."""
        return {k: c for i, r in enumerate(self.current) for k, c in self._row(i, r).items()}

    def _row(self, i: int, expr: Any) -> Mapping[Any, Any]:
        below = self._denominator
        whole = sp.cancel(sp.together(expr * below)) if below != 1 else expr
        return {(i, m): c for m, c in collected(whole, self.process.state).items()}

    @cached_property
    def _denominator(self) -> Any:
        """What makes everything polynomial in the states and functions."""
        found: Any = sp.Integer(1)
        for e in (*self.slope, *self.current):
            below = sp.fraction(sp.together(e))[1]
            held = [f for f in sp.Mul.make_args(below) if f.free_symbols & set(self.process.state)]
            found = sp.lcm(found, sp.Mul(*held))
        return found

    def skew(self, values: Sequence[Any]) -> Any:
        """The matrix of a solution."""
        Q = sp.zeros(self.process.dimension)
        for (i, j, m), c in zip(self.places, values, strict=True):
            Q[i, j] += c * m
            Q[j, i] -= c * m
        return Q
