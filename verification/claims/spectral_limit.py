"""Limits and orders of expressions with exponentials and averages, as a letter vanishes or grows.

``left ~ right``: their ratio tends to one, entry by entry; ``left -> right``: their difference vanishes;
an ``Order``: the left side is of the order of a power. Proved by the first terms at a pair of modes;
looked at in exact numbers along a sequence.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.pairs import LI, LJ
from sgtheory.printing import latex, plain
from verification.claims.base import Printed, Proof
from verification.claims.spectral import Spectral
from verification.miner.conditions import Condition
from verification.notation import A, C, S, Sigma, eps
from verification.pairform import DELTA, NotInPairForm
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.spectral.edits import exponents
from verification.spectral.expansion import first, series
from verification.spectral.formulas import function_of_A
from verification.spectral.gaps import bright
from verification.spectral.modes import ELL_I, ELL_J
from verification.spectral.numbers import Closed
from verification.spectral.script import setup
from verification.spectral.showing import shown_problem
from verification.spectral.words import Averaged
from verification.twins import corruptions
from verification.verdict import Counterexample, Evidence, Finding, Gap

_BASE, _STEPS, _SHOWN = 9, (3, 4), 12  # a square, for what stands under roots
_ORDERS = 6  # of exponentials, as their exponents vanish
_DIGITS = 80
_NOTHING = 1e-60  # long sums are rounded at the 150th digit
TENDS, EXACTLY, AT_MOST = "->", "Theta", "O"


@dataclass(frozen=True)
class Order(Printed):
    """``left = Theta(right)`` or ``left = O(right)``, the right side a power of the letter."""

    relation: str = EXACTLY

    def latex(self) -> str:
        """As typeset."""
        word = r"\Theta" if self.relation == EXACTLY else "O"
        return rf"{latex(self.left)} = {word}\left({latex(sp.sympify(self.right))}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} = {self.relation}({plain(self.right)})"


@dataclass(frozen=True)
class Tends(Printed):
    """``left -> right``."""

    relation: str = TENDS

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(sp.sympify(self.left))} \to {latex(sp.sympify(self.right))}"


@dataclass(frozen=True)
class SpectralLimit(Spectral):
    """One relation, as ``variable`` tends to 0 or to infinity (``limit="oo"``)."""

    variable: Any = eps
    limit: str = "0"

    @property
    def relation(self) -> Printed:
        """What is printed."""
        (printed,) = self.printed
        return printed

    @property
    def kind(self) -> str:
        """``~``, ``->``, ``Theta`` or ``O``."""
        return self.relation.relation

    def path(self) -> str:
        """Such as ``T -> infinity``."""
        return f"{self.variable} -> {'infinity' if self.limit == 'oo' else '0'}"

    def space(self) -> Space:
        """All letters but the one that moves; the stationary law has to exist on the way."""
        found = super().space()
        scalars = {n: k for n, k in found.scalars.items() if n != self.variable.name}
        return replace(found, scalars=scalars)

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """None: a limit that fails is told by the one that holds."""
        return ()

    @property
    def glances(self) -> int:
        """At how many small places a corruption is looked at: each takes several laws."""
        return 8

    def in_order(self, place: Place) -> bool:
        """Whatever moves comes later."""
        return True

    # -- in exact numbers, along a sequence ----------------------------------------------------

    def look(self, time: str) -> Look:
        """Whether the error shrinks, or the ratio stays, from one point of the sequence to the next."""

        def at(place: Place) -> Sides | None:
            shown, sizes = [], []
            for k in _STEPS:
                pair = self._values(place, time, k)
                shown.append([_short(self._largest(v)) for v in pair[:2]])
                sizes.append(self._measure(*pair))
            told = [list(column) for column in zip(*shown, strict=True)]
            return Sides([told[0]], [told[1]], self._holds(*sizes))

        return at

    def _point(self, k: int) -> str:
        times = " S" if self.variable.name == "N" else ""
        return f"{_BASE}^{k if self.limit == 'oo' else -k}{times}"

    def moved(self, place: Place, k: int) -> Place:
        """A place of the sequence; N grows in multiples of S, for windows are whole."""
        value = Fraction(_BASE) ** (k if self.limit == "oo" else -k)
        if self.variable.name == "N":
            value *= place.scalars.get("S", Fraction(1))
        return place.but(**{self.variable.name: value})

    def _values(self, place: Place, time: str, k: int) -> tuple[Any, Any, Any]:
        """Left, right, and left minus right, which is exact before it is a decimal."""
        import mpmath

        walk = Closed(self.moved(place, k), self.law_of, time, self.order)
        left, right = (walk.matrix(sp.sympify(e)) for e in (self.relation.left, self.relation.right))
        rest = [[x - y for x, y in zip(r, q, strict=True)] for r, q in zip(left, right, strict=True)]
        with mpmath.workdps(_DIGITS):
            first_, second, third = (
                [[x.decimal(_DIGITS) for x in row] for row in rows] for rows in (left, right, rest)
            )
        return first_, second, third

    @staticmethod
    def _largest(rows: Any) -> Any:
        return max(abs(x) for row in rows for x in row)

    def _measure(self, left: Any, right: Any, rest: Any) -> Any:
        """What shrinks, or stays: the relative error of the worst entry, the error, or the ratio."""
        if self.kind == "~":
            pairs = [pair for r, q in zip(rest, right, strict=True) for pair in zip(r, q, strict=True)]
            if any(y == 0 and x != 0 for x, y in pairs) or all(y == 0 for _, y in pairs):
                raise ZeroDivisionError("nothing to compare with")
            return max(abs(x) / abs(y) for x, y in pairs if y != 0)
        if self.kind == TENDS:
            return self._largest(rest)
        return self._largest(left) / self._largest(right)

    def _holds(self, near: Any, far: Any) -> bool:
        if self.kind in ("~", TENDS):
            return bool(far <= near * 3 / 4 or far < _NOTHING)
        if self.kind == AT_MOST:
            return bool(far <= 2 * near)
        return bool(near / 2 <= far <= 2 * near and far > 0)

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = 2,
    ) -> bool | None:
        """At a random place with rational eigenvalues."""
        place = self._drawn(source, under, size, turned=True)
        sides = None if place is None else seen(self.look(time), place)
        return None if sides is None else sides.holds

    # -- symbols -------------------------------------------------------------------------------

    def terms(self, expr: Any, time: str, alike: bool = False) -> dict[Any, Any]:
        """The first term of each entry: a power and its coefficient."""
        reading = self.reading(time)
        if alike:
            reading = replace(reading, single=True)
        found = {}
        for letter, value in reading.of(sp.sympify(expr)).items():
            small = series(value, self.variable, _ORDERS) if self.limit == "0" else value
            term = first(small, self.variable, self.limit)
            if term is not None:
                found[letter] = term
        return found

    def _size(self, term: tuple[Any, Any] | None) -> Any:
        """Larger for what vanishes faster."""
        return sp.oo if term is None else term[0] * (-1 if self.limit == "oo" else 1)

    def prove(self, time: str) -> Proof:
        """The first terms at two different modes, and at a mode with itself."""
        try:
            held = [self._held(time, alike) for alike in (False, True)]
            evidence = (self._evidence(time),)
        except NotInPairForm as why:
            return Proof(None, f"It has no first term at a pair of modes: {why}.")
        words = f"as {self.path()}{self._where()}"
        if all(held):
            return Proof(
                True, f"The first terms at every pair of modes agree with it, {words}.", evidence
            )
        return Proof(False, f"The first terms at a pair of modes are others, {words}.", evidence)

    def _held(self, time: str, alike: bool) -> bool:
        left, right = self.relation.left, self.relation.right
        if self.kind == TENDS:
            rest = self.terms(sp.sympify(left - right), time, alike)
            return all(self._size(t) > 0 for t in rest.values())
        if self.kind == "~":
            rest, below = (self.terms(e, time, alike) for e in (sp.sympify(left - right), right))
            return bool(below) and all(self._size(t) > self._size(below.get(k)) for k, t in rest.items())
        power = sp.sympify(right).as_powers_dict().get(self.variable, sp.Integer(0))
        wanted = self._size((power, None))
        sizes = [self._size(t) for t in self.terms(left, time, alike).values()] or [sp.oo]
        return min(sizes) >= wanted if self.kind == AT_MOST else min(sizes) == wanted

    def _evidence(self, time: str) -> Evidence:
        shown = []
        parts = [("left", self.relation.left)]
        if self.kind in ("~", TENDS):
            parts.append(("left - right", self.relation.left - self.relation.right))
        for name, expr in parts:
            x = self.variable
            found = self.terms(expr, time)
            total = sp.Add(*(k * c * x**p for k, (p, c) in found.items()))
            as_latex = name.replace("left", r"\text{left}").replace("right", r"\text{right}")
            shown.append(Equation(Formula(f"({as_latex})_{{ij}}", f"({name})_ij"), total, "->"))
        step = Step("First terms", f"At a pair of modes, as {self.path()}:", tuple(shown))
        derivation = Derivation("Limits at a pair of modes", (step,), (Result("first", shown[0]),))
        return Evidence(
            "symbolic", "By first terms at a pair of modes.", {"dimensions": "every"}, derivation
        )

    # -- what is said beside it ----------------------------------------------------------------

    def find(self, time: str | None = None) -> Finding:
        """As every claim; a true one also says how fast it becomes true."""
        finding = super().find(time)
        if finding.verdict != "proved" or self.kind not in ("~", TENDS):
            return finding
        return replace(finding, gap=self._speed(time or self.time))

    def _speed(self, time: str) -> Gap | None:
        """Left over right minus one, to first order, for a mode with itself."""
        x = self.variable
        rest = self.terms(self.relation.left - self.relation.right, time, True)
        below = self.terms(self.relation.right, time, True)
        if len(rest) != 1 or not set(rest) <= set(below):
            return None
        ((letter, (power, c)),) = rest.items()
        power, c = power - below[letter][0], sp.factor(c / below[letter][1])
        small, power = (1 / x, -power) if self.limit == "oo" else (x, power)
        term = bright(sp.factor(c.subs({LJ: LI, ELL_J: ELL_I})) * small**power)
        return Gap(str(small), str(power), Formula(latex(term), plain(term)))

    def gap(self, time: str) -> Gap | None:
        """Of the algorithm: what is left in the limit, where that vanishes with the step."""
        if time != "discrete" or self.kind != "~" or self.variable == eps:
            return None
        try:
            found = [self.terms(e, time, True) for e in (self.relation.left, self.relation.right)]
            generic = [self.terms(e, time) for e in (self.relation.left, self.relation.right)]
            worst = [self._left_over(*pair) for pair in (generic, found)]
        except (NotInPairForm, ZeroDivisionError):
            return None
        if worst[0] is None or worst[0][0] <= 0:
            return None
        power, c = worst[1] if worst[1] is not None and worst[1][0] == worst[0][0] else worst[0]
        term = sp.factor(c) * eps**power
        return Gap("eps", str(power), Formula(latex(term), plain(term)))

    def _left_over(self, left: dict[Any, Any], right: dict[Any, Any]) -> tuple[Any, Any] | None:
        """The worst first term, in the step, of what the ratio of the limits is off one."""
        if set(left) != set(right) or any(left[k][0] != right[k][0] for k in left):
            return (sp.Integer(0), sp.Integer(1))
        ratios = [sp.together(left[k][1] / right[k][1] - 1) for k in left]
        terms = [t for t in (first(r, eps) for r in ratios) if t is not None]
        return min(terms, key=lambda t: t[0], default=None)

    def neighbours(self, time: str) -> Iterator[Printed]:
        """The first term of the left side, where it is a function of A; else as for equations."""
        found = self.terms(self.relation.left, time)
        if self.kind in ("~", TENDS) and set(found) == {DELTA}:
            power, coefficient = found[DELTA]
            right = function_of_A(coefficient)
            if self.kind == "~" and right is not None:
                yield replace(self.relation, right=right * self.variable**power)
            if self.kind == TENDS and power == 0 and right is not None:
                yield replace(self.relation, right=right)
            if self.kind == TENDS and self._size(found[DELTA]) > 0:
                yield replace(self.relation, right=sp.Integer(0))
        if self.kind not in ("~", TENDS):
            sizes = [t[0] for t in found.values()]
            if sizes:
                power = max(sizes) if self.limit == "oo" else min(sizes)
                yield replace(self.relation, right=self.variable**power)
            return
        if time == "discrete" and self.variable.name != "eps":
            yield from self._as_the_law(time)
        yield from super().neighbours(time)

    def _as_the_law(self, time: str) -> Iterator[Printed]:
        """The closed form of the left side, without what decays."""
        left = self.relation.left
        for atom in sp.sympify(left).atoms(Averaged):
            window = atom.args[0]
            for value in (A**-1 * C * A**-1 / (S * window), A**-1 / (S * window)):
                yield replace(self.relation, right=left.subs(atom, value))
            both = (A**-1 * Sigma + Sigma * A**-1) / (eps * window) - Sigma / window
            yield replace(self.relation, right=left.subs(atom, both))

    def has_discrete_reading(self) -> bool:
        """Not where the step grows: the algorithm has no law there."""
        return super().has_discrete_reading() and not (
            self.variable.name == "eps" and self.limit == "oo"
        )

    # -- what is shown -------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """What should shrink, or stay, at two points of the sequence."""
        left, right = (sp.sympify(e) for e in (self.relation.left, self.relation.right))
        blocks = []
        for number, k in enumerate(_STEPS):
            place = self.moved(failure.place, k)
            head, letters, printer = setup(self.heading, self.law_of, place, time, (left, right))
            body = (head if number == 0 else "") + letters
            blocks.append(f"{body}left, right = {printer.matrix(left)}, {printer.matrix(right)}")
            blocks.append(f"size_{number} = {self._script_measure()}")
        decide = {"~": "size_1 <= size_0 * 3 / 4", TENDS: "size_1 <= size_0 * 3 / 4"}
        decide |= {AT_MOST: "size_1 <= 2 * size_0"}
        last = decide.get(self.kind, "size_0 / 2 <= size_1 <= 2 * size_0 and size_1 > 0")
        return "\n".join([*blocks, "print(size_0, size_1, sep='\\n')", f"print(bool({last}))"]) + "\n"

    def _script_measure(self) -> str:
        if self.kind == "~":
            return "max(abs(x - y) / abs(y) for x, y in zip(np.ravel(left), np.ravel(right)) if y)"
        if self.kind == TENDS:
            return "np.abs(left - right).max()"
        return "np.abs(left).max() / np.abs(right).max()"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The largest entries of both sides on the way."""
        problem, more = shown_problem(self, failure.place)
        points = ", ".join(self._point(k) for k in _STEPS)
        words = f"the largest entries of the left and of the right side at {self.variable} = {points}"
        return Counterexample(
            problem, failure.sides.left, failure.sides.right, words + (f", with {more}" if more else "")
        )

    # -- corruptions ---------------------------------------------------------------------------

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Either side corrupted, by a tenth, or by a power of the letter; powers of an order."""
        one, x = self.relation, self.variable
        if isinstance(one, Order):
            half = sp.Rational(1, 2)
            for name, right in (("more", one.right * x), ("less", one.right / x)):
                yield f"one power {name}", replace(self, printed=(replace(one, right=right),))
            yield "half a power more", replace(self, printed=(replace(one, right=one.right * x**half),))
            return
        for side in ("left", "right"):
            value = sp.sympify(getattr(one, side))
            if value == 0:
                continue
            changes = [*corruptions(value), ("a tenth more", value * sp.Rational(11, 10))]
            changes += exponents(value)
            if self.kind == "~":
                changes += [(f"times {x}", value * x), (f"over {x}", value / x)]
            for name, wrong in changes:
                if wrong != 0:
                    yield f"{side}: {name}", replace(self, printed=(replace(one, **{side: wrong}),))

    def says_the_same(self, other: Self) -> bool:
        """A corruption of what does not matter in the limit leaves a true statement."""
        return False


def _short(x: Any) -> str:
    import mpmath

    return str(mpmath.nstr(x, _SHOWN))
