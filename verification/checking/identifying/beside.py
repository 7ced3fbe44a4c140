"""What a step keeps beside its positions: a state that follows them, such as an average for evaluation.

Two runs with the same random numbers, in one of which positions are looked at and in the other the
state, are one run. So a state that is made of itself and of positions is known to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import State
from sgtheory.notation.display import Shown
from sgtheory.notation.printing import plain
from sgtheory.polynomials import is_zero
from verification.checking.child import Job
from verification.checking.faults.naming import Named, formulas
from verification.checking.faults.variant import Numbers
from verification.checking.identifying.drifts import letters_for
from verification.checking.identifying.letters import Letters
from verification.checking.identifying.responses import EXACT, Response

_Rule = tuple[tuple[float, float], ...]  # two numbers, each with its error
_CHAINS = 4


@dataclass(repr=False, frozen=True)
class Beside(Shown):
    """A state that becomes ``kept`` times itself and ``taken`` times a position, new or old."""

    state: str
    kept: Any
    taken: Any
    is_late: bool = False  # it takes the position before the step

    @property
    def update(self) -> Any:
        """What the state becomes, in the letters of the step."""
        m, theta = (State(n, real=True) for n in (self.state, "theta"))
        return self.kept * m + self.taken * theta

    def line(self) -> str:
        """In words."""
        is_average = is_zero(self.kept + self.taken - 1)
        what = "an average of its positions" if is_average else "a sum over its positions"
        late = ", with the position before the step" if self.is_late else ""
        return f"Beside them it keeps {self.state}, {what}: {self.state} <- {plain(self.update)}{late}."


def beside(
    there: Any, letters: Letters, responses: Sequence[Response], own: Sequence[str]
) -> Iterator[Beside]:
    """The states, none of a declaration's ``own``, that follow the positions by one rule everywhere."""
    numbers = [Numbers.of(letters.sampler, r.case) for r in responses]
    made_of = letters_for(
        [{sp.Symbol(n, positive=True): x for n, x in k.scalars.items()} for k in numbers]
    )
    for name in letters.states:
        if name in own:
            continue
        rules = [_followed(there, letters, r, name) for r in responses]
        for is_late in (False, True):
            found = [x for rule in rules if (x := rule.get(is_late))]
            if len(found) < max(len(rules), 2):
                continue
            kept, taken = (
                formulas([f[k][0] for f in found], [f[k][1] for f in found], made_of) for k in (0, 1)
            )
            if kept and taken:
                yield Beside(name, *_together(kept, taken), is_late)


def _together(kept: Sequence[Named], taken: Sequence[Named]) -> tuple[Any, Any]:
    """Of the formulas that fit, two that add up to 1 where there are such, else the shortest."""
    pairs = [(k.expr, t.expr) for k in kept for t in taken]
    return next((p for p in pairs if is_zero(sum(p) - 1)), pairs[0])


def _followed(there: Any, letters: Letters, response: Response, name: str) -> dict[bool, _Rule]:
    """By what a state keeps of itself and takes of positions: of the new ones, or of those before.

    Nothing else has a part in it, a constant neither, where it is met to rounding.
    """
    case = replace(response.case, gradient="noise", chains=0)
    cases = tuple(replace(case, name=f"{case.name}, {s}", shown=s) for s in ("theta", name))
    seen = [one for _, one in there.runs(Job("", None, letters.sampler, cases, _CHAINS))]
    if len(seen) < 2 or any(one.fault for one in seen):
        return {}
    theta, m = (one.shown.reshape(len(one.shown), -1, case.D) for one in seen)
    exact = EXACT[seen[1].dtype] * float(np.abs(m).max() + np.abs(theta).max())
    found = {}
    for is_late, taken in ((False, theta[:, 1:]), (True, theta[:, :-1])):
        rows, goal = np.column_stack([m[:, :-1].ravel(), taken.ravel()]), m[:, 1:].ravel()
        by, _, rank, _ = np.linalg.lstsq(rows, goal, rcond=None)
        if rank == 2 and np.abs(rows @ by - goal).max() < exact:
            errors = exact * np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))
            found[is_late] = tuple(zip(map(float, by), map(float, errors), strict=True))
    return found
