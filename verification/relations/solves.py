"""``Solves``: a formula with a stochastic integral solves a linear process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from verification.relations.base import Relation
from verification.relations.equal import Equal
from verification.relations.joined import All, Form
from verification.terms.notation import C, I
from verification.terms.printing import Line
from verification.terms.term import Applied, Letter, Term, number


@dataclass(frozen=True)
class Solution(Form):
    """A mean, a kick, both letters of time, a rate and a covariance."""

    mean: Term
    kick: Term
    now: Letter
    past: Letter
    rate: Term
    covariance: Term
    in_other_units = True  # of time

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """What it takes."""
        fresh = self.kick.put({self.past: self.now})
        kick = self.kick.put({self.past: Letter(self.past.name, "real")})
        return (
            Equal(_slope(self.mean, self.now), self.rate * self.mean),
            Equal(self.mean.put({self.now: number(0)}), I),
            Equal(_slope(kick, self.now), self.rate * kick),
            Equal(fresh * C * fresh, self.covariance),
        )

    @property
    def lines(self) -> tuple[Any, ...]:
        """The formula, and what it takes."""
        first, *others = self.relations
        with_it = rf"{self.latex()} \quad\text{{with}}\quad {first.latex()}"
        return (Line(with_it, f"{self.text()}, with {first.text()}"), *others)

    @property
    def in_short(self) -> tuple[Line, ...]:
        """The formula."""
        t, u, kick = self.now.latex(), self.past.latex(), self.kick.latex()
        latex = rf"\theta({t}) = {self.mean.latex()} \theta(0) + \int_0^{{{t}}} {kick} B \, dW({u})"
        integral = f"integral of {self.kick} B dW({self.past})"
        return (Line(latex, f"theta({self.now}) = {self.mean} theta(0) + {integral}"),)

    def instead(self, theory: Any) -> Iterator[All]:
        """The same by another clock: time times a letter, and kicks times its root."""
        for letter in All(form=self).letters:
            if letter.kind == "positive" and letter not in (self.now, self.past):
                for clock in (letter, 1 / letter):
                    put = {self.now: clock * self.now, self.past: clock * self.past}
                    kick = clock ** number("1/2") * self.kick.put(put)
                    yield All(form=replace(self, mean=self.mean.put(put), kick=kick))


def Solves(mean: Term, kick: Term, now: Letter, past: Letter, rate: Term, covariance: Term) -> All:
    """``theta(now) = mean theta(0) + integral of kick B dW(past)``, from 0 to now.

    It solves d theta = rate theta dt + noise of a covariance if mean and kick grow at the rate, the mean
    is one at time zero, and a kick just received has the covariance.
    """
    return All(form=Solution(mean, kick, now, past, rate, covariance))


def _slope(side: Term, x: Letter) -> Term:
    return Applied("derivative", (side, x))
