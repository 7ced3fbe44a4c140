"""Claims that one matrix is larger than another, in the order of positive (semi)definite matrices.

The difference is certified as a sum of congruences of positive definite letters. With a law in it, the
operator of the law's equation is applied first: X is positive where A X + X A (or X - M X M^T, of one
step M) is, for a stable law is the sum or the integral of congruences of what it is driven by.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory import exact
from sgtheory import matrices as mx
from sgtheory.declare import Size
from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.errors import UnusableInput
from sgtheory.fields import add
from sgtheory.matrices import Sign
from sgtheory.matrixform import law_equation
from sgtheory.matrixwords import SIGMA, H
from sgtheory.pairs import stationary
from sgtheory.printing import plain
from sgtheory.setting import Setting
from verification.claims.base import Printed, Proof
from verification.claims.lettered import Lettered
from verification.claims.rows import caught
from verification.miner.mine import Mined
from verification.miner.scalars import written_under
from verification.quantities import numbers_at, space_of
from verification.rational import as_strings, matrix_value
from verification.refuter.lawscript import law_script
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.refuter.script import relation_script
from verification.refuter.search import Failure, Look, Sides
from verification.verdict import Counterexample, Evidence, Finding
from verification.wiener import in_letters

_CORRUPTED = 400  # small places at which a corruption is looked at
_RELATIONS = {"<=": r"\preceq", ">=": r"\succeq", "<": r"\prec", ">": r"\succ"}
_DECIDED = """X = ({larger} - {smaller}).tolist(); n = range(len(X))
definite = all(X[i][j] == X[j][i] for i in n for j in n)
for k in n:  # elimination: all pivots are {sign}
    if X[k][k] < 0 or (X[k][k] == 0 and ({strictly} or any(X[k][k:]))): definite = False; break
    for i in range(k + 1, len(X)):
        if X[k][k] != 0: X[i] = [x - X[i][k] / X[k][k] * y for x, y in zip(X[i], X[k])]
print(definite)
"""


@dataclass(frozen=True)
class Ordered(Printed):
    """``left <= right``: right minus left is positive semidefinite; ``<``: positive definite."""

    def latex(self) -> str:
        """With the signs that are usual for matrices."""
        shown = Printed(self.left, self.right, "=").latex()
        return shown.replace(" = ", f" {_RELATIONS[self.relation]} ", 1)

    def text(self) -> str:
        """On one line."""
        return (
            f"{plain(sp.sympify(self.left))} {self.relation} {plain(sp.sympify(self.right))} as matrices"
        )


@dataclass(frozen=True)
class Loewner(Lettered):
    """``printed`` is one ``Ordered``; B and E are any matrices unless ``kinds`` says otherwise.

    A sampler's gain is the identity where H is neither printed nor among the ``kinds``.
    """

    @property
    def law_of(self) -> Setting | None:
        """The sampler whose law is looked at, if there is one."""
        return self.setting if self.of else None

    @property
    def necessity_looks(self) -> int:
        """Fewer: each takes a law."""
        return 40

    @property
    def strictly(self) -> bool:
        """Whether the difference is to be positive definite."""
        return self.printed[0].relation in ("<", ">")

    @property
    def difference(self) -> Any:
        """The larger side minus the smaller one."""
        (printed,) = self.printed
        rest = sp.sympify(printed.right) - sp.sympify(printed.left)
        return sp.expand(rest if printed.relation in ("<=", "<") else -rest)

    def space(self) -> Space:
        """All letters."""
        found = space_of((self.printed[0].left, self.printed[0].right), self.law_of, dict(self.kinds))
        own = {n: k for n, k in self.kinds if k in MATRIX_KINDS}
        return Space({**found.matrices, **own}, found.scalars, self.sizes)

    def look(self, time: str) -> Look:
        """Both sides, and whether their difference is as definite as it is said to be."""

        def at(place: Place) -> Sides | None:
            if not all(c.holds(place) for c in self.conditions):
                return None
            sides = (self.printed[0].left, self.printed[0].right)
            numbers = numbers_at(sides, self.law_of, place, time)
            if numbers is None:
                return None
            left, right = (matrix_value(sp.expand(sp.sympify(s)), numbers) for s in sides)
            small, large = (left, right) if self.printed[0].relation in ("<=", "<") else (right, left)
            rest = add(large, [[Fraction(-1) * x for x in row] for row in small])
            frozen = tuple(tuple(row) for row in rest)
            if any(frozen[i][j] != frozen[j][i] for i in range(len(rest)) for j in range(i)):
                return Sides(left, right, False)
            return Sides(left, right, exact.is_definite(frozen, self.strictly))

        return at

    def prove(self, time: str) -> Proof:
        """A sum of congruences; under the operator of the law where there is one."""
        try:
            driven, told = self._driven(time)
        except UnusableInput as refused:
            return Proof(None, f"The matrix engine does not take it: {refused}")
        if driven is None:
            return Proof(None, "The law stands in it in a way that no certificate takes.")
        sign = mx.sign(driven)
        needed = Sign.DEFINITE if self.strictly else Sign.SEMIDEFINITE
        evidence = (_told(self._readable(time, driven), told, sign),)
        if sign >= needed:
            where = f"{told} is" if told else "Larger side minus smaller is"
            return Proof(
                True, f"{where} a sum of positive terms in matrices, in every dimension.", evidence
            )
        return Proof(None, "No certificate was found.", evidence)

    def _readable(self, time: str, driven: Any) -> Any:
        """What was proved, in the letters of the paper where those can be written."""
        try:
            return self._driven(time, proving=False)[0]
        except UnusableInput:  # B B^T has an inverse only where B may be a symmetric root
            return driven

    def _driven(self, time: str, proving: bool = True) -> tuple[Any, _Operated | None]:
        """The difference X, or what drives it: the operator of the law, applied to X.

        To be read rather than proved, it is in the letters of the paper: C is B B^T, and a number of
        examples is not written as one more than a square.
        """
        rest = self._stated(self.difference, proving)
        if SIGMA not in rest.free_symbols:
            return in_letters(rest, self._engine(proving)), None
        alone = [t for t in sp.Add.make_args(rest) if SIGMA in t.free_symbols]
        scalar = sp.cancel(sp.Mul(*alone[0].args_cnc()[0]))
        if len(alone) != 1 or alone[0].args_cnc()[1] != [SIGMA] or scalar.is_positive is not True:
            return None, None
        pair = stationary(self.setting, time)
        if len(pair.form.states) != 1:
            return None, None
        law = law_equation(pair)
        if H.name not in self.space().matrices:
            law = replace(law, left=law.left.subs(H, 1), right=law.right.subs(H, 1))
        told = _Operated(law.left.subs(SIGMA, sp.Symbol("X", commutative=False)))
        law = replace(
            law,
            left=self._stated(law.left, proving),
            right=self._stated(law.right, proving),
        )
        beside = sp.expand(rest - alone[0])
        letters = self._engine(proving)
        # the operator is linear: applied to c Sigma + R it gives c times the right side, and that of R
        operated = (
            in_letters(sp.expand(law.left.subs(SIGMA, beside)), letters) if beside != 0 else mx.ZERO
        )
        driven = scalar * in_letters(sp.expand(law.right), letters) + operated
        return driven, told

    def _stated(self, expr: Any, proving: bool) -> Any:
        """Under the hypotheses on scalars; numbers of examples are at least one."""
        expr = written_under(expr, self.conditions)
        if not proving:
            return expr
        sizes = sorted((s for s in expr.free_symbols if isinstance(s, Size)), key=str)
        return expr.subs({s: (1 + sp.Symbol(f"_{s}", positive=True)) ** 2 for s in sizes})

    def _engine(self, proving: bool) -> dict[str, mx.Matrix]:
        definite = ("positive definite", "squared", "diagonal")
        traits = dict.fromkeys(definite, ("positive_definite",)) | {"symmetric": ("symmetric",)}
        free = () if proving else ("B", "E")  # a proof may take a symmetric root of B B^T
        kinds = self.space().matrices.items()
        return {n: mx.matrix(n, *(() if n in free else traits.get(k, ()))) for n, k in kinds}

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """A violation speaks for itself."""
        if verdict == "refuted":
            kind = "definite" if self.strictly else "semidefinite"
            return f"It is violated: at the numbers below the difference is not positive {kind}."
        return super().reason(verdict, time, mined, proof)

    def script(self, failure: Failure, time: str) -> str:
        """Both sides, and the pivots of their difference."""
        (printed,) = self.printed
        relation = (printed.left, printed.right, "=")
        if self.of:
            text = law_script(self.heading, self.setting, failure.place, time, relation)
        else:
            place = failure.place
            used = {x.name for x in self.difference.free_symbols}
            products = {"C": place.C} if "C" in used else {}
            matrices = {**place.matrices, **products}
            text = relation_script(self.heading, matrices, place.scalars, relation)
        small, large = ("left", "right") if printed.relation in ("<=", "<") else ("right", "left")
        sign = "positive" if self.strictly else "not negative"
        decided = _DECIDED.format(larger=large, smaller=small, sign=sign, strictly=self.strictly)
        return text.replace("print(bool(np.all(left == right)))\n", decided)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both matrices."""
        left, right = (as_strings(m) for m in (failure.sides.left, failure.sides.right))
        words = "left and right side, whose difference is not as definite as it is said to be"
        return Counterexample(failure.place.to_json(), left, right, words)

    def is_caught(self, time: str) -> bool:
        """At many places: a small change of a bound shows at some of them only; nothing is shrunk."""
        return caught(self, time, small=_CORRUPTED, drawn=_CORRUPTED // 10)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """A side corrupted, the relation turned."""
        (printed,) = self.printed
        yield from super().corrupted(finding)
        turned = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}[printed.relation]
        yield "relation turned", replace(self, printed=(replace(printed, relation=turned),))


@dataclass(frozen=True)
class _Operated:
    """The operator of a law, applied to X."""

    expr: Any

    def __str__(self) -> str:
        return f"{plain(self.expr)}, for X the larger side minus the smaller,"


def _told(driven: Any, operated: _Operated | None, sign: Sign) -> Evidence:
    words = {Sign.DEFINITE: "positive definite", Sign.SEMIDEFINITE: "positive semidefinite"}.get(
        sign, "of no certain sign"
    )
    left = sp.Symbol("X", commutative=False) if operated is None else operated.expr
    shown = Equation(left, Formula(mx.latex(driven), mx.plain(driven)))
    about = "For X the larger side minus the smaller. Each term is a congruence; together they are"
    steps = (Step("The difference", f"{about} {words}:", (shown,)),)
    derivation = Derivation("Order of matrices", steps, ())
    return Evidence("symbolic", f"By congruences: {words}.", {"dimensions": "every"}, derivation)
