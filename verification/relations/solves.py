"""``Solves``: a formula with a stochastic integral solves a linear process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from verification.relations.base import Relation
from verification.relations.equal import Equal, Told
from verification.relations.joined import WrittenOut
from verification.terms.notation import C, I
from verification.terms.printing import Line
from verification.terms.term import Applied, Letter, Term, number


@dataclass(frozen=True)
class Solves(WrittenOut):
    """``theta(now) = mean theta(0) + integral of kick B dW(past)``, from 0 to now.

    It solves d theta = rate theta dt + noise of a covariance if mean and kick grow at the rate, the mean
    is one at time zero, and a kick just received has the covariance.
    """

    mean: Term
    kick: Term
    now: Letter
    past: Letter
    rate: Term
    covariance: Term

    @property
    def relations(self) -> tuple[Relation, ...]:
        """What it takes."""
        fresh = self.kick.put({self.past: self.now})
        kick = self.kick.put({self.past: Letter(self.past.name, "real")})
        line = Line(self.latex(), self.text())
        return (
            Told(_slope(self.mean, self.now), self.rate * self.mean, shown=(line,), beside=True),
            Equal(self.mean.put({self.now: number(0)}), I),
            Equal(_slope(kick, self.now), self.rate * kick),
            Equal(fresh * C * fresh, self.covariance),
        )

    def latex(self) -> str:
        """As it is typeset."""
        t, u, kick = self.now.latex(), self.past.latex(), self.kick.latex()
        return rf"\theta({t}) = {self.mean.latex()} \theta(0) + \int_0^{{{t}}} {kick} B \, dW({u})"

    def text(self) -> str:
        """On one line."""
        integral = f"integral of {self.kick} B dW({self.past})"
        return f"theta({self.now}) = {self.mean} theta(0) + {integral}"

    def instead(self, theory: Any) -> Iterator[Solves]:
        """The same by another clock: time times a letter, and kicks times its root."""
        for letter in self.letters:
            if letter.kind == "positive" and letter not in (self.now, self.past):
                for clock in (letter, 1 / letter):
                    put = {self.now: clock * self.now, self.past: clock * self.past}
                    kick = clock ** number("1/2") * self.kick.put(put)
                    yield replace(self, mean=self.mean.put(put), kick=kick)


def _slope(side: Term, x: Letter) -> Term:
    return Applied("derivative", (side, x))
