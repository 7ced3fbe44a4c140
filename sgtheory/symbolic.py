"""The symbolic law of a sampler: what ``sgtheory.derive`` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.pairs import PairCovariance, stationary
from sgtheory.modepairs.quantities import TIMES
from sgtheory.modepairs.series import series, written_out
from sgtheory.modepairs.spread import check_point
from sgtheory.modepairs.stability import Stability, stability
from sgtheory.notation.printing import latex, tidy
from sgtheory.onestep.affine import ModeForm, has_spread, is_affine, mode_form
from sgtheory.setting import Setting
from sgtheory.telling import tell

if TYPE_CHECKING:
    from sgtheory.notation.derivation import Derivation
    from sgtheory.numbers.lawrecord import NumericLaw


@dataclass(frozen=True)
class Covariance:
    """The stationary covariance, one formula for every dimension."""

    blocks: Mapping[tuple[str, str], Any]  # entry (i, j) in A's eigenbasis, by pair of states
    where: tuple[tuple[Any, Any], ...] = ()  # what abbreviations in them stand for

    @property
    def pair(self) -> Any:
        """Entry (i, j) of the position's covariance in the eigenbasis of A."""
        return self.blocks["theta", "theta"]

    def series(self, step: str = "eps", order: int = 2) -> Any:
        """The position's covariance to a given order in the step, without the remainder.

        >>> derive("sgd").covariance.series("eps", 1)
        eps*C_ij/(S*(lambda_i + lambda_j))
        """
        return series(self.written_out(step, order), step, order)

    def written_out(self, step: str, order: int) -> Any:
        """The position's covariance with abbreviations as polynomials in the step, to an order."""
        symbols = self.pair.free_symbols.union(*(m.free_symbols for _, m in self.where))
        symbol = next((s for s in symbols if s.name == step), None)
        return self.pair if symbol is None else written_out(self.pair, self.where, symbol, order)

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

    @property
    def has_spread(self) -> bool:
        """Whether the noise of real minibatches grows with the distance from the mode."""
        return has_spread(self.setting)

    @cached_property
    def form(self) -> ModeForm:
        """One step along a mode."""
        return mode_form(self.setting, self.time)

    @cached_property
    def pairs(self) -> PairCovariance:
        """The stationary covariance at a generic pair of modes, as solved."""
        return stationary(self.setting, self.time)

    @cached_property
    def covariance(self) -> Covariance:
        """The stationary covariance of all pairs of states."""
        names = [s.name for s in self.setting.sampler.state]
        blocks = {(a, b): tidy(self.pairs.entry(a, b), in_factors=True) for a in names for b in names}
        where = self.setting.sampler.where if self.time == "discrete" else ()
        return Covariance(MappingProxyType(blocks), where)

    @cached_property
    def stability(self) -> Stability:
        """The conditions under which the law exists."""
        return stability(self.form)

    def derivation(self, what: str = "covariance", order: int | None = None) -> Derivation:
        """The formulas with the named steps that lead to them."""
        return tell(self, what, order)

    def at(self, problem: Any) -> NumericLaw:
        """The law in numbers."""
        from sgtheory.numbers.numeric import law

        return law(self.setting.sampler, problem, time=self.time)

    def __repr__(self) -> str:
        return f"<SymbolicLaw of {self.setting.sampler.name}, {self.time} time>"

    def _repr_latex_(self) -> str | None:
        settles = is_affine(self.setting) and self.setting.period is not None
        return self.covariance._repr_latex_() if settles else None


def derive(
    sampler: Any, model: Any = "quadratic", *, time: str = "discrete", period: int | None = None
) -> SymbolicLaw:
    """The symbolic law of a sampler, in discrete time (exact) or in the continuous-time limit.

    Of a sampler that sees the clock (a window, an epoch) it is the law at the end of a period, for
    the period that is given; 2 if none is. Where steps are not linear, or never alike, there is no
    covariance: then ``derivation`` tells what there is, and why there is no more.

    >>> derive("sgd", time="continuous").covariance.pair
    eps*C_ij/(S*(lambda_i + lambda_j))
    """
    if time not in TIMES:
        raise UnusableInput("discrete or continuous time", repr(time), "choose one of the two")
    setting = Setting(registry.sampler(sampler), registry.model(model))
    if not is_affine(setting):
        return _law(setting, time)
    check_point(setting)
    if setting.period == 1:
        if period is not None:
            raise UnusableInput(f"no period for {setting.sampler.name}", str(period), "leave it out")
        return _law(setting, time)
    if time != "discrete":
        raise UnusableInput(f"discrete time for {setting.sampler.name}", time, "it sees the clock")
    if setting.period is None:
        return _law(setting, time)
    own = sp.sympify(setting.period)
    if own.is_Integer and period not in (None, int(own)):
        raise UnusableInput(f"the period of {setting.sampler.name}, {own}", str(period), "leave it out")
    many = int(own) if own.is_Integer else period or 2
    if not 1 <= many <= 12:
        raise UnusableInput("a period from 1 to 12 for formulas", str(many), "use law for numbers")
    return _law(setting.unroll(many), time)


@cache
def _law(setting: Setting, time: str) -> SymbolicLaw:
    """One record to a question, so that what it holds is found once."""
    return SymbolicLaw(setting, time)
