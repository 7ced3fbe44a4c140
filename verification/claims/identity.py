"""Claims that two expressions are equal, whatever their letters are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.matrixform import law_equation
from sgtheory.pairs import stationary
from sgtheory.printing import latex, plain
from verification.claims.base import Printed, Proof
from verification.claims.lettered import Lettered, is_matrix, side_value
from verification.miner.conditions import (
    AreProportional,
    Commute,
    Condition,
    IsIdentity,
    IsIsotropic,
    OneDimensional,
)
from verification.prover.components import components
from verification.rational import matrix_value
from verification.refuter.lawscript import law_script
from verification.refuter.places import Place
from verification.refuter.script import relation_script
from verification.refuter.search import Failure, Look, Sides, seen
from verification.verdict import Correction, Evidence, Finding

_TRAITS = {
    "positive definite": ("positive_definite",),
    "symmetric": ("symmetric",),
    "diagonal": ("diagonal", "positive_definite"),
    "any": (),
}


@dataclass(frozen=True)
class Identity(Lettered):
    """``left = right`` between matrices or numbers; of a sampler, with the moments of its law in it."""

    def look(self, time: str) -> Look:
        """Both sides of the first equation that fails, or of the last."""

        def at(place: Place) -> Sides | None:
            numbers = self.numbers(place, time)
            if numbers is None:
                return None
            for printed in self.printed:
                left, right = (_common(s, printed, numbers) for s in (printed.left, printed.right))
                if left != right:
                    return Sides(left, right, False)
            return Sides(left, right, True)

        return at

    def prove(self, time: str) -> Proof:
        """By the normal form of matrix expressions, with the law and the hypotheses as equations."""
        if any(isinstance(p, OneDimensional) for c in self.conditions for p in c.parts):
            return self._prove_in_one_dimension(time)
        shown = [self._shown(p, time) for p in self.printed]
        if any(s is None for s in shown):
            return Proof(None, "The expressions have a form that the matrix engine does not take.")
        proofs = [s for s in shown if s is not None]
        evidence = (_told(self.printed, proofs),)
        if all(p.proved for p in proofs):
            under = " under what is given" if self.conditions or self.of else ""
            return Proof(True, f"Both sides have one normal form{under}, in every dimension.", evidence)
        differs = any(p.verdict == "differs" for p in proofs)
        reason = "The two sides differ." if differs else "No proof was found."
        return Proof(False if differs else None, reason, evidence)

    def _prove_in_one_dimension(self, time: str) -> Proof:
        """Every letter is a positive number, and a trace is what it is taken of."""
        law = (self.setting, time) if self.of else None
        (letters,) = components(self.space().matrices, 1, law)
        rest = [_number(letters.value(p.residual)) for p in self.printed]
        zero = all(r == 0 for r in rest)
        words = "In one dimension every letter is a number, and the difference is zero."
        evidence = Evidence("symbolic", words, {"dimensions": 1, "equations": str(rest)})
        return Proof(zero, words if zero else "The two sides differ.", (evidence,))

    def correct(self, time: str) -> Correction | None:
        """The same equation with one side multiplied by what is missing, where that is all."""
        if len(self.printed) != 1:
            return None
        printed = self.printed[0]
        factor = self._missing_factor(time)
        if factor is None or factor == 1:
            return None
        true = Printed(printed.left, sp.expand(factor * printed.right))
        finding = replace(self, printed=(true,)).find_without_correction(time)
        if finding.verdict != "proved":
            return None
        return Correction(true.latex(), true.text(), "proved", "in every dimension", (true,))

    def find_without_correction(self, time: str) -> Finding:
        """The verdict on a corrected equation: it is not corrected again."""
        proof = self.prove(time)
        held = self.tested(time, proof.holds).data["holds"]
        return Finding("proved" if proof.holds and held else "refuted", proof.reason, proof.evidence)

    def says_the_same(self, other: Any) -> bool:
        """Whether the two differ by nothing that the normal form shows."""
        changes = zip(self.printed, other.printed, strict=True)
        return all(sp.expand(a.residual - b.residual) == 0 for a, b in changes)

    def script(self, failure: Failure, time: str) -> str:
        """The equation at the numbers of the failure."""
        place = failure.place
        numbers = self.numbers(place, time)
        assert numbers is not None
        faulty = next(
            p for p in self.printed if _common(p.left, p, numbers) != _common(p.right, p, numbers)
        )
        relation = (faulty.left, faulty.right, faulty.relation)
        if self.of:
            return law_script(self.heading, self.setting, place, time, relation)
        return relation_script(self.heading, place.matrices, place.scalars, relation)

    # -- the symbolic route ------------------------------------------------------------------

    def _shown(self, printed: Printed, time: str) -> mx.Proof | None:
        """What the matrix engine says of one equation."""
        left, right = printed.left, printed.right
        for condition in self.conditions:
            replaced = _replacement(condition)
            left, right = (sp.sympify(s).subs(replaced) for s in (left, right))
        equations = self._law(time) if self.of else []
        for condition in self.conditions:
            replaced = _replacement(condition)
            equations = [(a.subs(replaced), b.subs(replaced)) for a, b in equations]
        every = [left, right, *(s for e in equations for s in e)]
        names = sorted(
            {s.name for e in every for s in sp.sympify(e).free_symbols if not s.is_commutative}
        )
        letters = {n: mx.matrix(n, *self._traits(n, every)) for n in names if n != "I"}
        try:
            sides = [mx.from_sympy(sp.sympify(s), letters.values()) for s in (left, right)]
            if is_matrix(left, right):
                sides = [s if isinstance(s, mx.Matrix) else s * mx.I for s in sides]
            given = [
                mx.equation(*(mx.from_sympy(s, letters.values()) for s in pair)) for pair in equations
            ]
            return mx.prove_equal(sides[0], sides[1], [*given, *self._commuting(letters)])
        except (ValueError, TypeError, NotImplementedError):
            return None

    def _law(self, time: str) -> list[tuple[Any, Any]]:
        """The equations of the stationary law, one to a pair of states."""
        pair = stationary(self.setting, time)
        names = [s.name for s in pair.form.states]
        no_gain = {sp.Symbol("H", commutative=False): 1}
        found = []
        for a in names:
            for b in names:
                law = law_equation(pair, a, b)
                found.append((law.left.subs(no_gain), law.right.subs(no_gain)))
        return found

    def _commuting(self, letters: dict[str, mx.Matrix]) -> list[Any]:
        """Pairs that commute by hypothesis; with A and C commuting, so do all moments of the law."""
        pairs: set[frozenset[str]] = set()
        for condition in self.conditions:
            for part in condition.parts:
                if isinstance(part, Commute):
                    pairs.add(frozenset(part.letters))
                if isinstance(part, OneDimensional):
                    pairs |= {frozenset((a, b)) for a in letters for b in letters if a != b}
        if self.of and frozenset(("A", "C")) in pairs:
            moments = [n for n in letters if n == "Sigma" or n.startswith("P_")]
            around = [*moments, "A", "C"]
            pairs |= {frozenset((a, b)) for a in moments for b in around if a != b}
        known = sorted(sorted(p) for p in pairs if p <= set(letters))
        return [mx.commute(*(letters[n] for n in p)) for p in known]

    def _traits(self, name: str, sides: list[Any]) -> tuple[str, ...]:
        if self.of and (name == "Sigma" or name in ("P_theta_theta", "P_v_v")):
            return ("symmetric",)
        if self.of and name.startswith("P_"):
            return ()
        inverted = any(
            p.exp.is_negative and p.base == sp.Symbol(name, commutative=False)
            for s in sides
            for p in sp.sympify(s).atoms(sp.Pow)
        )
        if name == "C" and self.of and not inverted:
            return ("symmetric",)
        return _TRAITS[self.space().matrices.get(name, "positive definite")]

    # -- what is missing -----------------------------------------------------------------------

    def _missing_factor(self, time: str) -> Any:
        """The monomial in the scalars by which the right side falls short, seen at exact places."""
        places = [p for p, _ in zip(self.space().small(), range(200), strict=False)]
        for place in places:
            base = self._ratio(place, time)
            if base is None or base == 0:
                continue
            factor = sp.Rational(base.numerator, base.denominator)
            for name, x in place.scalars.items():
                power = self._power(place, name, base, time)
                if power is None:
                    return None
                symbol = next((s for s in self.symbols() if s.name == name), None)
                if power and symbol is None:
                    symbol = next(p for p in self.setting.sampler.parameters if p.name == name)
                if power:
                    factor *= (symbol / sp.Rational(x.numerator, x.denominator)) ** power
            return factor
        return None

    def _ratio(self, place: Place, time: str) -> Fraction | None:
        """Left over right, where it is one number."""
        sides: Any = seen(self.look(time), place)
        if sides is None:
            return None
        left, right = (s if isinstance(s, list) else [[s]] for s in (sides.left, sides.right))
        cells = [(a, b) for r, q in zip(left, right, strict=True) for a, b in zip(r, q, strict=True)]
        ratios = {a / b for a, b in cells if b != 0}
        return ratios.pop() if len(ratios) == 1 and all(a == 0 for a, b in cells if b == 0) else None

    def _power(self, place: Place, name: str, base: Fraction, time: str) -> int | None:
        """The power of a scalar in the ratio: what happens when it is divided by four."""
        moved = self._ratio(place.but(**{name: place.scalars[name] / 4}), time)
        if moved is None or moved == 0:
            moved_up = self._ratio(place.but(**{name: place.scalars[name] * 4}), time)
            moved = None if not moved_up else base * base / moved_up
        powers = {Fraction(4) ** -k * base: k for k in range(-3, 4)}
        return None if moved is None else powers.get(moved)


def _number(value: Any) -> Any:
    return sp.simplify(value[0, 0] if isinstance(value, sp.MatrixBase) else value)


def _common(side: Any, printed: Printed, numbers: Any) -> Any:
    """A side as a matrix where the other is one."""
    if is_matrix(printed.left, printed.right):
        return matrix_value(sp.expand(sp.sympify(side)), numbers)
    return side_value(side, numbers)


def _replacement(condition: Condition) -> dict[Any, Any]:
    """A letter that a condition makes a multiple of another, or of the identity."""
    found: dict[Any, Any] = {}
    for part in condition.parts:
        letters = [sp.Symbol(n, commutative=False) for n in part.letters]
        scale = sp.Symbol(f"_{'_'.join(part.letters)}", positive=True)
        if isinstance(part, IsIsotropic):
            found[letters[0]] = 1 if isinstance(part, IsIdentity) else scale
        if isinstance(part, AreProportional):
            found[letters[0]] = scale * letters[1]
    return found


def _told(printed: tuple[Printed, ...], proofs: list[mx.Proof]) -> Evidence:
    steps = tuple(
        Step(
            "Left minus right" if len(proofs) == 1 else f"Equation {k}",
            "In normal form, reduced by what is given:" if not proof.proved else "In normal form:",
            (
                Equation(
                    Formula(r"\text{left} - \text{right}", "left - right"),
                    sp.Integer(0) if proof.proved else _formula(proof.difference),
                ),
            ),
        )
        for k, proof in enumerate(proofs, start=1)
    )
    words = "; ".join(p.verdict for p in proofs)
    data = {"dimensions": "every", "equations": words}
    return Evidence("symbolic", f"By normal form: {words}.", data, Derivation("Normal form", steps, ()))


def _formula(difference: Any) -> Formula:
    shown = mx.to_sympy(difference)
    return Formula(latex(shown), plain(shown))
