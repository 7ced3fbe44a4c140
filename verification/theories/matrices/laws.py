"""What is known of matrices in letters, and of the second moments of a sampler's law."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.affine import mode_form
from sgtheory.declare import Size
from sgtheory.printing import plain
from sgtheory.setting import Setting
from sgtheory.stability import stability
from verification import notation
from verification.miner.conditions import Condition
from verification.permode import General, general
from verification.prover.components import components
from verification.quantities import (
    DIVERGENCE,
    FUNCTIONALS,
    numbers_at,
    plain_matrices,
    space_of,
    times_of,
)
from verification.rational import problem_space
from verification.refuter.alongscript import law_lines
from verification.refuter.places import Place, Space
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term
from verification.terms.ways import Way
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices.relaxation import RELAXATION, relaxation
from verification.theories.matrices.relaxation import formula as relaxed
from verification.theories.signs import Case, certified


@dataclass(frozen=True)
class Law:
    """A sampler on the quadratic model in one reading of time; without one, letters alone."""

    setting: Setting | None
    time: str
    kinds: tuple[tuple[str, str], ...] = ()

    def symbols(self, side: Term) -> Any:
        """A term in the symbols in which laws are derived."""
        known = {s.name: s for s in vars(notation).values() if isinstance(s, sp.Symbol)}
        if self.setting is not None:
            sampler = self.setting.sampler
            known |= {s.name: s for s in (*sampler.parameters, *(a for a, _ in sampler.where))}
        expr = in_symbols(side)
        return expr.xreplace({s: known[s.name] for s in expr.free_symbols if s.name in known})

    def letters(self, sides: Iterable[Term]) -> tuple[Any, ...]:
        """The symbols of all letters, also of those that cancel."""
        return tuple(dict.fromkeys(self.symbols(a) for side in sides for a in side.letters))

    def times(self, sides: Iterable[Term]) -> dict[str, str]:
        """Whose laws some terms look at."""
        exprs = self.letters(sides)
        own = {"": self.time} if RELAXATION in exprs else {}
        return {**own, **times_of(exprs, self.time)}

    def space(
        self, sides: Iterable[Term], without: Iterable[Letter] = (), held: Iterable[str] = ()
    ) -> Space:
        """Small problems of the sampler, the letters of some terms, and those of conditions."""
        beside = tuple(sp.Symbol(n, positive=True) for n in sorted(held))
        names = (RELAXATION.name, *(a.name for a in without))
        return space_of((*map(self.symbols, sides), *beside), self.setting, dict(self.kinds), names)

    def formula(
        self, side: Term, given: tuple[Condition, ...] = (), way: Way | None = None
    ) -> General | None:
        """At a generic mode, or a pair of them."""
        if self.setting is not None and way is not None and self.symbols(side).has(RELAXATION):
            return relaxed(self.symbols(side), self.setting, self.time, way)
        return general(self.symbols(side), self.setting, self.time, given)

    def constant(self, side: Term, given: tuple[Condition, ...] = ()) -> Any:
        """What a letter is set to: in one dimension a formula, else its traces are letters."""
        whole, expr = general(self.symbols(side), None, self.time, given), self.symbols(side)
        if whole is not None and whole.form == "formula":
            return whole.parts[0]
        pieces = sorted(expr.atoms(*FUNCTIONALS), key=str)
        return expr.subs({p: sp.Symbol(plain(p), positive=True) for p in pieces})

    def positive(self, sides: tuple[Term, ...]) -> tuple[Any, ...]:
        """What has to be positive for the discrete law to exist at all, such as 2 - mu."""
        if self.setting is None or "discrete" not in self.times(sides).values():
            return ()
        limit = stability(mode_form(self.setting, "discrete")).limit
        factors = () if limit is None else sp.Mul.make_args(sp.fraction(sp.factor(limit))[0])
        return tuple(f for f in factors if f.is_Add)

    def divergence(self, side: Term) -> tuple[Any, Term | None]:
        """How many times the divergence a term is, and what vanishes with it: N A Sigma - I."""
        factor = sp.cancel(sp.expand(self.symbols(side)) / sp.expand(DIVERGENCE))
        if not factor.is_number:
            return None, None
        return factor, from_sympy(notation.N * notation.A * notation.Sigma - notation.identity)

    def vanishes(self, left: Term, right: Term) -> Answer:
        """Whether left minus right is zero at every pair of modes."""
        found = self.formula(left - right)
        if found is not None and all(sp.simplify(p) == 0 for p in found.parts):
            return Proved(f"Both sides are one formula, {found.scope}.")
        return Silent(Silence.NO_FORMULA)

    def has_sign(
        self,
        left: Term,
        right: Term,
        wanted: tuple[int, ...],
        given: Sequence[tuple[Term, Term, bool]] = (),
    ) -> Answer:
        """Whether left minus right has a wanted sign, in one dimension and in two, entry by entry."""
        sides = (left, right, *(t for a, b, _ in given for t in (a, b)))
        kinds = {n: "any" if k == "nonzero" else k for n, k in self.space(sides).matrices.items()}
        small, large = (right, left) if wanted[0] > 0 else (left, right)
        law = None if self.setting is None else (self.setting, self.time)
        answer: Answer = Silent(Silence.NO_CERTIFICATE)
        for size in (1, 2):
            made = list(components(kinds, size, law))
            try:
                cases = [
                    Case(
                        entries.value(self.symbols(large) - self.symbols(small)),
                        [
                            (entries.value(self.symbols(a)), entries.value(self.symbols(b)))
                            for a, b, _ in given
                        ],
                    )
                    for entries in made
                ]
            except NotImplementedError:
                return Silent(Silence.NO_CERTIFICATE)
            sizes = {s for c in cases for s in sp.sympify(c.difference).atoms(Size)}
            ranges = {s: (1 + sp.Symbol(f"t_{s}", positive=True)) ** 2 for s in sizes}
            closed = {s for c in cases for s in sp.sympify(c.difference).free_symbols if "_" in s.name}
            answer = certified(cases, ranges, closed | _ends(given), 0 not in wanted)
            if not isinstance(answer, Proved):
                return answer
        return answer


def _ends(given: Sequence[tuple[Term, Term, bool]]) -> set[Any]:
    """The new letters that are zero where both sides of what is given are equal."""
    ends = (f"t_{k + 1}" for k, (_, _, may_be_equal) in enumerate(given) if may_be_equal)
    return {sp.Symbol(name, positive=True) for name in ends}


class Solved(dict[str, Any]):
    """What letters are worth at a place, with the moments of the law there."""

    def __init__(self, values: Mapping[str, Any], law: Law, sides: tuple[Term, ...], place: Place):
        super().__init__(values)
        self.law, self.sides, self.place = law, sides, place

    def moved(self, changed: Mapping[str, Fraction]) -> Solved | None:
        """With some letters changed, and the law solved there."""
        kinds = problem_space(self.law.setting).scalars if self.law.setting else {}
        halved = {n: x / 2 if kinds.get(n) == "half square" else x for n, x in changed.items()}
        return solved(self.law, self.sides, self.place.but(**halved))

    def lines(self) -> list[str]:
        """The same in a script, which asserts that moments are those of the step."""
        exprs = self.law.letters(self.sides)
        lines = law_lines(exprs, self.law.setting, self.place, self.law.time)
        own = self.get(RELAXATION.name)
        return [*lines, *(own.lines() if own is not None else ())]


def opened(law: Law, sides: tuple[Term, ...], place: Place) -> Solved:
    """The letters of a place, before any law is solved."""
    rows = {
        n: tuple(map(tuple, m)) for n, m in plain_matrices(place.matrices, Fraction, place.D).items()
    }
    return Solved({**place.scalars, "D": Fraction(place.D), **rows}, law, sides, place)


def solved(law: Law, sides: tuple[Term, ...], place: Place) -> Solved | None:
    """The letters of a place, and the moments of the law there; None where there is no law."""
    numbers = numbers_at(law.letters(sides), law.setting, place, law.time)
    if numbers is None:
        return None
    rows = {n: tuple(map(tuple, m)) for n, m in numbers.matrices.items()}
    found = {**place.scalars, "D": Fraction(place.D), **rows}
    if law.setting is not None and RELAXATION in law.letters(sides):
        found[RELAXATION.name] = relaxation(law.setting, place, law.time)
    return Solved(found, law, sides, place)
