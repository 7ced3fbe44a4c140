"""What letters are worth at a place, with the law there, and the same in a script."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verification.refuter.places import Place
from verification.refuter.script import array, identifier
from verification.theories.time.spelling import OF_PROCESS

if TYPE_CHECKING:
    from verification.theories.time.laws import Law

_BALANCE = {"continuous": "{F} @ {P} + {P} @ {F}.T + {Q}", "discrete": "{F} @ {P} @ {F}.T + {Q} - {P}"}


class Solved(dict[str, Any]):
    """What letters are worth at a place, with the step and the covariance of the law there."""

    def __init__(self, values: Mapping[str, Any], law: Law, place: Place):
        super().__init__(values)
        self.law, self.place = law, place

    def moved(self, changed: Mapping[str, Fraction]) -> Solved | None:
        """With some letters changed, and the law solved there."""
        return self.law.solved(self.law.sides, self.place.but(**changed))

    def lines(self) -> list[str]:
        """The same in a script, which asserts that a covariance is that of the step."""
        names = {n: "I" if n == "I" else identifier(n) for n in self}
        matrices = {n: m for n, m in self.items() if isinstance(m, tuple | list)}
        found = [f"{names[n]} = {array(m)}" for n, m in matrices.items()]
        found += [f"{names[n]} = F('{x}')" for n, x in self.items() if n not in matrices]
        for name in (n for n in matrices if n.startswith("Sigma")):
            ending = name.removeprefix("Sigma")
            step, noise = (array(self.law.fact(f"{n}{ending}", self.place)) for n in ("F", "Q"))
            found += [f"M_, Q__ = {step}, {noise}"]
            time = "continuous" if ending.startswith(OF_PROCESS) else self.law.time
            zero = _BALANCE[time].format(F="M_", P=names[name], Q="Q__")
            found += [f"assert ({zero} == 0 * M_).all()"]
        return found
