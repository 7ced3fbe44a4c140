"""Claims about a marginal of a density in which what is integrated out is Gaussian given the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.dynamics.density import marginal
from sgtheory.dynamics.taylor import Exactly
from sgtheory.dynamics.walking import walk
from sgtheory.fields import inverse
from sgtheory.printing import latex, plain
from verification.claims.base import Printed
from verification.claims.calculus import Calculus
from verification.claims.formal import Line
from verification.claims.functions import (
    functions_in,
    letters_of,
    polynomials,
    positive_at,
    written,
)
from verification.refuter.jetscript import name_of, python
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample

_DECIDED = """
def integral(y):  # of exp(l) over the others: a rational part of its logarithm, and a determinant
    zero = [F(0)] * n; e = lambda *k: [F(k.count(i)) for i in range(n)]
    at = lambda z: l(*y, *z)
    c = at(zero); b = [(at(e(i)) - at([-x for x in e(i)])) / 2 for i in range(n)]
    A = [[at(e(i)) + at(e(j)) - c - at(e(i, j)) for j in range(n)] for i in range(n)]
    rows, det = [r + [s] for r, s in zip(A, b)], F(1)
    for i in range(n):
        det *= rows[i][i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        rows = [[x - r[i] * z for x, z in zip(r, rows[i])] if k != i else r for k, r in enumerate(rows)]
    return c + sum(x * r[n] for x, r in zip(b, rows)) / 2, det
(p, d), (q, e) = map(integral, points)
print("log ratio of the marginal at two points", p - q, "and of determinants", d / e)
print("log ratio as printed", m(*points[0]) - m(*points[1]))
print(p - q == m(*points[0]) - m(*points[1]) and d == e)
"""


@dataclass(frozen=True, kw_only=True)
class Marginal(Calculus):
    """The marginal of exp(``log_density``) in the ``kept`` states is exp(``log_marginal``)."""

    log_density: Any
    log_marginal: Any
    kept: tuple[Any, ...]
    equalities: tuple[Printed, ...] = ()

    def __post_init__(self) -> None:
        found = marginal(sp.sympify(self.log_density), self.states, self.kept)
        said = sp.sympify(self.log_marginal)
        pairs = (Printed(sp.diff(found, s), sp.diff(said, s)) for s in self.kept)
        object.__setattr__(self, "equalities", tuple(pairs))
        super().__post_init__()

    def lines(self) -> tuple[Any, ...]:
        """The integral."""
        left, right = sp.sympify(self.log_marginal), sp.sympify(self.log_density)
        over = [s for s in self.states if s not in self.kept]
        return (
            Line(
                rf"\exp\left({latex(left)}\right) \propto \int \exp\left({latex(right)}\right)"
                + "".join(rf"\,d{latex(s)}" for s in over),
                f"exp({plain(left)}) ~ integral of exp({plain(right)}) over {', '.join(map(str, over))}",
            ),
        )

    def _mapped(self, change: Any) -> Self:
        both = change(self.log_density), change(self.log_marginal)
        return replace(self, log_density=both[0], log_marginal=both[1], equalities=())

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced everywhere."""
        return self._mapped(lambda e: sp.sympify(e).subs(values))

    @property
    def _used(self) -> tuple[Any, ...]:
        return (sp.sympify(self.log_density), sp.sympify(self.log_marginal))

    def space(self) -> Space:
        """Parameters, functions, and two points."""
        found = super().space().scalars
        used = set[Any]().union(*(e.free_symbols for e in self._used)) - set(self.states)
        free = {s.name: "positive" for s in sorted(used, key=str)}
        points = {name: "real" for s in self.kept for name in (s.name, f"other {s.name}")}
        return Space({}, {**free, **letters_of(functions_in(self._used)), **found, **points})

    def look_freely(self, time: str) -> Look:
        """The ratio of the marginal at two points: Gaussian integrals by completing the square."""
        functions = functions_in(self._used)
        over = [s for s in self.states if s not in self.kept]

        def at(place: Place) -> Sides | None:
            chosen = polynomials(functions, place)
            free = {s for e in self._used for s in e.free_symbols} - set(self.states)
            known = Exactly({s: place.scalars[s.name] for s in free}, chosen)
            sides = []
            for point in self.points(place):
                here = known.but(dict(zip(self.kept, point, strict=True)))
                for name, f in functions.items():
                    where = [here.values.get(a, Fraction(0)) for a in f.args]
                    if not positive_at(f, chosen[name], where):
                        return None
                integral = _gaussian(self._used[0], over, here)
                sides.append((integral, walk(self._used[1], here)))
            ((p, d), m), ((q, e), k) = sides
            left = f"exp({p - q}) sqrt({e / d})"
            return Sides(left, f"exp({m - k})", p - q == m - k and d == e)

        return at

    def points(self, place: Place) -> tuple[list[Fraction], list[Fraction]]:
        """Two values of the kept states."""
        return tuple(  # type: ignore[return-value]
            [place.scalars[f"{word}{s.name}"] for s in self.kept] for word in ("", "other ")
        )

    def correct(self, time: str) -> Correction | None:
        """The marginal itself."""
        found = marginal(sp.sympify(self.log_density), self.states, self.kept)
        (line,) = replace(self, log_marginal=found, equalities=()).lines()
        return Correction(line.latex(), line.text(), "proved", "by completing the square")

    def script(self, failure: Failure, time: str) -> str:
        """Both integrals, and what is printed."""
        claim, place = self.resolved, failure.place
        functions = functions_in(claim._used)
        chosen = polynomials(functions, place)
        free = sorted({s for e in claim._used for s in e.free_symbols} - set(claim.states), key=str)
        lines = [f"# {self.heading}", "from fractions import Fraction as F"]
        lines += [f"{name_of(s)} = F('{place.scalars[s.name]}')" for s in free]
        for name, f in functions.items():
            names = [sp.Symbol(f"x{k}") for k in range(len(f.args))]
            body = python(written(chosen[name], names))
            lines.append(f"def {name}({', '.join(map(str, names))}): return {body}")
        over = [s for s in claim.states if s not in claim.kept]
        kept, both = (", ".join(map(name_of, x)) for x in (claim.kept, (*claim.kept, *over)))
        lines.append(f"def l({both}): return {python(claim._used[0])}  # log density")
        lines.append(f"def m({kept}): return {python(claim._used[1])}  # log marginal as printed")
        rows = ("(" + "".join(f"F('{x}'), " for x in point) + ")" for point in self.points(place))
        lines.append(f"n, points = {len(over)}, [{', '.join(rows)}]")
        return "\n".join(lines) + _DECIDED

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """What the two numbers are."""
        shown = {n: str(x) for n, x in failure.place.scalars.items() if x != 0}
        words = "ratio of the marginal at two points, and as printed"
        return Counterexample(shown, failure.sides.left, failure.sides.right, words)

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """What is printed, corrupted."""
        for name, wrong in corruptions(sp.expand(self.log_marginal)):
            yield f"marginal: {name}", replace(self, log_marginal=wrong, equalities=())


def _gaussian(expr: Any, over: list[Any], here: Exactly) -> tuple[Any, Any]:
    """The rational part of the logarithm of an integral, and the determinant that goes with it."""
    n = len(over)

    def value(*steps: int, sign: int = 1) -> Any:
        return walk(expr, here.but({s: Fraction(sign * steps.count(k)) for k, s in enumerate(over)}))

    c = value()
    b = [(value(i) - value(i, sign=-1)) / 2 for i in range(n)]
    A = [[value(i) + value(j) - c - value(i, j) for j in range(n)] for i in range(n)]
    solved = [sum((x * y for x, y in zip(row, b, strict=True)), Fraction(0)) for row in inverse(A)]
    return c + sum((x * y for x, y in zip(b, solved, strict=True)), Fraction(0)) / 2, _determinant(A)


def _determinant(A: list[list[Any]]) -> Any:
    """Along the first row."""
    if not A:
        return Fraction(1)
    rows = ([r[:k] + r[k + 1 :] for r in A[1:]] for k in range(len(A)))
    return sum(((-1) ** k * A[0][k] * _determinant(r) for k, r in enumerate(rows)), Fraction(0))
