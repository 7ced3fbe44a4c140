"""Claims that a quantity of one law is that of another: other parameters, or another sampler."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Any, Self

import sympy as sp

from sgtheory import registry
from sgtheory.declare import Size
from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.language import STEP
from sgtheory.pairs import LI, LJ
from sgtheory.printing import latex, plain, tidy
from sgtheory.setting import Setting
from verification.asymptotics import Undecided, first_terms, is_zero
from verification.claims.base import Claim, Printed, Proof
from verification.miner.mine import Mined
from verification.permode import COMMUTE, General, general
from verification.quantities import Amount, amounts, is_matrix, number, numbers_at, space_of
from verification.rational import Numbers, rooted
from verification.refuter.alongscript import head_for, law_lines, needs_decimals, quantity_text
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen, shrink
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap

_SMALL, _DRAWN = 1_200, 10  # places
_GENERAL, _SPOKEN = 12, 60  # of those at which both laws exist


@dataclass(frozen=True)
class SameFor(Printed):
    """``left`` of the claim's sampler is ``right`` times ``left`` of ``other`` with parameters ``sets``.

    ``right`` may be None: some number, whatever the matrix; then ``left`` is proportional to it.
    """

    sets: tuple[tuple[Any, Any], ...] = ()
    other: str = ""
    called: tuple[str, str] = ("", "")  # a name of the quantity, as LaTeX and as text

    def latex(self) -> str:
        """With the parameters of the second law in its argument."""
        word = "=" if self.right is not None else r"\propto"
        q = self.called[0] or latex(self.left)
        factor = "" if self.right in (1, None) else rf"{latex(self.right)}\, "
        args = ",\\; ".join(rf"{latex(a)} \to {latex(b)}" for a, b in self.sets)
        name = rf"_{{\text{{{self.other}}}}}" if self.other else ""
        at = rf"\big|_{{{args}}}" if args else ""
        second = q if self.called[0] or self.left.is_Symbol else rf"\left({q}\right)"
        return rf"{q} {word} {factor}{second}{name}{at}"

    def text(self) -> str:
        """On one line."""
        word = "=" if self.right is not None else "is proportional to"
        q = self.called[1] or plain(self.left)
        factor = "" if self.right in (1, None) else f"{plain(self.right)} * "
        args = ", ".join(f"{a} -> {plain(b)}" for a, b in self.sets)
        where = f" of {self.other}" if self.other else ""
        return f"{q} {word} {factor}({q}){where}" + (f" with {args}" if args else "")


@dataclass(frozen=True)
class Carried(Claim):
    """``printed`` is one ``SameFor``; ``kinds`` names the kinds of letters that do not show them."""

    kinds: tuple[tuple[str, str], ...] = field(default=())

    @property
    def same(self) -> SameFor:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, SameFor)
        return printed

    @property
    def quantity(self) -> Any:
        """What is compared."""
        return sp.sympify(self.same.left)

    @property
    def second(self) -> Setting:
        """The sampler on the right side."""
        if not self.same.other:
            return self.setting
        return Setting(registry.sampler(self.same.other), registry.model("quadratic"))

    def space(self) -> Space:
        """Problems of the first sampler, with the further letters of the second's parameters."""
        factor = sp.Integer(1) if self.same.right is None else sp.sympify(self.same.right)
        exprs = (self.quantity, factor, *(b for _, b in self.same.sets))
        found = space_of(exprs, self.setting, dict(self.kinds))
        stated = {n: k for n, k in self.kinds if n in found.matrices}
        return replace(found, matrices={**found.matrices, **stated})

    def moved(self, place: Place) -> Place:
        """The problem of the second law."""
        roots = {n: rooted(x) for n, x in place.scalars.items()}
        numbers = Numbers(Fraction, {"I": [[Fraction(1)]]}, roots)
        return place.but(**{a.name: number(b, numbers) for a, b in self.same.sets})

    def _sides(self, place: Place, time: str) -> tuple[tuple[Amount, ...], tuple[Amount, ...]] | None:
        moved = self.moved(place)
        if any(x < 0 for x in moved.scalars.values()):
            return None
        if not self.same.other and moved.scalars == place.scalars:  # nothing is moved
            return None
        first = numbers_at((self.quantity,), self.setting, place, time)
        second = first and numbers_at((self.quantity,), self.second, moved, time)
        if first is None or second is None:
            return None
        left, right = (amounts(self.quantity, n) for n in (first, second))
        if any(b <= 0 for a in (*left, *right) for _, b in a.logs):
            return None
        if self.same.right is None:
            return left, right
        factor = number(self.same.right, first)
        scaled = (Amount(factor * a.rational, tuple((factor * c, b) for c, b in a.logs)) for a in right)
        return left, tuple(scaled)

    def look(self, time: str) -> Look:
        """Both laws in exact numbers."""

        def at(place: Place) -> Sides | None:
            sides = self._sides(place, time)
            if sides is None:
                return None
            left, right = sides
            if self.same.right is None:
                holds = _proportional([a.rational for a in left], [a.rational for a in right])
            else:
                holds = all((a - b).is_zero for a, b in zip(left, right, strict=True))
            return Sides(self._shown(left), self._shown(right), holds)

        return at

    def _shown(self, values: tuple[Amount, ...]) -> Any:
        if not is_matrix(self.quantity):
            return str(values[0])
        size = round(len(values) ** 0.5)
        return [[str(v) for v in values[k * size : (k + 1) * size]] for k in range(size)]

    def failure(self, time: str, evaluations: int = _SMALL) -> Failure | None:
        """Among few places, those first where A and B B^T do not commute: each takes two laws."""
        given, look, space = self.conditions, self.look(time), self.space()

        def admits(place: Place) -> bool:
            return all(c.holds(place) for c in given)

        source = random.Random(self.key)
        general = (p for p in islice(space.small(), _SMALL) if not COMMUTE.holds(p))
        small = filter(admits, islice(space.small(), _SMALL))
        drawn = filter(admits, (space.random(source) for _ in range(_DRAWN)))
        for places, most in (
            (() if given else general, _GENERAL),
            (small, evaluations),
            (drawn, _DRAWN),
        ):
            found = _failing(places, look, min(most, _SPOKEN))
            if found is not None:
                return shrink(found, look, space, admits)
        return None

    @property
    def necessity_looks(self) -> int:
        """Each takes two laws."""
        return 25

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """Where no formula is known, numbers have decided."""
        if verdict == "refuted" and proof.holds is None:
            return "The exact laws at the numbers below differ."
        return super().reason(verdict, time, mined, proof)

    # -- in symbols --------------------------------------------------------------------------------

    def both(self, time: str) -> tuple[General, General] | None:
        """The quantity for either law at a generic pair of modes, the factor left out."""
        found = [general(self.quantity, s, time, self.conditions) for s in (self.setting, self.second)]
        if found[0] is None or found[1] is None or len(found[0].parts) != len(found[1].parts):
            return None
        letters = dict(self.same.sets)
        moved = tuple(p.subs(letters, simultaneous=True) for p in found[1].parts)
        return found[0], replace(found[1], parts=moved)

    def prove(self, time: str) -> Proof:
        """The difference of both formulas vanishes, or their ratio has no eigenvalue in it."""
        found = self.both(time)
        if found is None:
            return Proof(None, "No formula for it is known in general.")
        first, second = found
        pairs = list(zip(first.parts, second.parts, strict=True))
        try:
            if self.same.right is None:
                ratios = [sp.cancel(a / b) for a, b in pairs]
                rest = [sp.diff(r, x) for r in ratios for x in (LI, LJ)]
            else:
                rest = [a - self.same.right * b for a, b in pairs]
            holds = all(is_zero(r) for r in rest)
        except (Undecided, ZeroDivisionError):
            return Proof(None, "The difference could not be told from zero.")
        evidence = (self._told(pairs, first.scope),)
        where = "discrete algorithm" if time == "discrete" else "continuous-time process"
        word = "agree" if holds else "differ"
        if self.same.right is None:
            word = "are proportional" if holds else "are not proportional"
        return Proof(holds, f"For the {where} both {word}, {first.scope}.", evidence)

    def _told(self, pairs: list[tuple[Any, Any]], scope: str) -> Evidence:
        shown = []
        for a, b in pairs:
            shown += [
                Equation(Formula("q_1", "q_1"), _tidy(a)),
                Equation(Formula("q_2", "q_2"), _tidy(b)),
            ]
            if is_matrix(self.quantity) and b != 0:
                shown.append(Equation(Formula("q_1/q_2", "q_1/q_2"), _tidy(a / b)))
        steps = (Step("Both laws", f"The quantity for either, {scope}:", tuple(shown)),)
        results = (Result("ratio", shown[-1]),)
        return Evidence(
            "symbolic",
            f"By mode pairs, {scope}.",
            {"dimensions": scope},
            Derivation("Two laws", steps, results),
        )

    def _ratio(self, time: str) -> Any:
        """First over second at a pair of modes, where there is one noise and the quantity a matrix."""
        found = self.both(time)
        if found is None or not is_matrix(self.quantity) or len(found[0].parts) != 1:
            return None
        return sp.factor(sp.cancel(found[0].parts[0] / found[1].parts[0]))

    def gap(self, time: str) -> Gap | None:
        """How far the ratio is from the factor, relative to it, as the step vanishes."""
        ratio = self._ratio(time)
        if ratio is None:
            return None
        try:
            factor = self.same.right
            if factor is None:
                factor = first_terms(ratio, STEP, count=1)[0].written(STEP)
                if factor.has(LI, LJ):
                    return None
            term = first_terms(sp.cancel(ratio / factor - 1), STEP, count=1)[0]
        except (Undecided, ZeroDivisionError):
            return None
        if not 0 < term.power < float("inf"):
            return None
        size = _tidy(term.written(STEP))
        return Gap(str(STEP), str(term.power), Formula(latex(size), plain(size)))

    def correct(self, time: str) -> Correction | None:
        """The ratio at every pair of modes."""
        ratio = self._ratio(time)
        if ratio is None:
            return None
        right = replace(self.same, right=sp.Symbol("r_ij"))
        value = _tidy(ratio)
        where = r"\text{ entry by entry in the eigenbasis of } A"
        return Correction(
            rf"{right.latex()}{where},\quad r_{{ij}} = {latex(value)}",
            f"entry by entry in the eigenbasis of A: {right.text()}, r_ij = {plain(value)}",
            "proved",
            "for every dimension, commuting or not",
        )

    # -- as a script -------------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """The quantity of both laws, and whether they are as stated."""
        decimals = needs_decimals((self.quantity,))
        lines = [f"# {self.heading}"]
        places = (failure.place, self.moved(failure.place))
        for k, (setting, place) in enumerate(zip((self.setting, self.second), places, strict=True), 1):
            lines += law_lines((self.quantity,), setting, place, time)
            text = quantity_text(self.quantity, decimals and not is_matrix(self.quantity))
            lines.append(f"value_{k} = {text}")
        if self.same.right is None:
            lines.append("cross = np.outer(value_1, value_2)")
            decide = "(cross == cross.T).all()"
        else:
            known = {n: rooted(x) for n, x in failure.place.scalars.items()}
            factor = number(self.same.right, Numbers(Fraction, {"I": [[Fraction(1)]]}, known))
            scale = f"d(F('{factor}'))" if decimals else f"F('{factor}')"
            lines.append(f"value_2 = {scale} * value_2  # times {plain(self.same.right)}")
            decide = "abs(value_1 - value_2) < Decimal('1e-60')" if decimals else "value_1 == value_2"
            decide = f"({decide}).all()" if is_matrix(self.quantity) else decide
        lines += ["print(value_1, value_2, sep='\\n')", f"print(bool({decide}))"]
        return head_for((self.quantity,)) + "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The first problem, and the quantity for both laws."""
        second = self.moved(failure.place)
        changed = [f"{a} = {second.scalars[a.name]}" for a, _ in self.same.sets]
        problem = own_problem(failure.place, self.setting)
        other = f" of {self.same.other}" if self.same.other else ""
        words = f"the quantity, and that{other}{' with ' if changed else ''}{', '.join(changed)}"
        return Counterexample(problem.to_json(), failure.sides.left, failure.sides.right, words)

    # -- wrong twins -------------------------------------------------------------------------------

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Another factor, or other parameters of the second law."""
        one = self.same
        if one.right is not None:
            for name, wrong in (("doubled", 2 * one.right), *corruptions(sp.sympify(one.right))):
                if wrong != 0:
                    yield f"factor: {name}", replace(self, printed=(replace(one, right=wrong),))
        for k, (letter, value) in enumerate(one.sets):
            # a number of examples stands under a root: fractions have one of squares only
            changes = corruptions(sp.sympify(value)) if not isinstance(letter, Size) else ()
            for name, wrong in (("four times as large", 4 * value), *changes):
                if wrong != 0 and "sign flipped" not in name and "sqrt" not in name:
                    sets = (*one.sets[:k], (letter, wrong), *one.sets[k + 1 :])
                    yield f"{letter}: {name}", replace(self, printed=(replace(one, sets=sets),))
        if one.right is None:
            yield "equal", replace(self, printed=(replace(one, right=sp.Integer(1)),))
            powers = replace(one, left=one.left + sp.Symbol("I", commutative=False))
            yield "identity added", replace(self, printed=(powers,))


def own_problem(place: Place, setting: Setting) -> Place:
    """A place without letters that the sampler does not know."""
    known = {p.name for p in setting.sampler.parameters} | {"N", "S"}
    return Place(place.matrices, {n: x for n, x in place.scalars.items() if n in known})


def _tidy(expr: Any) -> Any:
    return tidy(sp.factor(expr)) if expr.is_rational_function(*expr.free_symbols) else expr


def _failing(places: Iterable[Place], look: Look, most: int) -> Failure | None:
    """The first failure among so many places at which something is said."""
    for place in places:
        sides = seen(look, place)
        if sides is None:
            continue
        if not sides.holds:
            return Failure(place, sides)
        most -= 1
        if not most:
            break
    return None


def _proportional(x: list[Any], y: list[Any]) -> bool:
    return all(x[i] * y[j] == x[j] * y[i] for i in range(len(x)) for j in range(i))
