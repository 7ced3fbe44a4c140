"""The symbolic law of a sampler: what ``sgtheory.derive`` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.pairs import PairCovariance, stationary
from sgtheory.printing import latex, tidy
from sgtheory.quantities import TIMES
from sgtheory.series import series
from sgtheory.setting import Setting
from sgtheory.stability import Stability, stability
from sgtheory.tell import tell

if TYPE_CHECKING:
    from sgtheory.derivation import Derivation
    from sgtheory.numeric import NumericLaw


@dataclass(frozen=True)
class Covariance:
    """The stationary covariance, one formula for every dimension."""

    blocks: Mapping[tuple[str, str], Any]  # entry (i, j) in A's eigenbasis, by pair of states

    @property
    def pair(self) -> Any:
        """Entry (i, j) of the position's covariance in the eigenbasis of A."""
        return self.blocks["theta", "theta"]

    def series(self, step: str = "eps", order: int = 2) -> Any:
        """The position's covariance to a given order in the step, without the remainder.

        >>> derive("sgd").covariance.series("eps", 1)
        eps*C_ij/(S*(lambda_i + lambda_j))
        """
        return series(self.pair, step, order)

    def __repr__(self) -> str:
        return f"<Covariance of {', '.join(sorted({a for a, _ in self.blocks}))}>"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle \\Sigma_{{ij}} = {latex(self.pair)}$"


@dataclass(frozen=True)
class SymbolicLaw:
    """The law of a sampler on a model, as formulas.

    >>> law = derive("momentum")
    >>> law.stability.limit
    2*(2 - mu)/lambda
    """

    setting: Setting
    time: str

    @cached_property
    def pairs(self) -> PairCovariance:
        """The stationary covariance at a generic pair of modes, as solved."""
        return stationary(self.setting, self.time)

    @cached_property
    def covariance(self) -> Covariance:
        """The stationary covariance of all pairs of states."""
        names = [s.name for s in self.setting.sampler.state]
        blocks = {(a, b): tidy(self.pairs.entry(a, b)) for a in names for b in names}
        return Covariance(MappingProxyType(blocks))

    @cached_property
    def stability(self) -> Stability:
        """The conditions under which the law exists."""
        return stability(self.pairs.form)

    def derivation(self, what: str = "covariance", order: int | None = None) -> Derivation:
        """The formulas with the named steps that lead to them."""
        return tell(self, what, order)

    def at(self, problem: Any) -> NumericLaw:
        """The law in numbers."""
        from sgtheory.numeric import law

        return law(self.setting.sampler, problem, time=self.time)

    def __repr__(self) -> str:
        return f"<SymbolicLaw of {self.setting.sampler.name}, {self.time} time>"

    def _repr_latex_(self) -> str:
        return self.covariance._repr_latex_()


def derive(sampler: Any, model: Any = "quadratic", *, time: str = "discrete") -> SymbolicLaw:
    """The symbolic law of a sampler, in discrete time (exact) or in the continuous-time limit.

    >>> derive("sgd", time="continuous").covariance.pair
    eps*C_ij/(S*(lambda_i + lambda_j))
    """
    if time not in TIMES:
        raise UnusableInput("discrete or continuous time", repr(time), "choose one of the two")
    return SymbolicLaw(Setting(registry.sampler(sampler), registry.model(model)), time)
