"""Claims about the rank of a law's covariance.

The covariance of a law whose entries are multiples of those of the noise has no variance in a mode that
the noise does not reach; that is the proof under a condition. Without one, the determinant in two
dimensions shows that the rank is full. The other route counts ranks by elimination in fractions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex
from verification.claims.base import Printed, Proof
from verification.claims.lettered import Lettered
from verification.laws.pair_form import NOISE
from verification.laws.rational import matrix_value
from verification.notation import D
from verification.refuter.conditions import Condition, HiddenMode, conditions, rank
from verification.refuter.lawscript import law_script
from verification.refuter.places import Place
from verification.refuter.search import Failure, Look, Sides, seen
from verification.verdicts.verdict import Evidence

_RELATIONS = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_SMALLER = 64
_UP_TO = 12  # dimensions in which a relation between D and a rank is gone through
_HIDDEN = HiddenMode(("A", "C"))
_RANK = """
def rank(rows):  # by elimination in fractions
    left, found = [list(row) for row in rows], 0
    for k in range(len(left)):
        pivot = next((i for i in range(found, len(left)) if left[i][k] != 0), None)
        if pivot is not None:
            left[found], left[pivot] = left[pivot], left[found]
            for i in range(found + 1, len(left)):
                factor = left[i][k] / left[found][k]
                left[i] = [x - factor * y for x, y in zip(left[i], left[found])]
            found += 1
    return found
"""


class Rank(sp.Function):
    """The rank of a matrix expression, a number."""

    is_commutative = True
    is_real = True

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"\operatorname{{rank}}\left({latex(self.args[0])}\right)"


@dataclass(frozen=True)
class Whenever(Printed):
    """A relation that is said to follow from a ``premise``, in the same words."""

    premise: Printed | None = None

    def latex(self) -> str:
        """As an implication."""
        start = "" if self.premise is None else rf"{self.premise.latex()} \;\Rightarrow\; "
        return start + super().latex()

    def text(self) -> str:
        """On one line."""
        return super().text() + ("" if self.premise is None else f" where {self.premise.text()}")


@dataclass(frozen=True)
class RankClaim(Lettered):
    """``printed`` is one relation, or one ``Whenever``, between one ``Rank`` and D."""

    sizes: tuple[int, ...] = (1, 2)

    @property
    def where(self) -> tuple[Printed, ...]:
        """For which places it is stated."""
        premises = [p.premise for p in self.printed if isinstance(p, Whenever)]
        return tuple(p for p in premises if p is not None)

    @property
    def necessity_looks(self) -> int:
        """At so many it is seen."""
        return 100

    def relations(self) -> tuple[Printed, ...]:
        """The relation, and where it is stated."""
        return (*self.printed, *self.where)

    def look(self, time: str) -> Look:
        """Both sides, where the premises hold."""

        def at(place: Place) -> Sides | None:
            numbers = self.numbers(place, time)
            if numbers is None:
                return None

            def value(side: Any) -> Any:
                def counted(atom: Any) -> Any:
                    return sp.Integer(rank(matrix_value(sp.expand(atom.args[0]), numbers)))

                found = sp.sympify(side).replace(lambda e: isinstance(e, Rank), counted)
                return found.subs(D, place.D)

            sides = [(p.relation, value(p.left), value(p.right)) for p in (*self.where, *self.printed)]
            if not all(bool(_RELATIONS[r](a, b)) for r, a, b in sides[: len(self.where)]):
                return None
            relation, left, right = sides[-1]
            return Sides(str(left), str(right), bool(_RELATIONS[relation](left, right)))

        return at

    @property
    def _noise_is_deficient(self) -> bool:
        return any(p.relation == "<" and p.right == D and str(p.left) == "Rank(C)" for p in self.where)

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = 2,
    ) -> bool | None:
        """With a column of the noise's factor taken away, where it is to be deficient."""
        place, given = self.space().random(source, size), (*self.conditions, *([under] if under else []))
        for condition in given:
            place = condition.imposed(_deficient(place) if self._noise_is_deficient else place)
        if "eps" in place.scalars:  # most large steps are unstable
            place = place.but(eps=place.scalars["eps"] / _SMALLER)
        met = all(c.holds(place) for c in given) and self.space().has(place)
        sides = seen(self.look(time), place) if met else None
        return None if sides is None else sides.holds

    def is_caught(self, time: str) -> bool:
        """In four dimensions as well, where a root of D is a whole number."""
        source = random.Random(self.heading)
        return super().is_caught(time) or any(
            self.holds_at_random(time, source, size=4) is False for _ in range(3)
        )

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """A mode that noise does not reach; then what does not imply that."""
        return (_HIDDEN, *(c for c in conditions(self.letters()) if not self._hides(c)))

    def _hides(self, condition: Condition) -> bool:
        """Whether a deficient noise has a hidden mode under a condition, seen at places."""
        source, found = random.Random(11), []
        for _ in range(6):
            place = condition.imposed(_deficient(self.space().random(source, 2)))
            found += [_HIDDEN.holds(place)] if rank(_rows(place.C)) < place.D else []
        inside = (p for p in self.space().small() if condition.holds(p) and rank(_rows(p.C)) < p.D)
        found += [_HIDDEN.holds(p) for p, _ in zip(inside, range(20), strict=False)]
        return all(found)  # in one dimension deficient noise is none at all

    # -- the proof ---------------------------------------------------------------------------------

    def prove(self, time: str) -> Proof:
        """What is known of the rank, and whether the relation follows from it for every D."""
        (printed,) = self.printed
        atoms = printed.residual.atoms(Rank)
        if len(atoms) != 1:
            trivial = not atoms and all(_decided(printed, None, d, 0) for d in range(1, _UP_TO))
            return Proof(True if trivial else None, "It is not about one rank.")
        (atom,) = atoms
        low, high, evidence = self._bounds(atom.args[0], time)
        decided = [
            _decided(printed, atom, d, r) for d in range(1, _UP_TO) for r in range(low(d), high(d) + 1)
        ]
        if all(decided):
            return Proof(True, evidence.words, (evidence,))
        return Proof(False if evidence.data["exact"] else None, evidence.words, (evidence,))

    def _bounds(self, expr: Any, time: str) -> tuple[Any, Any, Evidence]:
        if str(expr) == "Sigma":
            return self._bounds_of_law(time)
        words = "Nothing is known of the rank, save that there are matrices of any rank."
        return _none, _all, Evidence("symbolic", words, {"dimensions": "every", "exact": True})

    def _bounds_of_law(self, time: str) -> tuple[Any, Any, Evidence]:
        """Sigma_ij is a multiple of C_ij: a mode that C does not touch has no variance."""
        entry = stationary(self.setting, time).entry("theta", "theta")
        factor = sp.factor(entry.coeff(NOISE))
        pure = sp.simplify(entry - factor * NOISE) == 0
        step = Step(
            "A pair of modes", "In the eigenbasis of A:",
            (Equation(Formula(r"\Sigma_{ij}", "Sigma_ij"), factor * NOISE),),
        )  # fmt: skip
        hidden = any(isinstance(p, HiddenMode) for c in self.conditions for p in c.parts)
        if pure and hidden:
            words = "Noise that does not reach a mode leaves it without variance, in every dimension."
            told = Derivation("A mode without noise", (step,), ())
            data = {"dimensions": "every", "exact": False}
            return _none, _less, Evidence("symbolic", words, data, told)
        if not pure:
            words = "Noise that is injected beside the gradient's reaches every mode."
            data = {"dimensions": "every", "exact": True}
            told = Derivation("A mode without gradient noise", (step,), ())
            return _none, _all, Evidence("symbolic", words, data, told)
        f = [factor.subs({LI: a, LJ: b}) for a, b in _corners()]
        minor = sp.factor(sp.simplify(f[0] * f[2] - f[1] ** 2))
        shown = Equation(Formula(r"\det \Sigma / (b_1 b_2)^2", "det Sigma/(b_1 b_2)^2"), minor)
        two = Step("Two modes", "With C = b b^T of rank one:", (shown,))
        words = (
            "In two dimensions noise of rank one, felt by both modes, gives a covariance of full rank."
        )
        data = {"dimensions": "2", "exact": bool(minor != 0)}
        return _none, _all, Evidence("symbolic", words, data, Derivation("A minor", (step, two), ()))

    def says_the_same(self, other: Any) -> bool:
        """What is proved as well is no corruption."""
        return bool(self.prove(self.time).holds)

    # -- how it is shown ------------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """The matrices, the premise asserted, and the rank by elimination."""
        place = failure.place
        (printed,) = self.printed
        (atom,) = printed.residual.atoms(Rank)
        relation = (atom.args[0], sp.Symbol("I", commutative=False), "=")
        text = law_script(self.heading, self.setting, place, time, relation)
        kept = text.rstrip("\n").split("\n")[:-2]
        kept[-1] = kept[-1].split(",")[0] + " = " + kept[-1].split(" = ", 1)[1].rsplit(", ", 1)[0]
        sides = [_python(s, atom) for s in (printed.left, printed.right)]
        sign = {"=": "=="}.get(printed.relation, printed.relation)
        last = [f"print({sides[0]}, {sides[1]})", f"print(bool({sides[0]} {sign} {sides[1]}))"]
        head = [] if not self._noise_is_deficient else [
            f"C = rows('{_text(place.C)}')  # the noise", "assert rank(C) < len(C)"]  # fmt: skip
        return "\n".join([*kept, _RANK.strip("\n"), *head, *last]) + "\n"


def _corners() -> Iterator[tuple[Any, Any]]:
    first, second = sp.symbols("lambda_1 lambda_2", positive=True)
    yield from ((first, first), (first, second), (second, second))


def _decided(printed: Printed, atom: Any, d: int, r: int) -> bool:
    known = {D: sp.Integer(d), **({} if atom is None else {atom: sp.Integer(r)})}
    left, right = (sp.sympify(s).subs(known) for s in (printed.left, printed.right))
    return bool(_RELATIONS[printed.relation](left, right))


def _none(d: int) -> int:
    return 0


def _less(d: int) -> int:
    return d - 1


def _all(d: int) -> int:
    return d


def _python(side: Any, atom: Any) -> str:
    text = str(sp.sympify(side).subs(atom, sp.Symbol("_r")))
    return text.replace("_r", "rank(left)")


def _deficient(place: Place) -> Place:
    """The last column of B taken away, so that B B^T is singular."""
    B = tuple(
        tuple(x if j < place.D - 1 else Fraction(0) for j, x in enumerate(r))
        for r in place.matrices["B"]
    )
    return place.but(B=B)


def _rows(m: Any) -> Any:
    return [list(row) for row in m]


def _text(m: Any) -> str:
    return "; ".join(" ".join(map(str, row)) for row in m)
