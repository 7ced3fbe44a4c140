"""The bench on which choices are tried: a sampler on a problem, its parameters free to change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sgtheory.declare import Derived, MatrixName, Rule, Sampler
from sgtheory.errors import NotAffine, Unstable, UnusableInput
from sgtheory.language import DiagonalName
from sgtheory.notation import matrixwords as words
from sgtheory.numbers.lawrecord import NumericLaw
from sgtheory.numbers.numeric import in_floats
from sgtheory.onestep.full import Array
from sgtheory.problem import Problem, Values
from sgtheory.sensitivity import gradient
from sgtheory.setting import Setting
from sgtheory.symbolic import SymbolicLaw, derive
from sgtheory.tuning.minimum import Slope, Value
from sgtheory.tuning.records import Choice, shown

_STEP = 1e-3  # of a logarithm, where a divergence has no exact gradient


@dataclass(frozen=True)
class Bench:
    """A sampler on a problem that has a value for every parameter."""

    sampler: Sampler
    problem: Problem

    @cached_property
    def setting(self) -> Setting:
        """The sampler on the problem's model."""
        return Setting(self.sampler, self.problem.model)

    @cached_property
    def values(self) -> Values:
        """The numbers as they stand."""
        return self.problem.values(self.sampler)

    @cached_property
    def matrices(self) -> Mapping[str, Array]:
        """Matrices by their letters; C is that of a minibatch drawn as the problem says."""
        found = dict(self.values.arrays)
        found["C"] = found["C"] * float(self.values.scalars["f"])
        if "E" in found:
            found["EE^T"] = found["E"] @ found["E"].T
        return found

    def symbolic(self, time: str) -> SymbolicLaw:
        """The law as a formula, for noise that does not depend on the point."""
        return derive(self.sampler, time=time)

    def printed(self, rule: Rule) -> Any:
        """The value that a paper's formula has here; None where it divides by zero."""
        scalars = {**self.values.scalars, "D": self.problem.D}
        try:
            value = words.value(rule.value, scalars, self.matrices)
        except (np.linalg.LinAlgError, ZeroDivisionError, TypeError):  # SymPy's infinity is no float
            return None
        return value if np.isfinite(value).all() else None

    def is_diagonal(self, name: str) -> bool:
        """Whether a parameter is a diagonal matrix."""
        return any(isinstance(p, DiagonalName) and p.name == name for p in self.sampler.parameters)

    def is_matrix(self, name: str) -> bool:
        """Whether a parameter is a matrix."""
        return any(isinstance(p, MatrixName) and p.name == name for p in self.sampler.parameters)

    def with_values(self, changes: Mapping[str, Any]) -> Problem:
        """The problem with parameters replaced."""
        return self.problem.with_params(**{k: shown(v) for k, v in changes.items()})

    def law(self, changes: Mapping[str, Any], time: str = "discrete") -> NumericLaw | None:
        """The law with parameters replaced; None where they are not admitted or not stable."""
        try:
            values = self.with_values(changes).values(self.sampler)
            with np.errstate(over="raise", invalid="raise"):
                return in_floats(self.setting, values, time).require_stable()
        except (UnusableInput, ArithmeticError):
            return None

    def divergence(self, changes: Mapping[str, Any], time: str = "discrete") -> float:
        """KL(law || posterior), infinite where there is none."""
        found = self.law(changes, time)
        kl = None if found is None else found.kl_to_posterior
        return np.inf if kl is None or not np.isfinite(kl) else kl

    def choice(self, how: str, changes: Mapping[str, Any], **more: Any) -> Choice:
        """How good a choice is."""
        found, promised = self.law(changes), None
        if "continuous" in self.setting.times:
            try:
                promised = self.divergence(changes, "continuous")
            except NotAffine:  # real minibatches have no limit here
                promised = None
        values = {k: shown(v) for k, v in changes.items()}
        if promised is not None and not np.isfinite(promised):
            promised = None
        if found is None:
            return Choice(how, values, promised=promised, stable=False, **more)
        return Choice(
            how,
            values,
            kl_to_posterior=found.kl_to_posterior,
            kl_from_posterior=found.kl_from_posterior,
            wasserstein2=found.wasserstein2,
            promised=promised,
            **more,
        )

    def changes(self, names: tuple[str, ...], x: Array) -> dict[str, Any]:
        """Parameters from the logarithms of their positive entries, one after the other."""
        found: dict[str, Any] = {}
        rest = np.exp(x)
        for name in names:
            size = self.problem.D if self.is_diagonal(name) else 0
            found[name] = rest[:size] if size else float(rest[0])
            rest = rest[max(size, 1) :]
        return found

    def value_of(self, names: tuple[str, ...], time: str) -> Value:
        """The divergence as a function of the logarithms of parameters."""
        return lambda x: self.divergence(self.changes(names, x), time)

    def slope_of(self, names: tuple[str, ...], time: str) -> Slope:
        """Its exact gradient, or differences where noise depends on the point."""

        def exact(x: Array) -> Array:
            problem = self.with_values(self.changes(names, x))
            try:
                slopes = [gradient(self.sampler, problem, n, time=time).kl_to_posterior for n in names]
            except (UnusableInput, Unstable, OverflowError):
                slopes = [None]
            if any(s is None for s in slopes):  # no law there, or none with a divergence
                return np.full(len(x), np.nan)
            return np.concatenate([np.atleast_1d(s) for s in slopes]) * np.exp(x)

        value = self.value_of(names, time)

        def differences(x: Array) -> Array:
            return np.array([_difference(value, x, e) for e in np.eye(len(x))])

        return exact if self.has_gradient else differences

    @property
    def has_gradient(self) -> bool:
        """Whether gradients are exact: nothing derived, noise additive, and the mean at the mode."""
        from sgtheory.onestep.affine import drive, has_spread

        derived = any(
            isinstance(self.sampler.default(p), Derived) and p.name not in self.problem.params
            for p in self.sampler.parameters
        )
        pulled = self.problem.examples is not None and any(drive(self.setting, "discrete").values())
        return not derived and not pulled and not has_spread(self.setting)


def _difference(value: Value, x: Array, e: Array) -> float:
    """A derivative to fourth order."""
    near_up, near_down = value(x + _STEP * e), value(x - _STEP * e)
    far_up, far_down = value(x + 2 * _STEP * e), value(x - 2 * _STEP * e)
    if not np.isfinite([near_up, near_down, far_up, far_down]).all():
        return np.nan
    near, far = near_up - near_down, far_up - far_down
    return float(8 * near - far) / (12 * _STEP)
