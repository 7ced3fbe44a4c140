"""Samplers whose ensembles are tested, and how a declaration is corrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import Sampler, rademacher
from sgtheory.numbers.lawrecord import NumericLaw
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.measuring.ensembles import sample_of, stack

Array = Any

# neither commuting nor isotropic; the start is away from the mode
_USUAL: dict[str, Any] = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 4, "S": 1,
    "params": {"eps": "1/5", "mu": "3/10"}, "start": {"theta": [1, -1]},
}  # fmt: skip
_QUIET = {**_USUAL, "noise": [[0, 0], [0, 0]], "params": {"eps": "1/5"}}
# the noise of the gradient is along an eigenvector of the curvature: the other direction never varies
_THIN = {**_USUAL, "hessian": [[2, 1], [1, 2]], "noise": [[1, 1], [1, 1]], "params": {"eps": "1/5"}}
_INERTIAL = {**_USUAL, "params": {"eta": "1/50", "alpha": "1/5"}}


@dataclass(frozen=True)
class Case:
    """A sampler on a problem at a finite step, and how many chains a run has."""

    name: str
    sampler: Sampler = field(repr=False)
    content: dict[str, Any] = field(repr=False)
    steps: int
    chains: int

    @cached_property
    def problem(self) -> Problem:
        """The problem."""
        return Problem.of(self.content)

    @cached_property
    def setting(self) -> Setting:
        """The sampler on the model of the problem."""
        return Setting(self.sampler, self.problem.model)

    @cached_property
    def exact(self) -> NumericLaw:
        """The law at that step."""
        return law(self.sampler, self.problem, at=self.steps)

    @cached_property
    def stacked(self) -> tuple[tuple[str, ...], Array, Array]:
        """Names, mean and covariance of all states."""
        return stack(self.exact)

    def ensembles(self, seeds: Sequence[int]) -> tuple[Any, ...]:
        """One ensemble for each seed."""
        from simulators.family import simulate_family

        values = [self.problem.values(self.sampler)] * len(seeds)
        return simulate_family(
            self.setting, values, chains=self.chains, steps=self.steps, seeds=seeds, device="cpu"
        )

    def corrupted(self, error: sp.Rational) -> Case:
        """The same, with the injected noise louder by this share in the declaration itself."""
        return replace(self, sampler=louder(self.sampler, error))


def louder(sampler: Sampler, error: sp.Rational) -> Sampler:
    """A sampler that is wrong: the coefficient of its own noises is off by a share.

    >>> louder(registry.sampler("sgld"), sp.Rational(1, 100)).updates[0][1].has(sp.Rational(101, 100))
    True
    """

    def changed(expr: Any) -> Any:
        terms = sp.Add.make_args(sp.sympify(expr))
        return sp.Add(*(t * (1 + error) if t.has(*sampler.noises) else t for t in terms))

    return replace(sampler, updates=tuple((target, changed(e)) for target, e in sampler.updates))


def coins(sampler: Sampler, toss: Callable[[str], Any] = rademacher) -> Sampler:
    """The same sampler with its normal noises replaced by heads and tails, or by another law's."""
    other = {w: toss(w.name) for w in sampler.noises}
    return replace(
        sampler,
        noises=tuple(other.values()),
        updates=tuple((target, sp.sympify(e).xreplace(other)) for target, e in sampler.updates),
    )


def gaussian(chains: int | None = None) -> tuple[Case, ...]:
    """Cases with exact tests: few chains, where a limit theorem would not do."""
    find = registry.sampler
    cases = (
        Case("sgd", find("sgd"), _USUAL, 5, 25),
        Case("momentum", find("momentum"), _USUAL, 4, 12),
        Case("sgld", find("sgld"), {**_USUAL, "params": {"eps": "1/5"}}, 6, 100),
        Case("sgd, noise of rank one", find("sgd"), _THIN, 6, 20),
        Case("momentum after one step, rank two of four", find("momentum"), _USUAL, 1, 20),
    )
    return tuple(replace(c, chains=chains or c.chains) for c in cases)


def coin_case() -> Case:
    """Not Gaussian: Langevin dynamics on heads and tails, the gradient exact."""
    return Case("sgld on Rademacher noise", coins(registry.sampler("sgld")), _QUIET, 3, 8192)


def powered() -> dict[str, Case]:
    """Cases with noise of their own, to be corrupted."""
    return {
        "sgld": Case("sgld, exact gradients", registry.sampler("sgld"), _QUIET, 2, 1),
        "sghmc": Case("sghmc, noisy gradients", registry.sampler("sghmc"), _INERTIAL, 3, 1),
    }


def sample(case: Case, ensemble: Any) -> tuple[Array, Array]:
    """The sample mean and covariance of all states of an ensemble, stacked."""
    return sample_of(ensemble, case.exact)
