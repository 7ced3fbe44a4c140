"""Claims that one sum of powers is at most a constant times another, over a range of letters.

The constant is not named: left = O(right). In logarithms of the letters the range is a cone, and the
claim is that each power on the left is nowhere above the largest on the right. A weighted mean of those
on the right proves it; a ray of the cone along which the quotient grows refutes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, pairwise, product
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.errors import UnusableInput
from sgtheory.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.refuter.jetscript import name_of, python
from verification.refuter.script import run
from verification.twins import corruptions, spread
from verification.verdict import (
    Answer,
    Correction,
    Counterexample,
    Evidence,
    Finding,
    RoutesDisagree,
    Twins,
    unseen_by_script,
)
from verification.word import of_true

_SHARES = 6  # parts of weights that are tried
_TWINS = 20
_HARMLESS = ("doubled", "sign flipped")  # factors are not named, and all terms are positive
_FEW = 4  # terms on the right, up to which all weights are tried
_RAYS, _FARTHEST = 3, 13  # steps along each ray that are added up
_FAR = (2, 4, 6, 8)  # how far along a ray the quotient is looked at
Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class OrderOf(Printed):
    """``left = O(right)``."""

    relation: str = "O"

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(sp.sympify(self.left))} = O\left({latex(sp.sympify(self.right))}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} = O({plain(self.right)})"


@dataclass(frozen=True)
class Dominated(Claim):
    """``printed`` is one ``OrderOf``; ``at_least_one`` are powers of letters, such as L and 1/h."""

    at_least_one: tuple[Any, ...] = ()

    def has_discrete_reading(self) -> bool:
        """It is about sizes."""
        return False

    @cached_property
    def symbols(self) -> tuple[Any, ...]:
        """All letters."""
        exprs = (self.printed[0].left, self.printed[0].right, *self.at_least_one)
        return tuple(sorted({s for e in exprs for s in sp.sympify(e).free_symbols}, key=str))

    @cached_property
    def sides(self) -> tuple[tuple[Vector, ...], tuple[Vector, ...]]:
        """The exponents on both sides."""
        left, right = (self._powers(side) for side in (self.printed[0].left, self.printed[0].right))
        return left, right

    def _powers(self, side: Any) -> tuple[Vector, ...]:
        terms = sp.Add.make_args(sp.expand(sp.sympify(side)))
        return tuple(dict.fromkeys(self._exponents(x) for x in terms if x != 0))

    def _exponents(self, term: Any) -> Vector:
        powers = term.as_powers_dict()
        for base in powers:
            if (base.is_number and not base.is_positive) or not (base.is_number or base.is_Symbol):
                raise UnusableInput("a sum of positive powers", plain(term), "bound it term by term")
        found = (sp.Rational(powers.get(s, 0)) for s in self.symbols)
        return tuple(Fraction(int(x.p), int(x.q)) for x in found)

    @cached_property
    def rays(self) -> tuple[Vector, ...]:
        """What the cone of logarithms is spanned by: extreme rays, and both ways along free letters."""
        walls = [self._exponents(sp.sympify(c)) for c in self.at_least_one]
        size = len(self.symbols)
        bound = [k for k in range(size) if any(w[k] for w in walls)]
        found = [
            tuple(Fraction(sign * (j == k)) for j in range(size))
            for k in range(size)
            if k not in bound
            for sign in (1, -1)
        ]
        for chosen in combinations(walls, len(bound) - 1) if bound else ():
            rows = sp.Matrix(
                [[sp.Rational(str(w[k])) for k in bound] for w in chosen] or [[0] * len(bound)]
            )
            space = rows.nullspace()
            if len(space) != 1:
                continue
            along = dict(zip(bound, (Fraction(int(x.p), int(x.q)) for x in space[0]), strict=True))
            for sign in (1, -1):
                ray = tuple(sign * along.get(k, Fraction(0)) for k in range(size))
                if all(_dot(w, ray) >= 0 for w in walls) and ray not in found:
                    found.append(ray)
        return tuple(found)

    def covered(self, e: Vector, others: tuple[Vector, ...]) -> tuple[Fraction, ...] | None:
        """Weights of a mean of the others that is at least as large on the whole range."""
        for parts in _weights(len(others)):
            mean = [sum(Fraction(p, _SHARES) * f[k] for p, f in zip(parts, others, strict=True))
                    for k in range(len(e))]  # fmt: skip
            if all(_dot(mean, r) >= _dot(e, r) for r in self.rays):
                return tuple(Fraction(p, _SHARES) for p in parts)
        return None

    @cached_property
    def ray_of_growth(self) -> tuple[Vector, Vector] | None:
        """A power on the left, and a direction in which it outgrows all on the right."""
        left, right = self.sides
        for e, x in product(left, self.directions):
            if all(_dot(e, x) > _dot(f, x) for f in right):
                return e, x
        return None

    @property
    def directions(self) -> tuple[Vector, ...]:
        """Sums of steps along the rays."""
        return _directions(self.rays)

    def prove(self, time: str) -> Proof:
        """Each power on the left by a mean of those on the right."""
        left, right = self.sides
        weights = {e: self.covered(e, right) for e in left}
        shown = []
        for e, w in weights.items():
            if w is not None:
                mean = sp.Mul(*(self._term(f) ** sp.Rational(x.numerator, x.denominator)
                                for f, x in zip(right, w, strict=True)))  # fmt: skip
                shown.append(Equation(_formula(self._term(e)), _formula(mean), "<="))
        words = "Each term is at most a weighted geometric mean of those on the right."
        steps = (Step("Term by term", "For all letters in the range:", tuple(shown)),)
        told = Evidence("symbolic", words, {"covered": len(shown)}, Derivation("Sizes", steps, ()))
        if all(w is not None for w in weights.values()):
            return Proof(True, words, (told,))
        return Proof(
            False if self.ray_of_growth else None, "A term outgrows those on the right.", (told,)
        )

    def _term(self, e: Vector) -> Any:
        pairs = zip(self.symbols, e, strict=True)
        return sp.Mul(*(s ** sp.Rational(x.numerator, x.denominator) for s, x in pairs))

    def quotient(self, x: Vector, far: int) -> float:
        """Left over right with letters 2^(far x)."""
        values = {s: sp.Integer(2) ** sp.Rational(k.numerator * far, k.denominator)
                  for s, k in zip(self.symbols, x, strict=True)}  # fmt: skip
        return float(sp.N(sp.sympify(self.printed[0].left / self.printed[0].right).subs(values), 30))

    def find(self, time: str | None = None) -> Finding:
        """By means, by a ray; along all rays the quotient is looked at in numbers."""
        proof = self.prove("discrete")
        growth = None if proof.holds else self.ray_of_growth
        along = [growth[1]] if growth else list(self.rays)
        seen = [[self.quotient(x, far) for far in _FAR] for x in along]
        grows = any(all(b > 1.2 * a for a, b in pairwise(values)) for values in seen)
        last = ", ".join(f"{values[-1]:.3g}" for values in seen)
        held = Evidence("exact", f"Left over right far out: {last}.", {"holds": not grows})
        evidence = (*proof.evidence, held)
        if grows != (growth is not None) or (proof.holds and grows):
            says = {True: f"the quotient grows ({last})", False: f"it stays bounded ({last})"}
            by_exponents = Answer("exponents", "it grows" if growth else "it stays bounded")
            raise RoutesDisagree(self.id, by_exponents, Answer("numbers", says[grows]))
        if growth is None:
            return Finding(of_true(proof.holds), proof.reason, evidence)
        script = self.script_along(growth[1])
        if run(script):
            raise unseen_by_script(self.id)
        moving = {str(s): _power(k) for s, k in zip(self.symbols, growth[1], strict=True)}
        path = ", ".join(f"{s} = {x}" for s, x in moving.items() if x != "1")
        shown = Counterexample(
            moving,
            rf"\text{{{', '.join(f'{v:.4g}' for v in seen[0])}}}",
            r"\text{bounded}",
            f"left over right at k = {', '.join(map(str, _FAR))}",
            script,
        )
        reason = f"Along {path} the term {plain(self._term(growth[0]))} outgrows what is on the right."
        return Finding("refuted", reason, evidence, corrected=self.correct(""), counterexample=shown)

    def correct(self, time: str) -> Correction | None:
        """The terms of the left side that no other covers."""
        left, _ = self.sides
        kept = [e for e in left if not any(f != e and self.covered(e, (f,)) for f in left)]
        true = replace(self.printed[0], right=sp.Add(*map(self._term, kept)))
        if not kept or replace(self, printed=(true,)).prove("").holds is not True:
            return None
        return Correction(true.latex(), true.text(), "proved", "the largest terms of the left", (true,))

    def script_along(self, x: Vector) -> str:
        """The quotient along the ray."""
        printed = self.printed[0]
        lines = [f"# {self.heading}", "from fractions import Fraction as F", "from math import pi, sqrt"]
        lines.append("ratios = []")
        lines.append(f"for k in {_FAR}:")
        for s, e in zip(self.symbols, x, strict=True):
            lines.append(f"    {name_of(s)} = 2.0 ** (F({e.numerator}, {e.denominator}) * k)")
        lines.append(f"    ratios.append(({python(printed.left)}) / ({python(printed.right)}))")
        lines.append("print(*map(float, ratios))")
        lines.append("print(not all(b > 1.2 * a for a, b in zip(ratios, ratios[1:])))  # bounded")
        return "\n".join(lines) + "\n"

    def true_statement(self, finding: Finding) -> Self | None:
        """The corrected one where it is refuted."""
        if finding.verdict == "proved":
            return self
        fixed = finding.corrected
        return None if fixed is None else replace(self, printed=fixed.printed)

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Powers changed, terms dropped: a weaker statement is set aside, if the prover shows it."""
        true = self.true_statement(finding)
        tried, survivors, equivalent = 0, [], []
        for name, twin in spread(true.corrupted(finding), most) if true is not None else ():
            try:
                holds = twin.prove("").holds
                growth = None if holds else twin.ray_of_growth
            except UnusableInput:  # a term with another sign
                continue
            tried += holds is not True
            equivalent += [name] if holds else []
            survivors += [name] if not holds and growth is None else []
        return Twins(tried, tried - len(survivors), tuple(survivors), tuple(equivalent))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One side corrupted, or a term times a letter."""
        yield from spread(self._corrupted(), _TWINS)

    def _corrupted(self) -> Iterator[tuple[str, Self]]:
        printed = self.printed[0]
        for side in ("right", "left"):
            value = sp.expand(sp.sympify(getattr(printed, side)))
            wrong = [(n, e) for n, e in corruptions(value) if not n.endswith(_HARMLESS)]
            for term in sp.Add.make_args(value):
                wrong += [(f"{term} times {s}", value - term + term * s) for s in self.symbols]
                wrong += [(f"{term} over {s}", value - term + term / s) for s in self.symbols]
            for name, changed in wrong:
                if changed != 0:
                    yield (
                        f"{side}: {name}",
                        replace(self, printed=(replace(printed, **{side: changed}),)),
                    )


@cache
def _directions(rays: tuple[Vector, ...]) -> tuple[Vector, ...]:
    found: dict[Vector, None] = {}
    for times in _combinations(len(rays)):
        pairs = list(zip(times, rays, strict=True))
        x = tuple(sum((m * r[k] for m, r in pairs), Fraction(0)) for k in range(len(rays[0])))
        if any(x):
            found[x] = None
    return tuple(found)


def _weights(count: int) -> Iterator[tuple[int, ...]]:
    """One of the others alone, halves of two, then all of few."""
    for pair in combinations(range(count), 2):
        yield tuple(_SHARES // 2 * (k in pair) for k in range(count))
    most = count <= _FEW
    for parts in product(range(_SHARES + 1), repeat=count) if most else ():
        if sum(parts) == _SHARES:
            yield parts
    for k in range(count):
        yield tuple(_SHARES * (j == k) for j in range(count))


def _combinations(count: int) -> Iterator[tuple[int, ...]]:
    """Few steps along the rays before many; of many rays, all or two at a time."""
    if count <= _RAYS:
        yield from sorted(product(range(_FARTHEST), repeat=count), key=sum)
        return
    for first in (0, 1):  # all letters that are free, one way and the other
        for k, times in product(range(count), range(4)):
            yield tuple(int(i % 2 == first) + times * (i == k) for i in range(count))
    for j, k in combinations(range(count), 2):
        for a, b in ((1, 0), (0, 1), (1, 1), (1, 2), (2, 1)):
            yield tuple(a * (i == j) + b * (i == k) for i in range(count))


def _dot(a: Any, b: Any) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _power(k: Fraction) -> str:
    """A power of two along a ray."""
    if k == 0:
        return "1"
    return "2**k" if k == 1 else f"2**({'-' if k == -1 else f'{k}*'}k)"


def _formula(expr: Any) -> Formula:
    return Formula(latex(expr), plain(expr))
