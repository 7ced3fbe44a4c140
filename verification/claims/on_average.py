"""Claims that a thermostat holds a quantity at a value on average, exactly and at every step size.

A friction that grows by k (f - value) in a step can only settle where f is ``value`` on average: what it
gains over many steps is the sum. In symbols the gain of a step is compared with f before and after it,
in some mixture; in numbers the chain is run, and the gains of several steps have to be one multiple.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result
from sgtheory.derivation import Step as Told
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly
from sgtheory.dynamics.walking import walk
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.formal import Formal, Line, kind_of, values_of
from verification.claims.functions import functions_in, letters_of, polynomials, put_in
from verification.refuter.jetscript import name_of, python
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding

_RUN = 4
_SHARES = (sp.Integer(0), sp.Integer(1), sp.Rational(1, 2))  # of f after the step


@dataclass(frozen=True, kw_only=True)
class OnAverage(Formal):
    """``E[f] = value`` wherever the mean of ``by`` stands still under ``step``."""

    step: Step
    by: Any
    f: Any
    value: Any

    @property
    def parameters(self) -> tuple[Any, ...]:
        """Of the step and of the value."""
        found = {*self.step.parameters, *sp.sympify(self.value).free_symbols} - {*self.step.state}
        return tuple(sorted(found, key=lambda s: s.name))

    def lines(self) -> tuple[Line, ...]:
        """The update of the thermostat, and the mean."""
        shown = [
            Line(rf"{latex(t)} \leftarrow {latex(e)}", f"{t} <- {plain(e)}")
            for t, e in self.step.updates
            if t == self.by
        ]
        f, value = sp.sympify(self.f), sp.sympify(self.value)
        mean = Line(
            rf"\mathbb{{E}}\left[{latex(f)}\right] = {latex(value)}", f"E[{plain(f)}] = {plain(value)}"
        )
        return (*shown, mean)

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced."""
        return replace(self, step=self.step.put(values), value=sp.sympify(self.value).subs(values))

    @property
    def _functions(self) -> dict[str, Any]:
        return functions_in([e for _, e in self.step.updates])

    def space(self) -> Space:
        """Parameters, the start, noises of a few steps, coefficients of the functions."""
        scalars = {s.name: kind_of(s) for s in self.parameters} | letters_of(self._functions)
        scalars |= {f"start_{s.name}": "real" for s in self.step.state}
        return Space(
            {}, {**scalars, **{self._drawn(w, k): "real" for w in self.step.noises for k in range(_RUN)}}
        )

    def _drawn(self, w: Any, k: int) -> str:
        return f"{w.name}_at_{k}"

    @property
    def settles_at(self) -> tuple[Any, Any] | None:
        """What f has to be on average, and the multiple; None where the gain is no mixture of f."""
        states = {s: s for s in self.step.state}
        after = self.step.after(states)
        gain = sp.expand(after[self.by] - self.by)
        f = sp.sympify(self.f)
        moved = f.xreplace(after)
        for share in _SHARES:
            mixed = sp.expand(share * moved + (1 - share) * f)
            k = sp.Symbol("_k")
            rest = sp.expand(gain - k * mixed)
            own = {*self.step.state, *self.step.noises}
            terms = [t for t in sp.Add.make_args(mixed) if t.free_symbols & own]
            if not terms:
                continue
            head = terms[0].as_independent(*own, as_Add=False)
            factor = (
                sp.cancel(gain.coeff(head[1]) / mixed.coeff(head[1]))
                if gain.has(*head[1].free_symbols)
                else 0
            )
            left = sp.expand(rest.subs(k, factor))
            if factor != 0 and not left.free_symbols & own:
                return sp.cancel(-left / factor), factor
        return None

    def prove_freely(self, time: str) -> Proof:
        """What a step adds, compared with f."""
        found = self.settles_at
        if found is None:
            return Proof(
                False, f"What a step adds to {self.by} is no multiple of {plain(self.f)} less a number."
            )
        true, factor = found
        shown = Equation(Formula(r"\mathbb{E} f", "E f"), true)
        told = Evidence(
            "symbolic",
            f"A step adds {plain(factor)} times f less {plain(true)}, whatever the functions.",
            {"mean": plain(true)},
            Derivation(
                "What a step adds",
                (Told("Where it stands still", "", (shown,)),),
                (Result("mean", shown),),
            ),
        )
        words = (
            f"A step adds {plain(factor)} times {plain(self.f)} less {plain(true)}, so that is its mean"
        )
        return Proof(sp.simplify(true - self.value) == 0, f"{words}, at every step size.", (told,))

    def look_freely(self, time: str) -> Look:
        """A few steps: the gains have to be one multiple of f less the value."""

        def at(place: Place) -> Sides | None:
            known = Exactly(values_of(self.parameters, place), polynomials(self._functions, place))
            value = walk(sp.sympify(self.value), known)
            states = {s: place.scalars[f"start_{s.name}"] for s in self.step.state}
            rows = []
            for k in range(_RUN):
                noise = {w: place.scalars[self._drawn(w, k)] for w in self.step.noises}
                new = self.step.run(known.but(noise), states)
                seen = [Fraction(walk(sp.sympify(self.f), known.but(s))) - value for s in (states, new)]
                rows.append((new[self.by] - states[self.by], *seen))
                states = new
            if not any(any(row) for row in rows):
                return None
            for share in map(Fraction, map(str, _SHARES)):
                pairs = [(g, (1 - share) * a + share * b) for g, a, b in rows]
                first = next((p for p in pairs if p[1]), None)
                if first and all(g * first[1] == first[0] * m for g, m in pairs):
                    return Sides("one multiple", "one multiple", True)
            return Sides([str(g) for g, *_ in rows], [str(a) for _, a, _ in rows], False)

        return at

    def correct(self, time: str) -> Correction | None:
        """The mean that it settles at."""
        found = self.settles_at
        if found is None:
            return None
        fixed = replace(self, value=found[0])
        if fixed.find(time).verdict != "proved":
            return None
        line = fixed.lines()[-1]
        return Correction(line.latex(), line.text(), "proved", "for all functions", (fixed,))

    def script(self, failure: Failure, time: str) -> str:
        """The chain in fractions."""
        claim, place = self.resolved, failure.place
        functions = claim._functions
        chosen = polynomials(functions, place)
        lines = [f"# {self.heading}", "from fractions import Fraction as F", "from math import isqrt"]
        lines.append(
            "def sqrt(x): return F(isqrt(F(x).numerator), isqrt(F(x).denominator))  # of squares"
        )
        lines += [f"{name_of(s)} = F('{x}')" for s, x in values_of(claim.parameters, place).items()]
        lines += [f"{name_of(s)} = F('{place.scalars[f'start_{s.name}']}')" for s in claim.step.state]
        draws = [
            [str(place.scalars[claim._drawn(w, k)]) for w in claim.step.noises] for k in range(_RUN)
        ]
        lines += [f"f = lambda: {python(claim.f)} - ({python(claim.value)})", "rows = []"]
        lines.append(f"for drawn in {draws}:")
        if claim.step.noises:
            lines.append(f"    {', '.join(map(name_of, claim.step.noises))}, = map(F, drawn)")
        lines.append(f"    old, before = {name_of(claim.by)}, f()")
        lines += [
            f"    {name_of(t)} = {python(put_in(e, functions, chosen))}" for t, e in claim.step.updates
        ]
        lines.append(f"    rows.append(({name_of(claim.by)} - old, before, f()))")
        lines += [
            "def multiples(share):",
            "    pairs = [(g, (1 - share) * a + share * b) for g, a, b in rows]",
            "    first = next((p for p in pairs if p[1]), None)",
            "    return bool(first) and all(g * first[1] == first[0] * m for g, m in pairs)",
            "print(*rows)",
            "print(any(map(multiples, (F(0), F(1), F(1, 2)))))",
        ]
        return "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The chain's numbers, gains and f."""
        left, right = str(failure.sides.left), str(failure.sides.right)
        words = "what steps add to the friction, and f less the value before each"
        return Counterexample(failure.place.to_json(), left, right, words)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The value, or the update of the thermostat."""
        for name, wrong in corruptions(sp.sympify(self.value)):
            yield f"value: {name}", replace(self, value=wrong)
        for k, (target, expr) in enumerate(self.step.updates):
            if target == self.by:
                for name, wrong in corruptions(sp.expand(expr)):
                    updates = (*self.step.updates[:k], (target, wrong), *self.step.updates[k + 1 :])
                    yield (
                        f"update of {target}: {name}",
                        replace(self, step=replace(self.step, updates=updates)),
                    )
