"""A density is invariant under a stochastic differential equation."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.dynamics.coefficients import coefficients, vanishes
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.leading import leading
from sgtheory.dynamics.taylor import Exactly, Taylor
from sgtheory.dynamics.walking import walk
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.correcting import corrected_processes, stationary_density
from verification.claims.formal import Formal, Line, kind_of, symbols_in, values_of
from verification.claims.functions import (
    confines,
    functions_in,
    letters_of,
    polynomials,
    positive_at,
    put_in,
    willing,
    written,
)
from verification.refuter.jetscript import invariance_script
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap

_DRAWN, _KEPT = 40, 6  # random places at which a corruption is looked at


@dataclass(frozen=True, kw_only=True)
class Invariant(Formal):
    """``exp(log_density)`` is invariant under ``process``; ``also`` the same in other dimensions.

    Functions of the states may stay unspecified. ``small`` is the parameter that the paper takes to
    zero, where it takes one.
    """

    process: Diffusion
    log_density: Any
    also: tuple[tuple[Diffusion, Any], ...] = ()
    small: Any = None

    @property
    def stated(self) -> tuple[tuple[Diffusion, Any], ...]:
        """The statement in every dimension in which it is written out."""
        return ((self.process, self.log_density), *self.also)

    @property
    def expressions(self) -> tuple[Any, ...]:
        """All formulas of the statement in its first dimension."""
        rows = self.process.noise
        return (*self.process.drift, *(e for row in rows for e in row), self.log_density)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """What is no state."""
        return tuple(s for s in symbols_in(self.expressions) if s not in self.process.state)

    def lines(self) -> tuple[Line, ...]:
        """The equation of each state, and the density."""
        density = Line(
            rf"\pi \propto \exp\left({latex(sp.sympify(self.log_density))}\right)",
            f"pi ~ exp({plain(sp.sympify(self.log_density))})",
        )
        return (*process_lines(self.process), density)

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced everywhere."""
        changed = tuple((_put(p, values), sp.sympify(d).subs(values)) for p, d in self.stated)
        return replace(self, process=changed[0][0], log_density=changed[0][1], also=changed[1:])

    def space(self) -> Space:
        """States, parameters, and the coefficients of polynomials for the functions."""
        scalars = {s.name: kind_of(s) for s in self.parameters}
        scalars |= letters_of(functions_in(self.expressions))
        return Space({}, {**scalars, **{s.name: "real" for s in self.process.state}})

    def drawn(self, source: random.Random) -> Place:
        """A random place at which potentials confine and positive functions are positive."""
        functions = functions_in(self.expressions)
        return willing(self.space().random(source), functions, functions_in([self.log_density]))

    def equations(self, time: str) -> tuple[Any, ...]:
        """The coefficients of the residual."""
        return coefficients(self.process.residual(self.log_density), self.process.state)

    def prove_freely(self, time: str) -> Proof:
        """The Fokker-Planck residual, in every dimension that is written out."""
        holds = [vanishes(p.residual(density), p.state) for p, density in self.stated]
        rest = sp.factor(self.process.residual(self.log_density)) if not holds[0] else sp.Integer(0)
        reason = (
            "The Fokker-Planck operator takes the density to zero, whatever the functions left open."
            if all(holds)
            else f"The Fokker-Planck operator leaves {plain(rest)} times the density."
        )
        return Proof(all(holds), reason, (_told(self, rest),))

    def look_freely(self, time: str) -> Look:
        """Both sides at a rational point with polynomials for the functions, derivatives by Taylor."""
        functions = functions_in(self.expressions)
        potentials = functions_in([self.log_density])

        def at(place: Place) -> Sides | None:
            chosen = polynomials(functions, place)
            for name, f in functions.items():
                point = [place.scalars.get(getattr(a, "name", ""), Fraction(0)) for a in f.args]
                if not positive_at(f, chosen[name], point):
                    return None
                confined = f.is_positive or name not in potentials
                if not confined and not confines(chosen[name], len(f.args)):
                    return None
            known = values_of(self.parameters, place)
            states = [place.scalars[s.name] for s in self.process.state]
            return sides_at(self.process, self.log_density, states, Exactly(known, chosen))

        return at

    def gap(self, time: str) -> Gap | None:
        """How fast the residual vanishes compared with what the drift takes."""
        if self.small is None:
            return None
        parts = self.process.gained(self.log_density)
        rest = leading(self.process.residual(self.log_density), self.small)
        sizes = [s for s in (leading(sp.expand(p), self.small) for p in parts) if s is not None]
        if rest is None or not sizes or rest[0] <= min(s[0] for s in sizes):
            return None
        order = rest[0] - min(s[0] for s in sizes)
        term = rest[1] * self.small**order
        return Gap(self.small.name, str(order), Formula(latex(term), plain(term)))

    def correct(self, time: str) -> Correction | None:
        """The process that has the density, as close to the printed one as there is."""
        for words, process in corrected_processes(self.process, self.log_density):
            fixed = replace(self, process=process, also=())
            if fixed.prove(time).holds is not True or fixed.find(time).verdict != "proved":
                continue
            shown = process_lines(process)
            instead = stationary_density(self.process)
            words += f"; what it printed leaves exp({plain(instead)}) as it is" if instead else ""
            return Correction(
                r" \qquad ".join(line.latex() for line in shown),
                "; ".join(line.text() for line in shown),
                "proved",
                words,
                (fixed,),
            )
        return None

    def script(self, failure: Failure, time: str) -> str:
        """Both sides with the polynomials written out."""
        claim = self.resolved
        functions = functions_in(claim.expressions)
        chosen = polynomials(functions, failure.place)

        def shown(e: Any) -> Any:
            return put_in(e, functions, chosen)

        process = claim.process
        parts = (
            [shown(b) for b in process.ito_drift],
            [[shown(a) for a in row] for row in process.covariance],
            shown(claim.log_density),
        )
        values = values_of((*process.state, *claim.parameters), failure.place)
        words = ", ".join(f"{f} = {shown(f)}" for f in functions.values())
        return invariance_script(self.heading, process.state, parts, values, words)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The functions as polynomials, the point, and both sides."""
        functions = functions_in(self.expressions)
        chosen = polynomials(functions, failure.place)
        shown = {str(f): plain(written(chosen[n], f.args)) for n, f in functions.items()}
        others = values_of((*self.process.state, *self.resolved.parameters), failure.place)
        return Counterexample(
            {**shown, **{s.name: str(x) for s, x in others.items()}},
            str(failure.sides.left),
            str(failure.sides.right),
            "what the drift takes away and what the noise brings, relative to the density",
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One entry of drift, noise or density corrupted."""
        process = self.process
        for i, b in enumerate(process.drift):
            for name, wrong in corruptions(b):
                drift = (*process.drift[:i], sp.sympify(wrong), *process.drift[i + 1 :])
                yield f"drift of {process.state[i]}: {name}", self._with(replace(process, drift=drift))
        for i, row in enumerate(process.noise):
            for k, entry in enumerate(row):
                for name, wrong in corruptions(entry):
                    changed = (*row[:k], sp.sympify(wrong), *row[k + 1 :])
                    noise = (*process.noise[:i], changed, *process.noise[i + 1 :])
                    yield (
                        f"noise of {process.state[i]}: {name}",
                        self._with(replace(process, noise=noise)),
                    )
        for name, wrong in corruptions(sp.expand(self.log_density)):
            yield f"density: {name}", replace(self, log_density=sp.sympify(wrong), also=())

    def is_caught(self, time: str) -> bool:
        """At a few random places: what is left over vanishes at none of them unless everywhere."""
        statement, source = self.resolved, random.Random(1)
        look, kept = statement.look_freely(time), 0
        for place in (statement.drawn(source) for _ in range(_DRAWN)):
            sides = seen(look, place)
            if sides is not None and not sides.holds:
                return True
            kept += sides is not None
            if kept == _KEPT:
                return False
        return super().is_caught(time)

    def _with(self, process: Diffusion) -> Self:
        return replace(self, process=process, also=())


def sides_at(process: Diffusion, log_density: Any, point: list[Fraction], known: Exactly) -> Sides:
    """Divergences of the two parts of the probability flux at a point where the density is 1."""
    n = process.dimension
    moved = {s: Taylor.variable(k, point[k], n, 2) for k, s in enumerate(process.state)}
    local = known.but(moved)

    def series(expr: Any) -> Taylor:
        return Taylor({}, n, 2) + walk(expr, local)

    exponent = _log_series(log_density, local, n)
    density = exponent.through([Fraction(1), Fraction(1), Fraction(1, 2)])
    drift = [series(b) * density for b in process.drift]
    sigma = [[series(e) for e in row] for row in process.noise]
    taken = _sum(b.derivative(i).constant for i, b in enumerate(drift))
    brought: Any = Fraction(0)
    for i in range(n):
        for j in range(n):
            for k in range(len(sigma[i])):
                if not (sigma[i][k].terms and sigma[j][k].terms):
                    continue
                brought = brought + _flux(sigma[i][k], sigma[j][k], density, i, j, process.reading)
    brought = brought * Fraction(1, 2)
    return Sides(taken, brought, taken == brought)


def _flux(left: Taylor, right: Taylor, density: Taylor, i: int, j: int, reading: str) -> Any:
    """d_i d_j of (s_i s_j pi), or d_i of s_i d_j of (s_j pi)."""
    if reading == "Ito":
        return (left * right * density).derivative(i).derivative(j).constant
    inner = (right * density).derivative(j)
    cut = Taylor({e: c for e, c in left.terms.items() if sum(e) <= 1}, left.size, 1)
    return (cut * inner).derivative(i).constant


def _log_series(log_density: Any, local: Exactly, n: int) -> Taylor:
    """The series of a log density without its constant; logarithms need no exact constants."""
    total = Taylor({}, n, 2)
    for term in sp.Add.make_args(sp.expand(sp.sympify(log_density))):
        logs = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)]
        value: Any
        if len(logs) == 1:
            inside = Taylor({}, n, 2) + walk(logs[0].args[0], local)
            value = walk(sp.sympify(term / logs[0]), local) * local.log(inside * inside.constant**-1)
        else:
            value = walk(term, local)
        total = total + value
    return total + total.constant * -1


def _sum(values: Any) -> Any:
    total: Any = Fraction(0)
    for v in values:
        total = total + v
    return total


def _put(process: Diffusion, values: Mapping[Any, Any]) -> Diffusion:
    drift = tuple(b.subs(values) for b in process.drift)
    return replace(
        process, drift=drift, noise=tuple(tuple(e.subs(values) for e in r) for r in process.noise)
    )


def process_lines(process: Diffusion) -> tuple[Line, ...]:
    """dX = b dt + sigma dW, a line to each state."""
    lines = []
    mark, circle = (r"\circ ", "o ") if process.reading == "Stratonovich" else ("", "")
    for s, b, row in zip(process.state, process.drift, process.noise, strict=True):
        driven = [(k, e) for k, e in enumerate(row, start=1) if e != 0]
        as_latex = rf"d{latex(s)} = \left({latex(b)}\right) dt"
        as_text = f"d{s} = ({plain(b)}) dt"
        for k, e in driven:
            which = f"_{{{k}}}" if len(row) > 1 else ""
            as_latex += rf" + \left({latex(e)}\right) {mark}dW{which}"
            as_text += f" + ({plain(e)}) {circle}dW{k if len(row) > 1 else ''}"
        lines.append(Line(as_latex, as_text))
    return tuple(lines)


def _told(claim: Invariant, rest: Any) -> Evidence:
    taken, brought = claim.process.gained(claim.log_density)
    residual = Formula(r"\frac{\mathcal{L}^{*} \pi}{\pi}", "(L* pi)/pi")
    steps = (
        Step(
            "The drift",
            "It takes away, per time and relative to the density, div b + b . grad log pi:",
            (Equation(Formula("d", "taken"), sp.expand(taken)),),
        ),
        Step(
            "The noise",
            "With a = sigma sigma^T it brings half of the second derivatives of a pi, over pi:",
            (Equation(Formula("s", "brought"), sp.expand(brought)),),
        ),
    )
    sizes = ", ".join(str(p.dimension) for p, _ in claim.stated)
    return Evidence(
        "symbolic",
        "The Fokker-Planck residual, for unspecified functions.",
        {"dimensions": f"{sizes} states"},
        Derivation("Fokker-Planck", steps, (Result("residual", Equation(residual, rest)),)),
    )
