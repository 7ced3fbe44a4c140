"""Equations with matrix exponentials, integrals over times, and time averages of a stationary process.

They are proved at a generic pair of eigenvectors of A, refuted in exact numbers where the eigenvalues
are rational (an exponential of a rational number is compared as what it is, no decimal), and looked at
again by brute force: expansions that know no eigenvalue, or the sampler step by step.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from typing import Any, Self

import sympy as sp

from sgtheory.declare import Size
from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.setting import Setting
from verification.claims.base import Claim, Printed, Proof
from verification.miner.conditions import Condition, restrict
from verification.notation import S, Sigma
from verification.pairform import DELTA, NotInPairForm
from verification.rational import problem_space
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.spectral.brute import Brute, agree
from verification.spectral.calculus import vanishes
from verification.spectral.edits import exchanges, exponents, keeps_letters
from verification.spectral.formulas import closed, function_of_A
from verification.spectral.gaps import LONG_RUN, gap_of
from verification.spectral.given import WellSpecified, lattice, noise_and_modes
from verification.spectral.modes import Reading
from verification.spectral.numbers import Closed
from verification.spectral.plain import rotated
from verification.spectral.script import equation_script
from verification.spectral.showing import as_text, precision, shown_problem
from verification.spectral.words import LAW_LETTERS, Continuous, MatrixExp, has_gain, has_law, times_in
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap

_MOST_LOOKS, _LOOKED_AT, _GLANCES, _RANDOM = 200, 40, 3, 2
_ROOTED = {"count": "square count", "positive": "square"}
_PLACES = 400  # small ones, of each dimension
_PROBES = (1, 1, 2)  # dimensions of the random places at which a corruption is looked at first


@dataclass(frozen=True)
class Spectral(Claim):
    """``left = right``, for all times in the order of ``order`` (pairs, the earlier first)."""

    order: tuple[tuple[Any, Any], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    sizes: tuple[int, ...] = (1, 2)

    # -- where it is looked at -----------------------------------------------------------------

    @property
    def law_of(self) -> Setting | None:
        """The sampler whose law is meant."""
        return self.setting if self.of else None

    def sides(self) -> tuple[Any, ...]:
        """Both sides of all equations."""
        return tuple(sp.sympify(s) for p in self.printed for s in (p.left, p.right))

    def space(self) -> Space:
        """All letters; C has no factor here, and is none where it is given as A."""
        letters = sorted(set().union(*(s.free_symbols for s in self.sides())), key=str)
        matrices: dict[str, str] = {}
        scalars: dict[str, str] = {}
        if self.of:
            matrices = {"A": "positive definite", "C": "positive definite"}
            kinds = problem_space(self.setting).scalars
            scalars = {n: k for n, k in kinds.items() if n != "N"}
        roots = _under_roots(self.sides())
        for letter in letters:
            name = letter.name
            if not letter.is_commutative:
                if name not in ("I", "U", "Lambda", *LAW_LETTERS):
                    matrices.setdefault(name, "positive definite")
                elif name in ("U", "Lambda"):
                    matrices.setdefault("A", "positive definite")
                continue
            whole = isinstance(letter, Size) or letter in times_in(self.sides())
            rooted = letter in roots or isinstance(letter, Size)
            plain_kind = "count" if whole else "positive"
            scalars.setdefault(name, _ROOTED[plain_kind] if rooted else plain_kind)
            if letter in roots and scalars[name] == "positive":
                scalars[name] = "square"
        if any(isinstance(p, WellSpecified) for c in self.conditions for p in c.parts):
            matrices.pop("C", None)
        for name, kind in self.kinds:
            (matrices if kind in MATRIX_KINDS else scalars)[name] = kind
        return Space(matrices, scalars, self.sizes if matrices else (1,), _PLACES)

    def in_order(self, place: Place) -> bool:
        """Whether the times of a place are in the order that is stated."""
        return all(_time(a, place) < _time(b, place) for a, b in self.order)

    def look(self, time: str) -> Look:
        """The first equation that fails, or the last, in numbers that are compared exactly."""

        def at(place: Place) -> Sides | None:
            if not self.in_order(place):
                return None
            walk = Closed(place, self.law_of, time, self.order)
            for printed in self.printed:
                left, right = (walk.matrix(sp.sympify(s)) for s in (printed.left, printed.right))
                if left != right:
                    return Sides(as_text(left), as_text(right), False)
            return Sides(as_text(left), as_text(right), True)

        return at

    def failure(self, time: str, evaluations: int = _MOST_LOOKS) -> Failure | None:
        """Among fewer places: exponentials take longer than fractions."""
        return super().failure(time, min(evaluations, _MOST_LOOKS))

    def fails_at_a_glance(self, time: str, looks: int) -> bool | None:
        """Whether one of the first small places shows it; None where none of them says anything."""
        look, silent = self.look(time), True
        for place in chain(self._probes(), islice(self.space().small(), 4 * looks)):
            if not all(c.holds(place) for c in self.conditions):
                continue
            sides = seen(look, place)
            silent = silent and sides is None
            looks -= sides is not None
            if sides is not None and not sides.holds:
                return True
            if looks == 0:
                break
        return None if silent else False

    @property
    def glances(self) -> int:
        """At how many small places a corruption is looked at."""
        return _LOOKED_AT

    def _probes(self) -> Iterator[Place]:
        source = random.Random(5)
        for size in _PROBES:
            place = self._drawn(source, None, size, turned=True)
            if place is not None:
                yield place

    def is_caught(self, time: str) -> bool:
        """At small places, then at random ones; what has no value anywhere is caught as well."""
        glance = self.fails_at_a_glance(time, self.glances)
        source = random.Random(self.heading)
        if glance is not False:
            return True
        return any(self.holds_at_random(time, source) is False for _ in range(_RANDOM))

    @property
    def necessity_looks(self) -> int:
        """Fewer, for the same reason."""
        return 30

    def letters(self) -> tuple[str, ...]:
        """A, C and the gain."""
        return tuple(n for n in super().letters() if n in ("A", "C", "H"))

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Conditions on A and C."""
        return lattice(self.letters())

    # -- the other route -----------------------------------------------------------------------

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = 2,
    ) -> bool | None:
        """By expansions in powers of z A, which know no eigenvalues; step by step in discrete time."""
        if time == "discrete" or self._needs_frame():
            return self._step_by_step(time, source, under, size)
        place = self._drawn(source, under, size)
        if place is None:
            return None
        try:
            walk = Brute(place, self.law_of, time, self.order)
            return all(agree(walk.matrix(sp.sympify(p.residual))) for p in self.printed)
        except (TypeError, ZeroDivisionError, StopIteration):
            return None

    def _needs_frame(self) -> bool:
        return any(s.name in ("U", "Lambda") for side in self.sides() for s in side.free_symbols)

    def _step_by_step(
        self, time: str, source: random.Random, under: Condition | None, size: int | None
    ) -> bool | None:
        """At a place whose eigenvalues are rational."""
        place = self._drawn(source, under, size, turned=True)
        if place is None:
            return None
        try:
            if time == "discrete":
                sides = self.look(time)(place)
                return None if sides is None else sides.holds
            walk = Brute(place, self.law_of, time, self.order)
            return all(agree(walk.matrix(sp.sympify(p.residual))) for p in self.printed)
        except (TypeError, ZeroDivisionError, StopIteration):
            return None

    def _drawn(
        self, source: random.Random, under: Condition | None, size: int | None, turned: bool = False
    ) -> Place | None:
        """A random place under what is given, its times in order and its step small."""
        space = self.space()
        place = space.random(source, size if size in space.sizes else None)
        if turned and "A" in place.matrices:
            place = place.but(A=rotated(place.D, source))
        small = {n: x / 16 for n, x in place.scalars.items() if n == "eps"}
        small |= {n: Fraction(source.randrange(1, 6)) for n in place.scalars if self._counts(n)}
        place = self._ordered(place.but(**small))
        for condition in (*self.conditions, *([under] if under else [])):
            place = restrict(place, condition)
        return place if space.has(place) and self.in_order(place) else None

    def _counts(self, name: str) -> bool:
        return self.space().scalars[name] == "count"

    def _ordered(self, place: Place) -> Place:
        for a, b in self.order:
            if {str(a), str(b)} <= set(place.scalars):
                place = place.but(**{str(b): place.scalars[str(a)] + 2})
        return place

    # -- symbols -------------------------------------------------------------------------------

    def reading(self, time: str) -> Reading:
        """How expressions are read at a pair of modes."""
        noise, single, one = noise_and_modes(self.conditions)
        gained = any(has_gain(s) for s in self.sides())
        gain = ("number" if one else "frame") if gained else ""
        return Reading(self.law_of, time, noise, single, gain, self.order)

    def prove(self, time: str) -> Proof:
        """Left minus right at a generic pair of modes, with the law put in."""
        reading = self.reading(time)
        try:
            rests = [reading.of(p.residual) for p in self.printed]
        except NotInPairForm as why:
            return self._in_one_dimension(time, str(why))
        zero = [all(vanishes(c) for c in rest.values()) for rest in rests]
        evidence = (self._told(rests, zero),)
        if all(zero):
            where = self._where()
            return Proof(True, f"Both sides have one entry at every pair of modes{where}.", evidence)
        words = "the continuous-time process" if time == "continuous" else "the discrete algorithm"
        about = f" for {words}" if self.of and any(has_law(s) for s in self.sides()) else ""
        return Proof(False, f"The two sides differ{about}.", evidence)

    def _where(self) -> str:
        words = [c.words for c in self.conditions]
        return f", where {' and '.join(words)}" if words else ", in every dimension"

    def _in_one_dimension(self, time: str, why: str) -> Proof:
        """What no pair of modes expresses can be seen to fail where all letters are numbers."""
        gained = any(has_gain(s) for s in self.sides())
        noise, _, _ = noise_and_modes(self.conditions)
        reading = Reading(self.law_of, time, noise, True, "number" if gained else "", self.order)
        try:
            rests = [reading.of(p.residual) for p in self.printed]
        except NotInPairForm:
            return Proof(None, f"No pair of modes expresses it: {why}.")
        if all(vanishes(c) for rest in rests for c in rest.values()):
            return Proof(None, f"It holds in one dimension; no pair of modes expresses it: {why}.")
        evidence = (self._told(rests, [False] * len(rests)),)
        return Proof(False, "The two sides differ, already in one dimension.", evidence)

    def _told(self, rests: list[dict[Any, Any]], zero: list[bool]) -> Evidence:
        name = Formula(r"(\text{left} - \text{right})_{ij}", "(left - right)_ij")
        shown = [
            Equation(name, sp.Integer(0) if z else sp.Add(*(k * c for k, c in rest.items())))
            for rest, z in zip(rests, zero, strict=True)
        ]
        words = "In the eigenbasis of A, f(A) X g(A) has the entry f(lambda_i) X_ij g(lambda_j):"
        step = Step("At a pair of modes", words, tuple(shown))
        derivation = Derivation("Entries in the eigenbasis", (step,), (Result("difference", shown[0]),))
        data = {"dimensions": "every", "equations": ["holds" if z else "fails" for z in zero]}
        return Evidence("symbolic", "By entries at a generic pair of modes.", data, derivation)

    # -- how far off it is ---------------------------------------------------------------------

    def gap(self, time: str) -> Gap | None:
        """Left over right minus one: as the step vanishes at fixed elapsed time, or the window grows."""
        return gap_of(self.printed, self.reading(time))

    # -- what is true instead ------------------------------------------------------------------

    def correct(self, time: str) -> Correction | None:
        """The nearest printing that is proved; else the left side in closed form."""
        fixed = []
        for printed in self.printed:
            alone = replace(self, printed=(printed,))
            if alone.prove(time).holds:
                fixed.append(printed)
                continue
            nearest = next((p for p in alone.neighbours(time) if alone.is_true(p, time)), None)
            if nearest is None:
                return None
            fixed.append(nearest)
        scope = f"in every dimension{self._where().removeprefix(', in every dimension')}"
        lines = r" \qquad ".join(p.latex() for p in fixed)
        return Correction(lines, "; ".join(p.text() for p in fixed), "proved", scope, tuple(fixed))

    def is_true(self, printed: Printed, time: str) -> bool:
        """By both routes."""
        other = replace(self, printed=(printed,))
        if printed.relation == "=" and 0 in (sp.sympify(printed.left), sp.sympify(printed.right)):
            return False
        if other.fails_at_a_glance(time, _GLANCES) or not other.prove(time).holds:
            return False
        return bool(other.tested(time).data["holds"])

    def neighbours(self, time: str) -> Iterator[Printed]:
        """Printings of one equation that differ little on the right, then the law in closed form."""
        (printed,) = self.printed
        if time == self.time:
            for _, wrong in (*exchanges(printed.right), *corruptions(printed.right)):
                if keeps_letters(wrong, printed.right):
                    yield replace(printed, right=wrong)
            for factor in (sp.Rational(a, b) for a in range(1, 5) for b in range(1, 5) if a != b):
                yield replace(printed, right=factor * printed.right)
        left = sp.sympify(printed.left)
        for law in (self._law_of_A(time), None) if _is_of_law(left) else ():
            right = closed(left, time, law, self.order)
            if right != printed.left:
                yield replace(printed, right=right)

    def _law_of_A(self, time: str) -> tuple[Any, Any] | None:
        """The stationary and the long-run covariance as functions of A, where they are that."""
        if not self.of:
            return None
        reading = self.reading(time)
        found = [reading.of(e) for e in (Sigma, LONG_RUN / S)]
        if any(set(parts) != {DELTA} for parts in found):
            return None
        sigma, summed = (function_of_A(parts[DELTA]) for parts in found)
        return None if sigma is None or summed is None else (sigma, summed)

    # -- what is shown -------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """The first equation that fails, in decimals; none where two laws are in it."""
        if any(s.has(Continuous) for s in self.sides()):
            return ""
        place = failure.place
        walk = Closed(place, self.law_of, time, self.order)
        faulty = next(
            p
            for p in self.printed
            if walk.matrix(sp.sympify(p.left)) != walk.matrix(sp.sympify(p.right))
        )
        return equation_script(self.heading, self.law_of, place, time, faulty.left, faulty.right)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """As a problem file where the statement is about a sampler."""
        problem, more = shown_problem(self, failure.place)
        words = f"left and right side{precision(failure.sides)}" + (f", with {more}" if more else "")
        return Counterexample(problem, failure.sides.left, failure.sides.right, words)

    def has_discrete_reading(self) -> bool:
        """Where a law is in it that the algorithm has step by step."""
        about = [s for s in self.sides() if has_law(s)]
        worked = any(s.has(sp.Integral, sp.Derivative) for s in about)
        return self.time == "continuous" and bool(self.of) and bool(about) and not worked

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """An equality of formulas is not measured."""
        return finding, None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Also what stands in exponents and windows."""
        yield from super().corrupted(finding)
        for k, printed in enumerate(self.printed):
            for name, wrong in exponents(printed.right):
                changed = replace(printed, right=wrong)
                yield name, replace(self, printed=(*self.printed[:k], changed, *self.printed[k + 1 :]))


def _is_of_law(left: Any) -> bool:
    """Whether a side is made of what the law says, and not of formulas for it."""
    return has_law(left) and not left.has(MatrixExp, sp.Integral)


def _time(x: Any, place: Place) -> Fraction:
    x = sp.sympify(x)
    return place.scalars[x.name] if x.is_Symbol else Fraction(int(x))


def _under_roots(sides: tuple[Any, ...]) -> set[Any]:
    powers = set().union(*(s.atoms(sp.Pow) for s in sides))
    return {s for p in powers if not p.exp.is_Integer for s in p.base.free_symbols}
