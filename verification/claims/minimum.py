"""Claims that a printed value minimises a printed formula: in a positive number, or a positive gain.

The formula may be wrong as a divergence; here only the step from the formula to its minimum is judged.
A formula whose terms are powers and logarithms of a number is strictly convex in the number's
logarithm where all powers have positive factors, so that one vanishing derivative decides; of a gain,
the second differential has to be certified.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Self

import sympy as sp

from sgtheory import exact
from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.exact import Matrix
from sgtheory.printing import latex, plain
from sgtheory.setting import Setting
from verification.claims.base import Printed, Proof
from verification.claims.lettered import Lettered, free_letters
from verification.gaussians import expanded
from verification.miner.conditions import Condition
from verification.prover.balance import Balance, convex_in_gain, scaled_by
from verification.quantities import amounts, numbers_at, space_of
from verification.rational import matrix_value
from verification.refuter.minimumscript import minimum_script
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.refuter.search import Failure, Look, Sides, first_seen
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding

_STEPS = tuple(Fraction(n, 1000) for n in (1001, 999, 2000, 500, 64000, 16))
_DIGITS = 20
_LOOKS = 12  # at each of them the formula is looked at in some places around the value


@dataclass(frozen=True)
class ArgMin(Printed):
    """``left = right`` is where ``objective`` is smallest among positive values of ``left``."""

    objective: Any = None

    def latex(self) -> str:
        """With the formula that is minimised."""
        formula = Printed(self.objective, self.objective).latex().split(" = ")[0]
        return rf"{super().latex()} = \arg\min_{{{latex(self.left)}}} \left\{{ {formula} \right\}}"

    def text(self) -> str:
        """On one line."""
        return f"{super().text()} minimises {plain(self.objective)} over {plain(self.left)}"


@dataclass(frozen=True)
class FormulaMinimum(Lettered):
    """``printed`` is one ``ArgMin``; letters that a paper introduces are ``defined``.

    ``diagonal`` restricts a gain to diagonal matrices.
    """

    defined: tuple[tuple[Any, Any], ...] = ()
    diagonal: bool = False

    @property
    def one(self) -> ArgMin:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, ArgMin)
        return printed

    def meant(self, expr: Any) -> Any:
        """An expression with what is defined written out."""
        expr = sp.sympify(expr)
        for letter, value in self.defined:
            expr = expr.subs(letter, value)
        return expr

    @property
    def law_of(self) -> Setting | None:
        """The sampler, if there is one."""
        return self.setting if self.of else None

    @property
    def objective(self) -> Any:
        """The formula as it is meant, in traces and log determinants."""
        return expanded(self.meant(self.one.objective))

    def space(self) -> Space:
        """All letters but the one that is chosen."""
        letter = self.one.left.name
        exprs = (self.objective, self.meant(self.one.right))
        kinds = dict(self.kinds)
        found = space_of(exprs, self.law_of, kinds, (letter,))
        free = {s.name for e in exprs for s in e.free_symbols if not s.is_commutative}
        matrices = {n: k for n, k in found.matrices.items() if n != letter}
        if not self.of:
            matrices |= dict.fromkeys(sorted(free - {"I", "C", letter, *matrices}), "positive definite")
        matrices |= {n: k for n, k in kinds.items() if k in MATRIX_KINDS}
        return Space(matrices, found.scalars, self.sizes)

    # -- exact numbers ---------------------------------------------------------------------------

    def value_at(self, place: Place) -> Any:
        """The printed value there: positive, or a positive definite matrix; None where it is not."""
        right, letter = self.meant(self.one.right), self.one.left
        if self.of and letter.is_commutative:  # a value by the law is that of any step
            place = place.but(**{letter.name: Fraction(1)})
        numbers = numbers_at((right,), self.law_of, place, self.time)
        if numbers is None:
            return None
        if self.one.left.is_commutative:
            (amount,) = amounts(right, numbers)
            return amount.rational if amount.rational > 0 else None
        rows = tuple(tuple(row) for row in matrix_value(sp.expand(right), numbers))
        return rows if exact.is_definite(rows, strictly=True) else None

    def near(self, value: Any) -> Iterator[Any]:
        """Other positive values, close ones first."""
        if isinstance(value, Fraction):
            yield from (value * t for t in _STEPS)
            return
        size, small = len(value), value[0][0] / 1000
        for i, j in product(range(size), repeat=2):
            if i > j or (self.diagonal and i != j):
                continue
            for t in (small, -small):
                moved = _moved(value, i, j, t)
                if exact.is_definite(moved, strictly=True):
                    yield moved
        yield from (tuple(tuple(x * t for x in row) for row in value) for t in _STEPS)

    def of_value(self, place: Place, value: Any, time: str) -> Any:
        """The formula with a value put in; None where there is no law."""
        there = place.but(**{self.one.left.name: value})
        exprs = (self.objective, self.meant(self.one.right))
        numbers = numbers_at(exprs, self.law_of, there, time)
        if numbers is None:
            return None
        (amount,) = amounts(self.objective, numbers)
        return None if any(b <= 0 for _, b in amount.logs) else amount

    def better(self, place: Place, time: str) -> tuple[Any, Any, Any, Any] | None:
        """The printed value, the best one near it, and the formula at both."""
        value = self.value_at(place)
        here = None if value is None else self.of_value(place, value, time)
        if here is None:
            return None
        found, least = None, None
        for other in self.near(value):
            there = self.of_value(place, other, time)
            more = None if there is None else (there - here).decimal(_DIGITS)
            if more is not None and (least is None or more < least):
                found, least = (value, other, here, there), more
        return found

    def look(self, time: str) -> Look:
        """The formula at the printed value and at a value near it."""

        def at(place: Place) -> Sides | None:
            if not all(c.holds(place) for c in self.conditions):
                return None
            found = self.better(place, time)
            if found is None:
                return None
            _, _, here, there = found
            return Sides(_decimal(here), _decimal(there), bool((there - here).decimal(_DIGITS) > 0))

        return at

    def failure(self, time: str, evaluations: int = 5 * _LOOKS) -> Failure | None:
        """Among fewer places."""
        return super().failure(time, max(evaluations // 5, _LOOKS))

    def is_caught(self, time: str) -> bool:
        """At a few places, random ones first; what is about nothing is caught as well."""
        found = first_seen(self.look(time), self.space(), lambda _: True)
        first = next(found, None)
        if first is None or not first.holds or any(not sides.holds for sides in found):
            return True
        source = random.Random(self.heading)
        return any(self.holds_at_random(time, source) is False for _ in range(3))

    # -- symbols ---------------------------------------------------------------------------------

    def balance(self, time: str) -> Balance:
        """What the symbolic route needs to know."""
        kinds = dict(self.space().matrices) | free_letters(self.kinds)
        return Balance(self.law_of, time, (), self.conditions, kinds)

    def prove(self, time: str) -> Proof:
        """The derivative vanishes at the printed value, and the formula is convex."""
        if self.one.left.is_commutative:
            return self._prove_scalar(time)
        found = convex_in_gain(
            self.objective, self.one.left, self.meant(self.one.right), self.diagonal, self.balance(time)
        )
        if found is None:
            return Proof(None, "The formula has a form that the matrix engine does not take.")
        reason = {
            True: "The gradient vanishes there, and the second differential is positive definite.",
            False: "The gradient does not vanish there.",
            None: "The gradient vanishes there, but nothing certifies a minimum.",
        }[found.holds]
        return Proof(found.holds, reason, (found.evidence,))

    def _prove_scalar(self, time: str) -> Proof:
        x = self.one.left
        found = scaled_by(self.objective, self.meant(self.one.right), x, self.balance(time))
        if found is None:
            return Proof(None, "How the law depends on the number is not known in closed form.")
        formula, value = found
        slope = sp.simplify(x * sp.diff(formula, x))
        curvature = sp.expand(sp.simplify(x * sp.diff(slope, x)))  # along log x
        at = sp.simplify(slope.subs(x, value))
        terms = [t for t in sp.Add.make_args(curvature) if t != 0]
        evidence = (self._told(formula, slope, at),)
        if any("Sigma_0" in s.name for s in at.free_symbols) and self.of:
            return Proof(None, "What is left needs the equation of the law.", evidence)
        if at != 0:
            none = "" if slope.has(x) and sp.solve(slope, x) else " Nor does it vanish anywhere."
            return Proof(False, f"Its derivative does not vanish there.{none}", evidence)
        convex = bool(terms) and all(t.is_positive for t in terms)
        reason = "Its derivative vanishes there, and it is strictly convex in the logarithm."
        return Proof(
            True if convex else None, reason if convex else "No minimum is certified.", evidence
        )

    def _told(self, formula: Any, slope: Any, at: Any) -> Evidence:
        x = latex(self.one.left)
        steps = (
            Step("The formula", "Up to what does not change:", (Equation(Formula("F", "F"), formula),)),
            Step(
                "Its derivative",
                "Along the logarithm, in general and at the printed value:",
                tuple(
                    Equation(Formula(rf"dF/d \log {x}", f"dF/dlog {self.one.left}"), v)
                    for v in (slope, at)
                ),
            ),
        )
        derivation = Derivation("A minimum", steps, ())
        return Evidence("symbolic", "By its derivative.", {"dimensions": "every"}, derivation)

    # -- what is true instead --------------------------------------------------------------------

    def correct(self, time: str) -> Correction | None:
        """The same formula with some signs turned or terms halved: then the value is its minimum."""
        terms = sp.Add.make_args(sp.expand_mul(sp.sympify(self.one.objective), deep=False))
        moving = [t for t in terms if self.one.left in self.meant(t).free_symbols]
        rest = sp.Add(*(t for t in terms if t not in moving))
        factors = product((1, -1, sp.Rational(1, 2), -sp.Rational(1, 2)), repeat=len(moving))
        for chosen in sorted(factors, key=lambda c: (len(c) - c.count(1), sum(abs(x) != 1 for x in c))):
            changed = rest + sp.Add(*(c * t for c, t in zip(chosen, moving, strict=True)))
            true = replace(self.one, objective=changed)
            fixed = replace(self, printed=(true,))
            if fixed.prove(time).holds and fixed.tested(time, True).data["holds"]:
                return Correction(true.latex(), true.text(), "proved", "in every dimension", (true,))
        return None

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Where noise and gain are what they are does not matter to a formula."""
        return ()

    def gap(self, time: str) -> None:
        """A formula has its minimum at a value or has not."""

    def has_discrete_reading(self) -> bool:
        """It is about a formula, which the paper derived for the process."""
        return False

    def says_the_same(self, other: Self) -> bool:
        """Only by its proof."""
        return False

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Other positive values of the same letter."""
        for name, wrong in corruptions(self.one.right):
            if wrong != 0 and "sign flipped" not in name and "sqrt" not in name:
                yield name, replace(self, printed=(replace(self.one, right=wrong),))

    # -- a counterexample ------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """The formula at the printed value and at a better one."""
        found = self.better(failure.place, time)
        assert found is not None
        name = self.one.left.name
        places = [failure.place.but(**{name: v}) for v in found[:2]]
        return minimum_script(self.heading, self.objective, self.law_of, places, time)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both values and the formula there."""
        found = self.better(failure.place, time)
        assert found is not None
        name, (value, other) = self.one.left.name, found[:2]
        shown = failure.place.but(**{name: value})
        words = f"the formula at {name} = {_text(value)} and at {name} = {_text(other)}"
        return Counterexample(shown.to_json(), failure.sides.left, failure.sides.right, words)


def _moved(value: Matrix, i: int, j: int, t: Fraction) -> Matrix:
    cells = {(i, j), (j, i)}
    return tuple(
        tuple(x + t if (a, b) in cells else x for b, x in enumerate(row)) for a, row in enumerate(value)
    )


def _decimal(amount: Any) -> str:
    import mpmath

    return str(mpmath.nstr(amount.decimal(_DIGITS), 12))


def _text(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    return "[" + "; ".join(" ".join(map(str, row)) for row in value) + "]"
