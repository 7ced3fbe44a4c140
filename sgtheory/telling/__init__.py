"""Telling a derivation: the steps by which each formula of a symbolic law was found.

Every equation is printed from the objects that computed it; none is typed here a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from sgtheory.errors import Absent, UnusableInput
from sgtheory.modepairs.quantities import WHATS
from sgtheory.notation.derivation import Derivation, Result, Step
from sgtheory.onestep.affine import is_affine
from sgtheory.telling.averages import average, ess
from sgtheory.telling.beginning import beginning
from sgtheory.telling.covariance import covariance
from sgtheory.telling.extrapolation import extrapolation
from sgtheory.telling.moments import autocovariance, fourth, mean, transient
from sgtheory.telling.nonlinear import nonlinear
from sgtheory.telling.stability import series, stability
from sgtheory.telling.temperature import temperature
from sgtheory.telling.tuning import tuning
from sgtheory.telling.unsettled import unsettled

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw

Told = tuple[list[Step], list[Result]]

_TELLERS: dict[str, Callable[[SymbolicLaw], Told]] = {
    "covariance": covariance,
    "mean": mean,
    "autocovariance": autocovariance,
    "ess": ess,
    "average": average,
    "transient": transient,
    "fourth": fourth,
    "extrapolation": extrapolation,
    "temperature": temperature,
    "stability": stability,
    "tuning": tuning,
}


@cache
def _told(law: SymbolicLaw, name: str) -> Told:
    """One quantity; "all" is put together from what was told one by one."""
    return _TELLERS[name](law)


def tell(law: SymbolicLaw, what: str = "covariance", order: int | None = None) -> Derivation:
    """The derivation of one quantity, or of all of them; of a step that is not linear, what there is."""
    if what not in WHATS:
        raise UnusableInput(f"one of {', '.join(WHATS)}", repr(what), "choose one")
    if not is_affine(law.setting):
        return nonlinear(law)
    if law.setting.period is None:
        return unsettled(law)
    wanted = tuple(_TELLERS) if what == "all" else (what,)
    steps, results = list(beginning(law)), []
    for name in wanted:
        try:
            more, found = _told(law, name)
        except Absent:
            if what != "all":
                raise
            continue
        steps += more
        results += found
    if order is not None:
        more, found = series(law, order)
        steps += more
        results += found
    title = f"{law.setting.sampler.title}: {what}, {law.time} time"
    return Derivation(title, tuple(steps), tuple(results))
