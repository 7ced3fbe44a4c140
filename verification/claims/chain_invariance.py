"""A normal law is invariant under one declared step of a sampler on the quadratic model."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any, Self

import sympy as sp

from sgtheory.dynamics.coefficients import coefficients
from sgtheory.dynamics.leading import leading
from sgtheory.dynamics.surds import Rooted
from sgtheory.independent.fields import Rows, multiply, transpose
from sgtheory.independent.running import linear_map
from sgtheory.language import step_in
from sgtheory.modepairs.pairs import LI, LJ, coupling_symbol, stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result
from sgtheory.notation.derivation import Step as Told
from sgtheory.notation.printing import latex, plain
from sgtheory.onestep.affine import LAMBDA, mode_form
from sgtheory.setting import Setting
from verification.claims.base import Proof
from verification.claims.formal import Formal, kind_of, symbols_in
from verification.laws.pair_form import DELTA, NOISE
from verification.laws.rational import point_of, problem_space
from verification.miner.conditions import Commute, Condition, implies
from verification.miner.relations import scalar
from verification.refuter.places import Place, Space
from verification.refuter.script import relation_script
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.twins import corruptions
from verification.terms.printing import Line
from verification.verdicts.verdict import Correction, Counterexample, Evidence, Finding, Gap

COMMUTE = Commute(("A", "C"))


@dataclass(frozen=True, kw_only=True)
class InvariantCovariance(Formal):
    """A normal law of all states is left as it is by one declared step on the quadratic model.

    ``blocks`` gives the covariance of each pair of states at a pair (i, j) of modes, in lambda_i,
    lambda_j, C_ij and delta_ij: (("theta", "theta"), delta_ij/(N lambda_i)). What is not given is zero.
    """

    blocks: tuple[tuple[tuple[str, str], Any], ...]
    time: str = "discrete"

    @cached_property
    def setting(self) -> Setting:
        """The sampler on the quadratic model, found once."""
        return super().setting

    @property
    def parameters(self) -> tuple[Any, ...]:
        """Of the sampler and of the blocks."""
        pair = {LI, LJ, DELTA, NOISE}
        form = mode_form(self.setting, "discrete")
        used = symbols_in([*form.M, *(c for n in form.noises for c in n.coefficients)])
        own = {*used, *symbols_in(e for _, e in self.blocks)} - pair - {LAMBDA}
        return tuple(sorted(own, key=lambda s: s.name))

    def lines(self) -> tuple[Line, ...]:
        """The blocks."""
        shown = []
        for (a, b), e in self.blocks:
            left = rf"\mathrm{{Cov}}({latex(sp.Symbol(a))}_i, {latex(sp.Symbol(b))}_j)"
            shown.append(Line(f"{left} = {latex(sp.sympify(e))}", f"Cov({a}_i, {b}_j) = {plain(e)}"))
        return tuple(shown)

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced in the blocks and in the step, which remembers them."""
        blocks = tuple((k, sp.sympify(e).subs(values)) for k, e in self.blocks)
        return replace(self, blocks=blocks, replaced=(*self.replaced, *values.items()))

    replaced: tuple[tuple[Any, Any], ...] = field(default=())

    def space(self) -> Space:
        """Problems in the coordinates of the modes."""
        whole = problem_space(self.setting)
        scalars = {n: k for n, k in whole.scalars.items() if n not in {s.name for s, _ in self.replaced}}
        scalars |= {s.name: kind_of(s) for s in self.parameters if s.name not in whole.scalars}
        scalars |= {c.name: "cosine" for c, _ in self.setting.sampler.where if c.name in scalars}
        return Space({**whole.matrices, "A": "diagonal"}, scalars)

    def block(self, a: str, b: str) -> Any:
        """One block; of a pair given the other way round, with the modes exchanged."""
        known = dict(self.blocks)
        if (a, b) in known:
            return sp.sympify(known[a, b])
        return sp.sympify(known.get((b, a), 0)).subs({LI: LJ, LJ: LI}, simultaneous=True)

    @cached_property
    def left_over(self) -> sp.Matrix:
        """M_i P_ij M_j^T + Q_ij - P_ij."""
        form, names = mode_form(self.setting, "discrete"), [s.name for s in self.setting.state]
        P = sp.Matrix([[self.block(a, b) for b in names] for a in names])
        left, right = form.M.subs(LAMBDA, LI), form.M.subs(LAMBDA, LJ)
        Q = sp.zeros(len(names), len(names))
        for coupling in form.couplings:
            Q += coupling_symbol(coupling) * form.noise_block(coupling, LI, LJ)
        rest = (left * P * right.T + Q - P).subs(dict(self.replaced))
        return rest.applyfunc(sp.expand)

    def _entries(self) -> list[Any]:
        """What is left over by noise symbol, where isotropic noise reaches equal modes only."""
        equal = any(implies(c, COMMUTE, ("A", "C")) for c in self.conditions)
        found = []
        for entry in self.left_over:
            pairs = (s for s in entry.free_symbols - {DELTA} if s.name.endswith("_ij"))
            for symbol in (DELTA, *sorted(pairs, key=str)):
                rest = entry.coeff(symbol)
                rest = rest.subs(LJ, LI) if equal or symbol == DELTA else rest
                found += [rest] if coefficients(rest, (LI, LJ)) else []
        return found

    def equations(self, time: str) -> tuple[Any, ...]:
        """The coefficients in the eigenvalues."""
        return tuple(c for e in self._entries() for c in coefficients(e, (LI, LJ)))

    def prove_freely(self, time: str) -> Proof:
        """The Stein equation at a generic pair of modes."""
        rest = self._entries()
        names = [s.name for s in self.setting.state]
        shown = tuple(
            Equation(Formula(rf"({latex(sp.Symbol(a))}, {latex(sp.Symbol(b))})", f"({a}, {b})"), e)
            for (a, b), e in zip(product(names, names), self.left_over, strict=True)
        )
        steps = (Told("One step", "M_i P_ij M_j^T + Q_ij - P_ij, entry by entry:", shown),)
        told = Evidence(
            "symbolic",
            "By mode pairs, valid in every dimension.",
            {"dimensions": "every"},
            Derivation("One step of the law", steps, (Result("left_over", shown[0]),)),
        )
        reason = (
            "One step leaves the law as it is, in every dimension."
            if not rest
            else f"One step changes it by {plain(sp.factor(rest[0]))} at a pair of modes."
        )
        return Proof(not rest, reason, (told,))

    def look_freely(self, time: str) -> Look:
        """The declared step, run on unit vectors, applied to the covariance."""

        def at(place: Place) -> Sides | None:
            place = self._filled(place)
            M, Q, P = self.matrices(place)
            after = [
                [x + y for x, y in zip(r, s, strict=True)]
                for r, s in zip(multiply(multiply(M, P), transpose(M)), Q, strict=True)
            ]
            return Sides(after, P, after == P)

        return at

    def _filled(self, place: Place) -> Place:
        for symbol, value in self.replaced:
            place = place.but(**{symbol.name: scalar(value, place.scalars)})
        return place

    def matrices(self, place: Place) -> tuple[Rows, Rows, Rows]:
        """The step, its noise and the covariance of all states at a place."""
        point = replace(point_of(self.setting, place), field=Rooted())
        step, noise = linear_map(self.setting, "discrete", point)
        names, d, C = [s.name for s in self.setting.state], range(place.D), place.C
        rows = []
        for a in names:
            for i in d:
                row = []
                for b in names:
                    for j in d:
                        pair = {LI: place.A[i][i], LJ: place.A[j][j], NOISE: C[i][j]}
                        known = {s.name: x for s, x in {**pair, DELTA: Fraction(i == j)}.items()}
                        row.append(scalar(self.block(a, b), {**place.scalars, **known}))
                rows.append(row)
        return step, multiply(noise, transpose(noise)), rows

    def drawn(self, source: random.Random) -> Place:
        """In two dimensions, where modes can differ."""
        return self.space().random(source, 2)

    def needed(self, condition: Condition) -> bool:
        """Conditions on matrices are looked at, relations follow from coefficients."""
        return super().needed(condition)

    def gap(self, time: str) -> Gap | None:
        """What a step changes, relative to the noise of a step, as the step size vanishes."""
        form = mode_form(self.setting, "discrete")
        step = step_in(sp.Add(*form.M))
        noise = [e for c in form.couplings for e in form.noise_block(c, LI, LJ)]
        sizes = [s for s in (leading(e, step) for e in noise) if s is not None]
        rest = [r for r in (leading(e, step) for e in self._entries()) if r is not None]
        if not sizes or not rest:
            return None
        order, term = min(rest, key=lambda r: r[0])
        order -= min(s[0] for s in sizes)
        shown = sp.factor(term) * step**order
        return Gap(step.name, str(order), Formula(latex(shown), plain(shown))) if order > 0 else None

    def correct(self, time: str) -> Correction | None:
        """The law of the sampler."""
        pair, names = stationary(self.setting, "discrete"), [s.name for s in self.setting.state]
        both = list(combinations_with_replacement(names, 2))
        fixed = replace(self, blocks=tuple(((a, b), pair.entry(a, b)) for a, b in both))
        if fixed.find(time).verdict != "proved":
            return None
        shown = fixed.lines()
        return Correction(
            r" \qquad ".join(line.latex() for line in shown),
            "; ".join(line.text() for line in shown),
            "proved",
            "for every pair of modes",
            (fixed,),
        )

    def script(self, failure: Failure, time: str) -> str:
        """The matrices, and whether a step leaves the covariance as it is."""
        place = self.resolved._filled(failure.place)
        M, Q, P = self.resolved.matrices(place)
        names = sp.symbols("M P M_T Q", commutative=False)
        given = dict(zip(("M", "P", "M_T", "Q"), (M, P, transpose(M), Q), strict=True))
        m, p, t, q = names
        return relation_script(self.heading, given, {}, (m * p * t + q, p, "="))

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The covariance after one step, and before."""
        left, right = (
            [[str(x) for x in row] for row in m] for m in (failure.sides.left, failure.sides.right)
        )
        place = self.resolved._filled(failure.place)
        return Counterexample(place.to_json(), left, right, "covariance after one step, and before")

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One block corrupted."""
        for k, (key, expr) in enumerate(self.blocks):
            for name, wrong in corruptions(sp.sympify(expr)):
                blocks = (*self.blocks[:k], (key, wrong), *self.blocks[k + 1 :])
                yield f"{key[0]}, {key[1]}: {name}", replace(self, blocks=blocks)
