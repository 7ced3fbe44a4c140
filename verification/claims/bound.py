"""Claims that one number is never larger than another: violations, tightness, certificates."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from typing import Any, Self

import sympy as sp

from sgtheory.declare import Size
from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.printing import latex, plain
from verification.claims.base import Printed, Proof
from verification.claims.lettered import Lettered, side_value
from verification.miner.mine import Mined
from verification.miner.thresholds import threshold
from verification.prover.components import Components, components
from verification.prover.positivity import Certificate, nowhere_negative
from verification.refuter.climb import Summit, climb
from verification.refuter.lawscript import law_script
from verification.refuter.places import Place
from verification.refuter.script import relation_script
from verification.refuter.search import Failure, Look, Sides, refute, seen, shrink
from verification.verdict import Correction, Evidence, Finding
from verification.word import under

_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}
_SEARCHED = 1_000
_CORRUPTED = 1_000  # small places at which a corruption is looked at
_DRAWN = 400
_ENDLESS = 10**6  # a ratio beyond this, where the search stops, is one that still grows
_TIGHT = Fraction(99, 100)  # a bound is called tight where value/bound comes this close to one


@dataclass(frozen=True)
class Bound(Lettered):
    """``value <= bound`` (or >=, <, >), wherever the relations in ``where`` hold."""

    where: tuple[Printed, ...] = ()

    def relations(self) -> tuple[Printed, ...]:
        """The bound, and where it is stated."""
        return (*self.printed, *self.where)

    def look(self, time: str) -> Look:
        """Both sides at a place, and whether the printed relation holds; nothing outside ``where``."""
        printed = self.printed[0]
        holds = _HOLDS[printed.relation]

        def at(place: Place) -> Sides | None:
            numbers = self.numbers(place, time)
            if numbers is None:
                return None
            for condition in self.where:
                left, right = (side_value(s, numbers) for s in (condition.left, condition.right))
                if not _HOLDS[condition.relation](left, right):
                    return None
            left, right = (side_value(s, numbers) for s in (printed.left, printed.right))
            return Sides(left, right, bool(holds(left, right)))

        return at

    def prove(self, time: str) -> Proof:
        """A certificate that the larger side minus the smaller one is nowhere negative."""
        shown: list[Evidence] = []
        for size in self.sizes if self._has_matrices() else (1,):
            evidence = self._certified(time, size)
            if evidence is None:
                return Proof(None, "No certificate was found; a search found no violation either.")
            shown.append(evidence)
        words = shown[-1].data["words"]
        where = f" (dimensions {' and '.join(map(str, self.sizes))})" if self._has_matrices() else ""
        return Proof(True, f"Larger side minus smaller{where}: {words}", tuple(shown))

    def _certified(self, time: str, size: int) -> Evidence | None:
        """In one dimension, for every choice of signs of what has a sign."""
        space = self.space()
        law = (self.setting, time) if self.of else None
        made = components(space.matrices, size, law) if space.matrices else [Components({}, 1)]
        certificates = []
        for letters in made:
            try:
                relations = [letters.value(r.right - r.left) for r in map(_upward, self.relations())]
            except NotImplementedError:
                return None
            where = tuple(Printed(sp.Integer(0), r, "<=") for r in relations[1:])
            stated = tuple(self.where) if not space.matrices else where
            reduced = _onto_positive(relations[0], stated)
            certificate = None if reduced is None else nowhere_negative(reduced[0])
            if certificate is None or reduced is None:
                return None
            certificates.append((certificate, reduced[1]))
        if not certificates:
            return None
        return _told(
            certificates[0][0], certificates[0][1], size if space.matrices else None, len(certificates)
        )

    def _has_matrices(self) -> bool:
        return bool(self.space().matrices)

    def tightness(self, time: str) -> Summit | None:
        """The supremum of smaller side over larger, and where it is reached."""
        look, up = self.look(time), self.printed[0].relation in ("<=", "<")

        def ratio(place: Place) -> Fraction | None:
            sides = seen(look, place)
            if sides is None or sides.left <= 0 or sides.right <= 0:
                return None
            return sides.left / sides.right if up else sides.right / sides.left

        return climb(ratio, self.space(), self._admits)

    def failure(self, time: str, evaluations: int = _SEARCHED) -> Failure | None:
        """Small places first; then the climb towards the bound, and past it where that is possible."""
        found = refute(self.look(time), self.space(), self._admits, evaluations=evaluations)
        if found is not None or evaluations < _SEARCHED:
            return found
        summit = self.tightness(time)
        sides = seen(self.look(time), summit.place) if summit else None
        if summit is None or sides is None or sides.holds:
            return None
        return shrink(Failure(summit.place, sides), self.look(time), self.space(), self._admits)

    def find(self, time: str | None = None) -> Finding:
        """The usual order, with the tightness beside it."""
        finding = super().find(time)
        if finding.verdict == "refuted":
            finding = self._under_threshold(finding, time or self.time)
        summit = self.tightness(time or self.time)
        if summit is None:
            return finding
        tight = _TIGHT <= summit.value <= 1
        evidence = Evidence(
            "search",
            _reached(summit, finding.verdict),
            {
                "supremum": float(summit.value),
                "where": summit.where,
                "at": summit.place.to_json(),
                "tight": tight,
            },
        )
        return replace(finding, evidence=(*finding.evidence, evidence))

    def _under_threshold(self, finding: Finding, time: str) -> Finding:
        """A bound that fails in general may hold for small steps, or large numbers of examples."""
        found = threshold(self, time)
        if found is None:
            return finding
        condition, proof = found
        if finding.corrected is not None:  # a constant mends it: a condition is only worth a remark
            remark = Evidence(
                "search", f"It holds where {condition.text()}.", {"condition": condition.text()}
            )
            return replace(finding, evidence=(*finding.evidence, remark))
        reason = f"It fails in general and holds where {condition.text()}. The paper does not say so."
        return under(finding, proof, condition.text(), condition, reason)

    def true_statement(self, finding: Finding) -> Self | None:
        """With the condition on scalars built in, where one was found."""
        if isinstance(finding.needs, Printed):
            return replace(self, where=(*self.where, finding.needs))
        return super().true_statement(finding)

    def correct(self, time: str) -> Correction | None:
        """The bound times the smallest of some simple factors that a certificate admits."""
        printed = self.printed[0]
        summit = self.tightness(time)
        if summit is None or summit.to_zero or summit.to_infinity:
            return None
        for factor in (n for n in _simple_factors() if n >= summit.value):
            exact = sp.Rational(factor.numerator, factor.denominator)
            larger = exact if printed.relation in ("<=", "<") else 1 / exact
            true = replace(printed, right=larger * printed.right)
            if replace(self, printed=(true,)).prove(time).holds:
                return Correction(true.latex(), true.text(), "proved", "by certificate", (true,))
        return None

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """A violation speaks for itself."""
        if verdict == "refuted":
            return "It is violated: the numbers below exceed the bound."
        return super().reason(verdict, time, mined, proof)

    def script(self, failure: Failure, time: str) -> str:
        """Both sides at the numbers of the failure."""
        printed, place = self.printed[0], failure.place
        relation = (printed.left, printed.right, printed.relation)
        if self.of:
            return law_script(self.heading, self.setting, place, time, relation)
        return relation_script(self.heading, place.matrices, place.scalars, relation)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Corruptions that make the statement stronger somewhere: a weaker bound is no lie."""
        yield from super().corrupted(finding)
        printed = self.printed[0]
        turned = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}[printed.relation]
        yield "relation turned", replace(self, printed=(replace(printed, relation=turned),))

    def is_caught(self, time: str) -> bool:
        """Numbers alone are quick: at many small and random places, and nothing is shrunk."""
        if self._has_matrices():
            return super().is_caught(time)
        look, source, space = self.look(time), random.Random(self.heading), self.space()
        drawn = (space.random(source) for _ in range(_DRAWN))
        found = (seen(look, p) for p in chain(islice(space.small(), _CORRUPTED), drawn))
        return any(sides is not None and not sides.holds for sides in found)

    def _admits(self, place: Place) -> bool:
        return all(c.holds(place) for c in self.conditions)


def _reached(summit: Summit, verdict: str) -> str:
    """How far the search came; what still grows where it stops is no supremum.

    >>> _reached(Summit(Place({}, {"x": Fraction(2**41)}), Fraction(2**40), (), ("x",)), "refuted")
    'Value over bound grows without end in the search, as x -> infinity: violated.'
    >>> _reached(Summit(Place({}, {"x": Fraction(1)}), Fraction(1), (), ()), "proved")
    'The supremum found of value over bound is 1, attained: tight.'
    """
    word = "tight" if summit.value >= _TIGHT else "not tight"
    if summit.value > 1:
        word = "violated, without the condition" if verdict == "proved-if" else "violated"
    elif verdict in ("refuted", "limit-only"):
        word = "violated"
    ends = summit.to_zero or summit.to_infinity
    if summit.value > _ENDLESS and (ends or summit.place.matrices):
        along = summit.where.replace("approached as", "as") if ends else "along entries of matrices"
        return f"Value over bound grows without end in the search, {along}: {word}."
    return (
        f"The supremum found of value over bound is {float(summit.value):.4g}, {summit.where}: {word}."
    )


def _simple_factors() -> list[Fraction]:
    return sorted({Fraction(a, b) for a in range(1, 13) for b in (1, 2, 3, 4)} - {Fraction(1)})


def _onto_positive(expr: Any, where: tuple[Printed, ...]) -> tuple[Any, dict[Any, Any]] | None:
    """The expression in new positive variables that run over exactly the places in ``where``.

    ``x <= y`` becomes x = y/(1 + t) or y = x + t, whichever has a letter to put in place.
    """
    # numbers of examples are at least one
    replaced: dict[Any, Any] = {
        s: (1 + sp.Symbol(f"t_{s}", positive=True)) ** 2
        for s in sorted(expr.atoms(Size).union(*(w.residual.atoms(Size) for w in where)), key=str)
    }
    for k, condition in enumerate(where):
        small, large = condition.left, condition.right
        if condition.relation in (">", ">="):
            small, large = large, small
        small, large = (sp.sympify(s).subs(replaced) for s in (small, large))
        t = sp.Symbol(f"t_{k + 1}", positive=True)
        if isinstance(small, sp.Symbol) and small not in large.free_symbols:
            new = {small: large / (1 + t)}
        elif isinstance(large, sp.Symbol) and large not in small.free_symbols:
            new = {large: small + t}
        else:
            solved = _solved(small, large, t)
            if solved is None:
                return None
            new = solved
        replaced = {key: sp.sympify(v).subs(new) for key, v in replaced.items()} | new
    positive = {
        s: sp.Symbol(s.name, positive=True)
        for s in expr.subs(replaced).free_symbols
        if not s.is_positive
    }
    return sp.together(expr.subs(replaced).subs(positive)), replaced


def _solved(small: Any, large: Any, t: Any) -> dict[Any, Any] | None:
    """A monomial bounded by another, such as eps*L <= 1: one letter is solved for."""
    ratio = sp.cancel(small / large)
    for symbol in sorted(ratio.free_symbols, key=str):
        if sp.cancel(ratio / symbol).free_symbols.isdisjoint({symbol}):
            return {symbol: 1 / ((1 + t) * sp.cancel(ratio / symbol))}
    return None


def _upward(relation: Printed) -> Printed:
    """The same relation with the larger side on the right."""
    if relation.relation in ("<=", "<"):
        return relation
    return Printed(relation.right, relation.left, "<=")


def _told(certificate: Certificate, replaced: dict[Any, Any], size: int | None, cases: int) -> Evidence:
    new = tuple(Equation(_formula(k), _formula(v)) for k, v in replaced.items())
    steps = [Step("Positive variables", "The stated relations are built in:", new)] if new else []
    left, right = certificate.identity
    signs = f" One of {cases} choices of signs; the others have certificates too." if cases > 1 else ""
    steps.append(
        Step(
            "The difference",
            "Larger side minus smaller is the left of this identity up to positive factors."
            f" {certificate.words}{signs}",
            (Equation(_formula(left), _formula(right)),),
        )
    )
    data = {"certificate": certificate.kind, "words": certificate.words, "cases": cases}
    data |= {"dimensions": size} if size else {"dimensions": "scalars"}
    derivation = Derivation("A certificate of the bound", tuple(steps), ())
    return Evidence("symbolic", f"By certificate ({certificate.kind}), re-checked.", data, derivation)


def _formula(expr: Any) -> Formula:
    return Formula(latex(expr), plain(expr))
