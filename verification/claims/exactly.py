"""Claims that a statement holds exactly where a condition does: "unless A and Sigma commute"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.errors import DeclarationError
from verification.claims.base import Claim, Printed, Proof
from verification.miner.conditions import Commute, Condition
from verification.prover.balance import equal
from verification.prover.components import components
from verification.refuter.places import Place, Space
from verification.refuter.script import array
from verification.refuter.search import Failure, Look, Sides
from verification.statements.claim import Stated
from verification.statements.corrupting import corrupted
from verification.statements.given import as_conditions
from verification.verdicts.verdict import Counterexample, Evidence, Finding


@dataclass(frozen=True)
class Equivalence(Printed):
    """A printed relation, and the condition in words."""

    inner: Any = None
    words: str = ""

    def latex(self) -> str:
        """With an arrow in both directions."""
        assert self.inner is not None
        words = r"} B B^{\top} \text{".join(self.words.split("B B^T"))
        return rf"{self.inner.latex()} \iff \text{{{words}}}"

    def text(self) -> str:
        """On one line."""
        assert self.inner is not None
        return f"{self.inner.text()} if and only if {self.words}"


@dataclass(frozen=True)
class Exactly(Claim):
    """``inner`` holds where ``when`` does, and nowhere else.

    That it holds there is for the inner claim's prover. That it holds nowhere else is proved in
    symbols where the inner equation has the condition as a consequence; failing that, in two
    dimensions, where the difference of both sides has to vanish with the condition's own term only.
    """

    inner: Claim | None = None
    when: Condition | None = None

    def __post_init__(self) -> None:
        if self.inner is not None and self.when is not None:
            words = self.when.words
            shown = (Equivalence(p.left, p.right, p.relation, p, words) for p in self.inner.printed)
            object.__setattr__(self, "printed", tuple(shown))

    @property
    def statement(self) -> Any:
        """The inner claim, under this one's name."""
        assert self.inner is not None
        return replace(self.inner, key=self.key, at=self.at, title=self.title, paper=self.paper)

    @property
    def condition(self) -> Condition:
        """When."""
        assert self.when is not None
        return self.when

    def space(self) -> Space:
        """That of the inner statement."""
        return self.statement.space()

    def look(self, time: str) -> Look:
        """Whether the statement holds, beside whether the condition does."""
        inside = self.statement.look(time)

        def at(place: Place) -> Sides | None:
            sides = inside(place)
            if sides is None:
                return None
            given = self.condition.holds(place)
            told = f"the statement {'holds' if sides.holds else 'fails'}"
            beside = f"the condition {'holds' if given else 'fails'}"
            return Sides(told, beside, sides.holds == given)

        return at

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """The condition is part of the statement: none is looked for."""
        return ()

    def prove(self, time: str) -> Proof:
        """Both directions."""
        inside = self.statement.under(self.condition).prove(time)
        if inside.holds is not True:
            said = "It fails even where the condition holds." if inside.holds is False else inside.reason
            return Proof(inside.holds, said, inside.evidence)
        everywhere = self.statement.prove(time)
        if everywhere.holds is True:
            return Proof(
                False, "It holds for all matrices: no condition is needed.", everywhere.evidence
            )
        back = self.converse(time) or self.in_two_dimensions(time)
        if back is None:
            return Proof(None, "That it fails elsewhere is seen in exact numbers only.", inside.evidence)
        return Proof(True, f"It holds there, in every dimension. {back.words}", (*inside.evidence, back))

    def converse(self, time: str) -> Evidence | None:
        """The condition as a consequence of the inner equation and the law."""
        pairs = [p.letters for p in self.condition.parts if isinstance(p, Commute)]
        if len(pairs) != len(self.condition.parts) or not _is_equation(self.inner):
            return None
        given, about = _sides(self.statement, time), self.statement.law(time).equations_of
        for pair in pairs:
            X, Y = (sp.Symbol(n, commutative=False) for n in pair)
            found = equal(X * Y, Y * X, about, extra=(given,))
            if found is None or not found.holds:
                return None
        words = "Where it holds the condition follows, by the equation of the law, in every dimension."
        return Evidence("symbolic", words, {"dimensions": "every"})

    def in_two_dimensions(self, time: str) -> Evidence | None:
        """The sides differ by powers of B_21 and of l_2 - l_1, and by what has one sign."""
        kinds = self.statement.space().matrices
        if (
            not _is_equation(self.inner)
            or self.condition != Commute(("A", "C"))
            or set(kinds) != {"A", "B"}
            or not self.of
        ):
            return None
        left, right = _sides(self.statement, time)
        shown = None
        for letters in components({"A": "positive definite", "B": "any"}, 2, (self.setting, time)):
            shown = sp.factor(letters.value(left) - letters.value(right))
            A, B = letters.matrices["A"], letters.matrices["B"]  # A diagonal, B triangular, both regular
            vanishing = {A[1, 1] - A[0, 0], abs(B[1, 0])}
            factors = [f for f, _ in sp.factor_list(sp.fraction(shown)[0])[1]]
            rest = [f for f in factors if f not in vanishing]
            if shown == 0 or len(factors) - len(rest) < 2 or not all(map(_has_one_sign, rest)):
                return None
        words = (
            "Elsewhere it fails: in two dimensions the sides differ by what vanishes only where"
            " (B B^T)_12 or the difference of A's eigenvalues does; in others exact numbers show it."
        )
        data = {"dimensions": "2", "left_minus_right": str(shown)}
        return Evidence("symbolic", words, data)

    def script(self, failure: Failure, time: str) -> str:
        """The inner statement's, and whether its answer is that of the condition."""
        text = self.statement.script(failure, time).rstrip()
        place, (*_, last) = failure.place, text.splitlines()
        pairs = [p.letters for p in self.condition.parts if isinstance(p, Commute)]
        if not last.startswith("print(bool(") or len(pairs) != len(self.condition.parts):
            return ""
        lines = [text.removesuffix(last).rstrip(), f"holds = {last.removeprefix('print(')[:-1]}"]
        for k, pair in enumerate(pairs):
            lines.append(f"X_{k}, Y_{k} = {', '.join(array(place.value(n)) for n in pair)}")
        commute = " and ".join(f"(X_{k} @ Y_{k} == Y_{k} @ X_{k}).all()" for k in range(len(pairs)))
        lines += [f"condition = bool({commute})", "print(holds, condition)", "print(holds == condition)"]
        return "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The numbers, and which of the two holds."""
        words = "whether the statement holds, and whether the condition does"
        return Counterexample(failure.place.to_json(), failure.sides.left, failure.sides.right, words)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The inner statement corrupted, or another condition."""
        for name, wrong in corrupted(self.statement.statement):
            if name.startswith("right"):
                yield name, replace(self, inner=replace(self.statement, statement=wrong))

    def has_discrete_reading(self) -> bool:
        """That of the inner statement."""
        return self.statement.has_discrete_reading()

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """An equivalence is not measured."""
        return finding, None


@dataclass(frozen=True)
class Iff:
    """That a statement holds where a condition does, and nowhere else; the condition may be a relation.

    >>> from verification.notation import A, C, Sigma
    >>> from verification.statements import Equal, claim
    >>> commute = Iff(Equal(A * Sigma, Sigma * A), Equal(A * C, C * A))
    >>> claim("k", at="section 4", title="They commute", of="sgd", read=commute).find().verdict
    'proved'
    """

    statement: Any
    when: Any

    @property
    def letters(self) -> frozenset[Any]:
        """The letters of the statement."""
        return frozenset(self.statement.letters)

    def claimed(self, inner: Stated, **common: Any) -> Exactly:
        """The claim of both directions."""
        (when,) = as_conditions((self.when,), inner.setting)
        if not isinstance(when, Condition):
            raise DeclarationError(
                "if and only if a condition on the problem's matrices holds",
                str(self.when),
                "such as Equal(A * C, C * A), or one of verification.miner.conditions",
            )
        odd = [str(one) for one in inner.given if hasattr(one, "relations")]
        if odd:
            raise DeclarationError("conditions beside if and only if", odd[0], "give it as a condition")
        return Exactly(inner=inner, when=when, given=inner.given, **common)


def _is_equation(one: Any) -> bool:
    return isinstance(one, Stated) and [r.relation for r in one.statement.relations] == ["="]


def _sides(one: Stated, time: str) -> tuple[Any, Any]:
    """Both sides of an equation, in traces and log determinants."""
    (relation,), law = one.at_numbers.relations, one.law(time)
    assert law is not None
    return law.expanded(relation.left), law.expanded(relation.right)


def _has_one_sign(expr: Any) -> bool:
    """A polynomial in positive letters whose coefficients have one sign."""
    return len({bool(t.is_positive) for t in sp.Add.make_args(sp.expand(expr))}) == 1
