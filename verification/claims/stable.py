"""Claims about stability: where the means of a sampler tend to the optimum, whatever the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Self

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain, tidy
from sgtheory.onestep.affine import LAMBDA
from verification.claims.base import Printed, Proof
from verification.claims.onemode import (
    OneMode,
    follows,
    number,
    plain_corruptions,
    relation_of,
    upward,
)
from verification.refuter.places import Place
from verification.refuter.script import array
from verification.refuter.search import Failure, Look, Sides, seen
from verification.terms.asymptotics import sign
from verification.verdicts.verdict import Counterexample, Evidence, Finding
from verification.verdicts.wording import under

_LOOKS = 500


@dataclass(frozen=True)
class Settles(Printed):
    """The mean of ``left`` tends to ``right`` from every start."""

    relation: str = "tends to"

    def latex(self) -> str:
        """As typeset."""
        return rf"\mathbb{{E}}\left[{latex(self.left)}(t)\right] \to {latex(sp.sympify(self.right))}"

    def text(self) -> str:
        """On one line."""
        return f"E[{self.left}(t)] -> {self.right}"


@dataclass(frozen=True)
class Stable(OneMode):
    """The means settle wherever the relations in ``where`` hold; with ``only``, nowhere else."""

    where: tuple[Printed, ...] = ()
    only: bool = False

    def formulas(self) -> tuple[Any, ...]:
        """Also those of the relations."""
        return (*super().formulas(), *(s for p in self.where for s in (p.left, p.right)))

    def printed_latex(self) -> list[str]:
        """With where it is stated."""
        word = r"\text{exactly where }" if self.only else r"\text{where }"
        shown = [rf"{word} {p.latex()}" for p in self.where]
        shown = [*(rf"{latex(a)} = {latex(b)}" for a, b in self.sets), *shown]
        conditions = r",\; ".join(shown)
        return [rf"{line} \quad {conditions}" for line in super().printed_latex()]

    def look(self, time: str) -> Look:
        """Both tests at a place."""

        def at(place: Place) -> Sides | None:
            inside = all(_holds(p, place) for p in self.where)
            if not inside and not self.only:
                return None
            stable = self.is_stable(place, time)
            told = {True: r"\text{the means settle}", False: r"\text{the means do not settle}"}
            return Sides(told[stable], told[inside], stable == inside)

        return at

    def prove(self, time: str) -> Proof:
        """Every criterion is positive by itself or because of a relation."""
        used = []
        for case in self.cases():
            room = [sp.factor((p.right - p.left).subs(case)) for p in map(upward, self.where)]
            criteria = self.criteria(time, case)
            if any(r.is_number and r <= 0 for r in room):  # nothing is stated here
                if self.only and not any(c.is_number and c <= 0 for c in criteria):
                    return Proof(None, "It may settle elsewhere as well.")
                continue
            sure = [follows(c, [*room, *self._room(case)]) for c in criteria]
            bounds = [any(sign(sp.cancel(c / r)) == 1 for c in criteria) for r in room]
            if not all(sure):
                wrong = next(c for c, s in zip(criteria, sure, strict=True) if not s)
                return Proof(None, f"{_written(wrong, case)} is not positive everywhere.")
            if self.only and not all(bounds):
                return Proof(None, "It may settle elsewhere as well.")
            used.append((case, criteria))
        where = "discrete algorithm" if time == "discrete" else "continuous-time process"
        word = "" if not self.where else " exactly there" if self.only else " there"
        reason = f"Along every eigenvector of A the {where} is stable{word}, by Hurwitz's criterion."
        return Proof(True, reason, (_told(used),))

    def find(self, time: str | None = None) -> Finding:
        """As every claim; where it fails, what the criterion asks for is the condition."""
        finding = super().find(time)
        when = time or self.time
        if finding.verdict != "refuted" or self.only:
            return finding
        relations = self.needed(when)
        exact = replace(self, where=(*self.where, *relations), only=not self.where)
        proof = exact.prove(when)
        if not relations or not proof.holds or exact.failure(when) is not None:
            return replace(finding, reason="It does not settle at the numbers below.")
        words = " and ".join(p.text() for p in relations)
        only = ", and only there" if exact.only else ""
        reason = f"It fails in general and holds where {words}{only}. The paper does not say so."
        return under(finding, proof, words, relations, reason)

    def needed(self, time: str) -> tuple[Printed, ...]:
        """The criteria that do not hold by themselves, as relations between positive sides."""
        found = []
        cases = self.cases()
        for k, generic in enumerate(self.criteria(time, {})):
            if not all(follows(self.criteria(time, c)[k], self._room(c)) for c in cases):
                found.append(relation_of(generic))
        return tuple(found)

    def _room(self, case: Mapping[Any, Any]) -> list[Any]:
        """What is given of parameters, as what is positive."""
        return [sp.factor((p.right - p.left).subs(case)) for p in self.room_given()]

    def true_statement(self, finding: Finding) -> Self | None:
        """With the condition built in."""
        if isinstance(finding.needs, tuple):
            return replace(self, where=(*self.where, *finding.needs), only=not self.where)
        return super().true_statement(finding)

    def is_caught(self, time: str) -> bool:
        """Places are cheap here; what is said of none of them is no statement."""
        look = self.look(time)
        silent = all(seen(look, p) is None for p in islice(self.space().small(), _LOOKS))
        return silent or self.failure(time, _LOOKS) is not None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Wider relations, none at all, other parameters; and that it never settles."""
        for k, p in enumerate(self.where):
            rest = (*self.where[:k], *self.where[k + 1 :])
            yield f"{p.text()} dropped", replace(self, where=rest, only=False)
            for name, wrong in plain_corruptions(p.right):
                yield f"right: {name}", replace(self, where=(*rest, replace(p, right=wrong)))
        for k, (letter, value) in enumerate(self.sets):
            for name, wrong in (("doubled", 2 * value), *plain_corruptions(value)):
                if wrong != 0:
                    changed = (*self.sets[:k], (letter, wrong), *self.sets[k + 1 :])
                    yield f"{letter}: {name}", replace(self, sets=changed)
        never = Printed(LAMBDA, sp.Integer(0), "<")
        yield "never", replace(self, where=(never,), only=True)

    def says_the_same(self, other: Self) -> bool:
        """A stronger condition is no lie."""
        return self.prove(self.time).holds is True

    def script(self, failure: Failure, time: str) -> str:
        """The eigenvalues of one step, by NumPy; at the edge of stability to rounding."""
        inside = failure.sides.right == r"\text{the means settle}"
        size = "np.abs(values).max()" if time == "discrete" else "values.real.max()"
        edge = 1 if time == "discrete" else 0
        step = self.step(failure.place, time)
        head = "import numpy as np\nfrom fractions import Fraction as F\n"
        rows = 'rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])\n'
        given = "; ".join(f"{n} = {x}" for n, x in failure.place.scalars.items())
        lines = [
            f"# {self.heading}",
            f"# {given}",
            f"M = {array(step)}  # one step of {', '.join(s.name for s in self.setting.state)}",
            "values = np.linalg.eigvals(M.astype(float))",
            f"size = {size}",
            "print(size)",
            f"settles = bool(size < {edge} - 1e-9)",
            f"print(settles == {inside})",
        ]
        return head + rows + "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The numbers."""
        return Counterexample(
            failure.place.to_json(),
            failure.sides.left,
            failure.sides.right,
            "what it does, and as printed",
        )


def _holds(p: Printed, place: Place) -> bool:
    up = upward(p)
    return bool(number(up.left, place) < number(up.right, place))


def _written(c: Any, case: Mapping[Any, Any]) -> str:
    ends = ", ".join(f"{a} = {v}" for a, v in case.items() if v.is_number)
    return plain(tidy(c)) + (f" (with {ends})" if ends else "")


def _told(used: list[tuple[Any, tuple[Any, ...]]]) -> Evidence:
    steps = []
    for case, criteria in used:
        shown = ", ".join(f"{a} = {v}" for a, v in case.items())
        equations = tuple(Equation(Formula("0", "0"), tidy(c), "<") for c in criteria if not c.is_number)
        steps.append(
            Step("Hurwitz's criterion", f"All positive{' with ' if shown else ''}{shown}:", equations)
        )
    return Evidence(
        "symbolic",
        "By Hurwitz's criterion along one eigenvector.",
        {"dimensions": "every"},
        Derivation("Stability", tuple(steps), ()),
    )
