"""An expression approximates another to a power of a small step: difference quotients, expansions.

Functions of the states stay unspecified. In symbols each is replaced by its Taylor polynomial about the
states and the first power of the step that is left over is found; in exact numbers both sides are
evaluated at two small steps, with polynomials for the functions, and the power is read off.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.dynamics.coefficients import coefficients
from sgtheory.dynamics.leading import leading
from sgtheory.dynamics.taylor import Exactly
from sgtheory.dynamics.walking import walk
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.formal import Formal, kind_of, symbols_in, values_of
from verification.claims.slopes import SIZES
from verification.refuter.inpython import name_of, python
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.terms.printing import Line
from verification.theories.operators.polynomials import (
    functions_in,
    letters_of,
    polynomials,
    positive_at,
    put_in,
    written,
)
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding

_TERMS = 3  # of Taylor polynomials beyond the order that is claimed
_MENDED = 3  # terms that are added to mend a statement
_SCRIPT = """e1, e2 = (abs(error(F(1, 4**k))) for k in (14, 15))
slope = log(e1 / e2) / log(4) if e2 else float("inf")
print("the error goes with h to the power", round(slope, 4))
print(slope > {needed} - 0.5)
"""


@dataclass(frozen=True, kw_only=True)
class Approximates(Formal):
    """``left = right + O(h^order)`` as h vanishes, at every point of ``state`` where both exist."""

    left: Any
    right: Any
    h: Any
    order: int
    state: tuple[Any, ...]

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Both sides."""
        return (sp.sympify(self.left), sp.sympify(self.right))

    @property
    def parameters(self) -> tuple[Any, ...]:
        """What is neither state nor step."""
        return tuple(s for s in symbols_in(self.expressions) if s not in (*self.state, self.h))

    def lines(self) -> tuple[Line, ...]:
        """The statement itself."""
        left, right = self.expressions
        power = "" if self.order == 1 else str(self.order)
        up = f"^{{{power}}}" if power else ""
        return (
            Line(
                rf"{latex(left)} = {latex(right)} + O({latex(self.h)}{up})",
                f"{plain(left)} = {plain(right)} + O({self.h}{'**' + power if power else ''})",
            ),
        )

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced."""
        left, right = (e.subs(values) for e in self.expressions)
        return replace(self, left=left, right=right)

    def space(self) -> Space:
        """The point, parameters, and the coefficients of polynomials for the functions."""
        scalars = {s.name: kind_of(s) for s in (*self.parameters, *self.state)}
        return Space({}, {**scalars, **letters_of(self._functions)})

    @cached_property
    def _functions(self) -> dict[str, Any]:
        """Each function at the states that it depends on: those at step zero."""
        return {
            name: f.func(*(a.subs(self.h, 0) for a in f.args))
            for name, f in functions_in(self.expressions).items()
        }

    @cached_property
    def left_over(self) -> tuple[Any, Any] | None:
        """The first power of the step of left minus right, with its coefficient; None for zero."""
        most = max(self.order, 0) + _TERMS
        difference = self.expressions[0] - self.expressions[1]
        return leading(sp.together(_expanded(difference, self.h, most).doit()), self.h)

    def equations(self, time: str) -> tuple[Any, ...]:
        """The coefficients of the first term."""
        found = self.left_over
        if found is None or found[0] >= self.order:
            return ()
        return coefficients(found[1], self.state)

    def prove_freely(self, time: str) -> Proof:
        """By Taylor polynomials of the unspecified functions."""
        found = self.left_over
        if found is None:
            return Proof(True, "Both sides are one.", (self._told(sp.Integer(0)),))
        order, term = found
        first = plain(sp.factor(term) * self.h**order)
        evidence = (self._told(sp.factor(term) * self.h**order),)
        if order >= self.order:
            return Proof(True, f"The first term of the error is {first}.", evidence)
        return Proof(False, f"It is off by {first}, which is of order {order}.", evidence)

    def look_freely(self, time: str) -> Look:
        """The error at two small steps."""
        functions = self._functions

        def at(place: Place) -> Sides | None:
            chosen = polynomials(functions, place)
            for name, f in functions.items():
                point = [place.scalars.get(getattr(a, "name", ""), Fraction(0)) for a in f.args]
                if not positive_at(f, chosen[name], point):
                    return None
            known = Exactly(values_of((*self.parameters, *self.state), place), chosen)
            first, second = (self._error(size, known) for size in SIZES)
            slope = math.log(abs(first / second)) / math.log(4) if second and first else math.inf
            return Sides(f"{slope:.3f}", str(self.order), slope > self.order - 0.5)

        return at

    def _error(self, size: Fraction, known: Exactly) -> Fraction:
        left, right = (walk(e, known.but({self.h: size})) for e in self.expressions)
        return Fraction(left - right)

    def correct(self, time: str) -> Correction | None:
        """With the terms that are left over."""
        fixed = self
        for _ in range(_MENDED):
            found = fixed.left_over
            if found is None or found[0] >= self.order:
                break
            fixed = replace(fixed, right=fixed.right + sp.factor(found[1]) * self.h ** found[0])
        if fixed.find(time).verdict != "proved":
            return None
        (line,) = fixed.lines()
        return Correction(line.latex(), line.text(), "proved", "for all functions", (fixed,))

    def script(self, failure: Failure, time: str) -> str:
        """Both sides in fractions at two steps."""
        claim = self.resolved
        functions = claim._functions
        chosen = polynomials(functions, failure.place)
        left, right = (put_in(e, functions, chosen) for e in claim.expressions)
        values = values_of((*claim.parameters, *claim.state), failure.place)
        shown = ", ".join(f"{f} = {written(chosen[n], f.args)}" for n, f in functions.items())
        lines = [
            f"# {self.heading}",
            f"# {shown}" if shown else "#",
            "from fractions import Fraction as F",
        ]
        lines.append("from math import log")
        lines += [f"{name_of(s)} = F('{x}')" for s, x in values.items()]
        lines.append(f"error = lambda {name_of(claim.h)}: {python(left)} - ({python(right)})")
        return "\n".join(lines) + "\n" + _SCRIPT.replace("{needed}", str(claim.order))

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The functions, the point, and the power that is seen."""
        functions = self._functions
        chosen = polynomials(functions, failure.place)
        shown = {str(f): plain(written(chosen[n], f.args)) for n, f in functions.items()}
        others = values_of((*self.resolved.parameters, *self.state), failure.place)
        return Counterexample(
            {**shown, **{s.name: str(x) for s, x in others.items()}},
            failure.sides.left,
            failure.sides.right,
            "the power of h with which the error goes, and as claimed",
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Either side, or an order one higher."""
        for name, wrong in corruptions(self.left):
            yield f"left: {name}", replace(self, left=wrong)
        for name, wrong in corruptions(self.right):
            yield f"right: {name}", replace(self, right=wrong)
        yield "order one higher", replace(self, order=self.order + 1)

    def _told(self, rest: Any) -> Evidence:
        shown = Equation(Formula(r"\text{left} - \text{right}", "left - right"), rest)
        step = Step("Expanded in the step", "The first term that is left over:", (shown,))
        return Evidence(
            "symbolic",
            "By Taylor polynomials of the functions about the point.",
            {"first": plain(rest)},
            Derivation("Expansion", (step,), (Result("error", shown),)),
        )


def _expanded(expr: Any, h: Any, most: int) -> Any:
    """Functions whose arguments move with the step as Taylor polynomials about where they start."""

    def series(f: Any) -> Any:
        here = [a.subs(h, 0) for a in f.args]
        away = [sp.expand(a - b) for a, b in zip(f.args, here, strict=True)]
        total: Any = sp.Integer(0)
        for orders in product(range(most + 1), repeat=len(here)):
            if sum(orders) > most or any(k and not d for k, d in zip(orders, away, strict=True)):
                continue
            by = [(s, k) for s, k in zip(here, orders, strict=True) if k]
            value = f.func(*here).diff(*by) if by else f.func(*here)
            weight = math.prod(map(math.factorial, orders))
            total += value * sp.Mul(*(d**k for d, k in zip(away, orders, strict=True))) / weight
        return total

    return sp.sympify(expr).replace(
        lambda e: isinstance(e, AppliedUndef) and e.has(h), lambda *a: series(a[0])
    )
