"""Updates that many libraries of optimizers have, in the letters of each: made once, proved for each.

What differs is told: whether the step size stands in the buffer or before it, whether a small number
stands inside of a root, and whether what the first steps lack is made up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sympy import sqrt

from sgtheory.declare import local, ones, state, t
from verification.conventions.record import Entry, Match, Wants, declared

WANTS = Wants("loss", "mean")
SHOWN = "The parameters that it shows are where the gradient is taken: theta + (1 - mu) v here."
theta, buffer, u, V = state("theta buffer u V")
G = local("G")


@dataclass(frozen=True)
class Source:
    """Whose optimizers they are: the library, the file of its ready steps."""

    library: str
    targets: str

    def entry(
        self, name: str, call: str, source: str, parts: dict[str, Any], **more: Any
    ) -> Entry:  # fmt: skip
        """An entry whose declaration and ready step have its name."""
        sampler = declared(f"{self.library}.{name}", WANTS, **parts)
        return Entry(name, call, WANTS, sampler, source, target=f"{self.targets}:{name}", **more)

    def sgd(self, name: str, call: str, source: str, rate: Any) -> Entry:
        """Without momentum."""
        parts = {"state": (theta,), "updates": ((G, WANTS(theta)), (theta, theta - rate * G))}
        return self.entry(name, call, source, parts, matches=(Match("sgd", (("eps", rate), ("H", 1))),))

    def momentum(
        self, name: str, call: str, source: str, rate: Any, keeps: Any, *, nesterov: bool = False,
        inside: bool = False, new: Any = 1, notes: tuple[str, ...] = (),
    ) -> Entry:  # fmt: skip
        """A buffer that keeps a part of itself; with the step size inside of it or before it.

        ``new`` is the factor of a gradient that enters the buffer.
        """
        scale = -1 if inside else rate
        remember = (buffer, keeps * buffer - rate * G if inside else keeps * buffer + new * G)
        ahead = keeps * buffer - rate * G if inside else -rate * (G + keeps * buffer)
        move = theta + ahead if nesterov else theta - scale * buffer
        states: tuple[tuple[str, Any], ...] = (("v", -scale * buffer),)
        if nesterov:
            states = (("theta", theta + keeps * scale * buffer), *states)
        match = Match(
            "nesterov" if nesterov else "momentum",
            (("eps", new * rate), ("mu", 1 - keeps), ("H", 1)),
            states=states,
        )
        parts = {
            "state": (theta, buffer),
            "updates": ((G, WANTS(theta)), remember, (theta, move)),
            "given": (keeps < 1,),
        }
        told = (SHOWN, *notes) if nesterov else notes
        return self.entry(name, call, source, parts, matches=(match,), notes=told)

    def rmsprop(
        self, name: str, call: str, source: str, rate: Any, keeps: Any, small: Any, *, inside: bool
    ) -> Entry:  # fmt: skip
        """Divided by the root of the running mean of squares."""
        root = sqrt(V + small * ones) if inside else small * ones + sqrt(V)
        parts = {
            "state": (theta, V),
            "updates": (
                (G, WANTS(theta)),
                (V, keeps * V + (1 - keeps) * G * G),
                (theta, theta - rate * G / root),
            ),
            "given": (keeps < 1,),
        }
        match = Match("rmsprop", (("eps", rate), ("alpha", keeps), ("lambda", small)))
        found = self.entry(name, call, source, parts, matches=() if inside else (match,))
        note = "Its small number stands inside of the root: torch.optim adds it outside."
        return replace(found, notes=(note,)) if inside else found

    def adam(
        self, name: str, call: str, source: str, letters: tuple[Any, ...], *, late: bool = False
    ) -> Entry:
        """Adam; ``late`` where the small number is added before what the first steps lack is made up."""
        rate, first, second, small = letters
        lack, lacks = 1 - first ** (t + 1), 1 - second ** (t + 1)
        usual = theta - rate / lack * u / (small * ones + sqrt(V / lacks))
        other = theta - rate * sqrt(lacks) / lack * u / (small * ones + sqrt(V))
        parts = {
            "state": (theta, u, V),
            "updates": (
                (G, WANTS(theta)),
                (u, first * u + (1 - first) * G),
                (V, second * V + (1 - second) * G * G),
                (theta, other if late else usual),
            ),
            "given": (first < 1, second < 1),
        }
        match = Match(
            "adam",
            (("eta", rate), ("b1", 1 - first), ("sigma", second), ("lambda", small)),
            states=(("u", u), ("v", V)),
        )
        found = self.entry(name, call, source, parts, matches=() if late else (match,))
        note = (
            "Its small number is added to the root of V before V is divided by what the first steps"
            " lack: in step t it is the paper's times sqrt(1 - beta2^t)."
        )
        return replace(found, notes=(note,)) if late else found
