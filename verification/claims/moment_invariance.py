"""A normal law keeps its moments under a step that is a polynomial map with normal noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Formula
from sgtheory.dynamics.coefficients import coefficients
from sgtheory.dynamics.leading import leading
from sgtheory.dynamics.moments import normal_moment
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly, Taylor
from sgtheory.dynamics.walking import walk
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.formal import Formal, kind_of, symbols_in, values_of
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.weakscript import moment_script
from verification.terms.printing import Line
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap


@dataclass(frozen=True, kw_only=True)
class InvariantMoments(Formal):
    """The normal law of mean zero with ``covariance`` keeps its moments under a polynomial step.

    For an affine step moments of degree 2 are the whole law. For any other a moment that changes
    refutes, and moments that do not change prove nothing beyond their degree.
    """

    step: Step
    covariance: tuple[tuple[Any, ...], ...]
    degree: int = 2
    small: Any = None
    time: str = "discrete"

    @property
    def parameters(self) -> tuple[Any, ...]:
        """Of the step and of the covariance."""
        own = {*self.step.parameters, *symbols_in(e for row in self.covariance for e in row)}
        return tuple(sorted(own, key=lambda s: s.name))

    def lines(self) -> tuple[Line, ...]:
        """The updates and the covariance."""
        shown = [
            Line(rf"{latex(t)} \leftarrow {latex(e)}", f"{t} <- {plain(e)}")
            for t, e in self.step.updates
        ]
        matrix = sp.ImmutableMatrix(self.covariance)
        law = Line(
            rf"\pi = \mathcal{{N}}\left(0, {latex(matrix)}\right)", f"pi = N(0, {matrix.tolist()})"
        )
        return (*shown, law)

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced everywhere."""
        covariance = tuple(tuple(sp.sympify(e).subs(values) for e in row) for row in self.covariance)
        return replace(self, step=self.step.put(values), covariance=covariance)

    def space(self) -> Space:
        """The parameters."""
        return Space({}, {s.name: kind_of(s) for s in self.parameters})

    @property
    def monomials(self) -> list[tuple[int, ...]]:
        """Exponents up to the degree."""
        found = product(range(self.degree + 1), repeat=len(self.step.state))
        return sorted((e for e in found if 0 < sum(e) <= self.degree), key=lambda e: (sum(e), e))

    @cached_property
    def changes(self) -> tuple[Any, ...]:
        """E f(new state) - E f(state) for every monomial f."""
        symbols = (*self.step.state, *self.step.noises)
        after = self.step.after({s: s for s in self.step.state})
        found = []
        for e in self.monomials:
            f = sp.Mul(*(after[s] ** k for s, k in zip(self.step.state, e, strict=True)))
            now = sp.Add(
                *(c * self._mean(powers) for powers, c in sp.Poly(sp.expand(f), *symbols).terms())
            )
            found.append(sp.expand(now - self._mean((*e, *(0 for _ in self.step.noises)))))
        return tuple(found)

    def _mean(self, powers: tuple[int, ...]) -> Any:
        n = len(self.step.state)
        drawn = sp.Mul(*(0 if k % 2 else sp.factorial2(k - 1) for k in powers[n:]))
        return drawn * normal_moment(powers[:n], self.covariance) if drawn else sp.Integer(0)

    @property
    def is_affine(self) -> bool:
        """Whether normal laws stay normal."""
        symbols = (*self.step.state, *self.step.noises)
        after = self.step.after({s: s for s in self.step.state})
        return all(sp.Poly(sp.expand(e), *symbols).total_degree() <= 1 for e in after.values())

    def equations(self, time: str) -> tuple[Any, ...]:
        """All changes."""
        return tuple(c for e in self.changes for c in coefficients(e, ()))

    def prove_freely(self, time: str) -> Proof:
        """Moments by Isserlis' theorem."""
        changed = [
            (e, c) for e, c in zip(self.monomials, self.changes, strict=True) if sp.simplify(c) != 0
        ]
        told = Evidence(
            "symbolic",
            f"Moments up to degree {self.degree} before and after a step.",
            {"degree": self.degree, "changed": len(changed)},
        )
        if changed:
            name = sp.Mul(*(s**k for s, k in zip(self.step.state, changed[0][0], strict=True)))
            said = f"One step changes E[{plain(name)}] by {plain(sp.factor(changed[0][1]))}."
            return Proof(False, said, (told,))
        if self.is_affine and self.degree >= 2:
            return Proof(True, "The step is affine and leaves mean and covariance as they are.", (told,))
        said = f"No moment up to degree {self.degree} changes, which proves nothing about higher ones."
        return Proof(None, said, (told,))

    def look_freely(self, time: str) -> Look:
        """All moments in exact numbers, pairing by pairing."""

        def at(place: Place) -> Sides | None:
            known = Exactly(values_of(self.parameters, place))
            for e in self.monomials:
                before, after = self.moments(known, e)
                if before != after:
                    return Sides(after, before, False)
            return Sides("equal", "equal", True)

        return at

    def moments(self, known: Exactly, e: tuple[int, ...]) -> tuple[Any, Any]:
        """A moment before and after one step, in numbers."""
        names = (*self.step.state, *self.step.noises)
        z = {s: Taylor.variable(k, Fraction(0), len(names), None) for k, s in enumerate(names)}
        new = self.step.run(known.but(z), {s: z[s] for s in self.step.state})
        covariance = [[walk(sp.sympify(x), known) for x in row] for row in self.covariance]
        before, after = (_mean_of(states, e, self.step.state, covariance) for states in (z, new))
        return before, after

    def gap(self, time: str) -> Gap | None:
        """What a step changes, relative to what its deterministic part changes."""
        if self.small is None:
            return None
        still = replace(self, step=self.step.put(dict.fromkeys(self.step.noises, 0)))
        sizes = [s for s in (leading(e, self.small) for e in still.changes) if s is not None]
        rest = [r for r in (leading(e, self.small) for e in self.changes) if r is not None]
        if not sizes or not rest:
            return None
        order, term = min(rest, key=lambda r: r[0])
        order -= min(s[0] for s in sizes)
        shown = sp.factor(term) * self.small**order
        return (
            Gap(self.small.name, str(order), Formula(latex(shown), plain(shown))) if order > 0 else None
        )

    def correct(self, time: str) -> Correction | None:
        """Of an affine step: the covariance that does not change."""
        if not self.is_affine:
            return None
        n = len(self.step.state)
        names = [[sp.Symbol(f"_p{min(i, j)}{max(i, j)}") for j in range(n)] for i in range(n)]
        unknown = sorted({s for row in names for s in row}, key=str)
        equations = replace(self, covariance=tuple(map(tuple, names)), degree=2).changes
        for solution in sp.solve([e for e in equations if e != 0], unknown, dict=True):
            if set(solution) != set(unknown):
                continue
            rows = tuple(tuple(sp.factor(solution[s]) for s in row) for row in names)
            fixed = replace(self, covariance=rows)
            if fixed.find(time).verdict == "proved":
                line = fixed.lines()[-1]
                return Correction(line.latex(), line.text(), "proved", "its law", (fixed,))
        return None

    def script(self, failure: Failure, time: str) -> str:
        """The first moment that changes, pairing by pairing."""
        claim, place = self.resolved, failure.place
        known = Exactly(values_of(claim.parameters, place))
        e = next(e for e in claim.monomials if len(set(claim.moments(known, e))) == 2)
        f = sp.Mul(*(s**k for s, k in zip(claim.step.state, e, strict=True)))
        values = values_of(claim.parameters, place)
        return moment_script(self.heading, claim.step, claim.covariance, values, f)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The first moment that changes."""
        left, right = str(failure.sides.left), str(failure.sides.right)
        return Counterexample(
            failure.place.to_json(), left, right, "a moment after one step, and before"
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One update or one entry of the covariance corrupted."""
        for k, (target, expr) in enumerate(self.step.updates):
            for name, wrong in corruptions(sp.expand(expr)):
                updates = (*self.step.updates[:k], (target, wrong), *self.step.updates[k + 1 :])
                yield (
                    f"update of {target}: {name}",
                    replace(self, step=replace(self.step, updates=updates)),
                )
        for i in range(len(self.covariance)):
            for name, wrong in corruptions(sp.expand(self.covariance[i][i])):
                rows = [list(row) for row in self.covariance]
                rows[i][i] = wrong
                yield f"variance {i}: {name}", replace(self, covariance=tuple(map(tuple, rows)))


def _mean_of(states: Mapping[Any, Taylor], e: tuple[int, ...], order: Any, covariance: Any) -> Any:
    """E of a monomial, the first variables normal with a covariance and the others standard normal."""
    term = Taylor({(0,) * states[order[0]].size: Fraction(1)}, states[order[0]].size, None)
    for s, k in zip(order, e, strict=True):
        term = term * states[s] ** k if k else term
    n, total = len(order), Fraction(0)
    for powers, c in term.terms.items():
        if all(k % 2 == 0 for k in powers[n:]):
            drawn = [k for k, p in enumerate(powers[:n]) for _ in range(p)]
            noise = prod(prod(range(k - 1, 0, -2)) for k in powers[n:])
            total = total + c * noise * _paired(drawn, covariance)
    return total


def _paired(drawn: list[int], covariance: Any) -> Any:
    """The sum over all ways to pair, of products of covariances."""
    if not drawn:
        return Fraction(1)
    total: Any = Fraction(0)
    for k in range(1, len(drawn)):
        rest = [*drawn[1:k], *drawn[k + 1 :]]
        total = total + covariance[drawn[0]][drawn[k]] * _paired(rest, covariance)
    return total
