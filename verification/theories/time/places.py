"""A sampler at exact places: which they are, what letters are worth there, with the law, and scripts."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.laws.lagsums import LAGS, OverLags
from verification.laws.rational import law_numbers, problem_space
from verification.refuter.conditions import Condition
from verification.refuter.lawscript import balance
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.refuter.script import array, identifier
from verification.terms.term import Applied, Letter, Number, Term
from verification.theories.subject import ITS_TIMES, About, Subject
from verification.theories.time import plain
from verification.theories.time.given import WELL_SPECIFIED, IsFormula
from verification.theories.time.spelling import (
    FACTS,
    OF_LAW,
    OF_PROCESS,
    POSITION,
    WITHOUT_GAIN,
    Spelling,
    has,
    has_law,
)

_PLACES = 400  # small ones, of each dimension
_CALM = 16  # by which a random step is divided, or multiplied where it may be large
_ROOTED = {"count": "square count", "positive": "square"}


@dataclass(frozen=True)
class OnPlaces(Subject):
    """The letters of a statement, and its sampler on the quadratic model, at exact places."""

    setting: Setting | None = None
    time: str = "continuous"
    kinds: tuple[tuple[str, str], ...] = ()
    sets: tuple[tuple[Letter, Term], ...] = ()
    given: tuple[Condition, ...] = ()  # of matrices
    where: tuple[tuple[Letter, Term], ...] = ()
    sides: tuple[Term, ...] = ()  # of the statement
    relations: tuple[Any, ...] = ()  # that are given between numbers

    rank, solves, most_looks = ITS_TIMES, True, 200  # exponentials take longer than fractions
    also, letters_taken = frozenset({"matrices"}), frozenset({"matrix", "dimension", "variable"})

    @cached_property
    def spelling(self) -> Spelling:
        """How terms are spelt out."""
        pairs = tuple(r.upward[:2] for r in self.relations if r.relation in ("<", "<=", ">", ">="))
        several = self.setting is not None and len(self.setting.state) > 1
        return Spelling(self.time, "H" in self.names, pairs, several=several)

    def spelt(self, side: Term) -> Term:
        """A term in one step and the covariance."""
        return self.spelling.of(side)

    @cached_property
    def names(self) -> Mapping[str, Letter]:
        """The letters of the statement that have values at a place."""
        found = [a for side in self.sides for a in side.letters]
        for part in (p for c in self.given for p in c.parts if isinstance(p, IsFormula)):
            found += [Letter(part.letters[0], "matrix"), *part.value.letters]
        return {a.name: a for a in found if a.kind != "variable"}

    def space(
        self, sides: Iterable[Term] = (), without: Iterable[Letter] = (), held: Iterable[str] = ()
    ) -> Space:
        """Small problems of the sampler, C a letter of its own, and the letters of the statement."""
        matrices: dict[str, str] = {}
        scalars: dict[str, str] = dict.fromkeys(held, "positive")
        if self.setting is not None:
            matrices = {"A": "positive definite", "C": "positive definite"}
            own = problem_space(self.setting).scalars
            scalars |= {n: k for n, k in own.items() if n != "N"}
            scalars |= {p.name: "real" for p in self._free}
        roots = {a.name for side in self.sides for a in _under_roots(side)}
        for name, letter in sorted(self.names.items()):
            if letter.kind == "matrix":
                if name in ("U", "Lambda"):
                    matrices.setdefault("A", "positive definite")
                elif name not in ("I", *FACTS, *LAGS):
                    matrices.setdefault(name, "positive definite")
                continue
            whole = name in ("N", "S")
            scalars.setdefault(name, _ROOTED[letter.kind] if whole or name in roots else letter.kind)
        if self._noise is not None:
            matrices.pop("C", None)
        for name, kind in self.kinds:
            (matrices if kind in MATRIX_KINDS else scalars)[name] = kind
        outside = {a.name for a in without}
        scalars = {n: k for n, k in scalars.items() if n not in outside}
        return Space(matrices, scalars, (1, 2) if matrices else (1,), _PLACES)

    def places(self, about: About) -> Space:
        """Those that its terms and what is given need."""
        return self.space((), about.set_here, about.held)

    @property
    def _free(self) -> tuple[Any, ...]:
        """The parameters that may be zero, or negative."""
        own = self.setting.sampler.parameters if self.setting is not None else ()
        return tuple(p for p in own if p.is_real and not p.is_nonnegative)

    def times(self, sides: Iterable[Term]) -> dict[str, str]:
        """Whose laws some terms look at: an integral over times is no algorithm's."""
        every = tuple(sides)
        about = [side for side in every if has_law(side)]
        worked = any(has(side, "integral") for side in about)
        worked = worked or any(has(side, "derivative") for side in every)
        return {"": self.time} if about and not worked else {}

    def calm(self, place: Place) -> Place:
        """With a calm step, few steps, and half the time rational eigenvalues, and zeros for letters."""
        source = random.Random(str(place.to_json()))
        kinds = self.space().scalars
        rough = self.time == "continuous" and not any(has(side, "integral") for side in self.sides)
        factor = source.choice((1, _CALM)) if rough else Fraction(1, _CALM)
        small = {n: x * factor for n, x in place.scalars.items() if n == "eps"}
        small |= {n: Fraction(source.randrange(1, 6)) for n in place.scalars if kinds.get(n) == "count"}
        sizes = [n for n in place.scalars if kinds.get(n) == "square count"]
        chosen = sorted(source.choices((1, 4, 9), k=len(sizes)))  # S is no larger than N
        small |= dict(zip(sorted(sizes, reverse=True), map(Fraction, chosen), strict=True))
        often = bool({"U", "Lambda"} & set(self.names)) or source.random() < 1 / 2
        free = (n for n in place.scalars if kinds.get(n) == "real")
        small |= {n: Fraction(0) for n in free if source.random() < 1 / 2}
        turned = {"A": plain.rotated(place.D, source)} if often and "A" in place.matrices else {}
        return place.but(**small, **turned)

    def opened(self, sides: tuple[Term, ...], place: Place) -> Solved:
        """The letters of a place, before any law is solved."""
        return Solved({**place.scalars, **place.matrices}, self, place)

    def solved(self, sides: tuple[Term, ...], place: Place) -> Solved | None:
        """The letters of a place, and the law there; None where there is no law."""
        values: dict[str, Any] = {**place.scalars, "I": exact.identity(place.D)}
        values |= self._with_noise(place).matrices if "A" in place.matrices else place.matrices
        if {"U", "Lambda"} & set(self.names):
            values |= plain.eigenvectors(place.A)
        for one in dict.fromkeys(a for side in sides for a in self.spelt(side).letters):
            if self.setting is not None and one == POSITION:
                values[one.name] = plain.position(self.setting, place.D)
            elif self.setting is not None and one.kind == "matrix" and one.name in (*OF_LAW, *LAGS):
                values[one.name] = self.fact(one.name, place)
                if values[one.name] is None:
                    return None
        return Solved(values, self, place)

    @property
    def _noise(self) -> IsFormula | None:
        """What is given of the noise, where that is a formula."""
        parts = (p for c in self.given for p in c.parts)
        return next((p for p in parts if isinstance(p, IsFormula) and p.letters == ("C",)), None)

    def _with_noise(self, place: Place) -> Place:
        """The place with C, where that is a formula."""
        if "C" in place.matrices:
            return place
        return place.but(C=(self._noise or WELL_SPECIFIED).at(place))

    def fact(self, name: str, place: Place) -> Any:
        """One step's matrix, its noise or the covariance by name; None where there is no law."""
        at = self._with_noise(place)
        at = plain.without_gain(at) if name.endswith(WITHOUT_GAIN) else at
        assert self.setting is not None
        law = law_numbers(self.setting, at, "continuous" if OF_PROCESS in name else self.time)
        if law and name in LAGS:
            return OverLags(law).sums({name})[name]
        return law and dict(zip(FACTS, (law.step, law.noise, law.moments), strict=True))[OF_LAW[name]]

    def problem(self, place: Place) -> dict[str, Any]:
        """A place as a problem file's content, with what is not in one beside it."""
        if self.setting is None:
            return place.to_json()
        known = self._with_noise(place).matrices
        matrices = {n: [[str(x) for x in row] for row in m] for n, m in known.items()}
        scalars = {n: str(x) for n, x in place.scalars.items()}
        own = {p.name for p in self.setting.sampler.parameters}
        content: dict[str, Any] = {"model": "quadratic"}
        content |= {n: scalars[n] for n in ("N", "S") if n in scalars}
        given = {n: v for n, v in (*scalars.items(), *matrices.items()) if n in own}
        content |= {"params": given, "hessian": matrices["A"]}
        content |= {"noise": matrices["C"]}
        return content | {n: x for n, x in scalars.items() if n not in own | {"N", "S"}}


class Solved(dict[str, Any]):
    """What letters are worth at a place, with the step and the covariance of the law there."""

    def __init__(self, values: Mapping[str, Any], law: OnPlaces, place: Place):
        super().__init__(values)
        self.law, self.place = law, place

    def moved(self, changed: Mapping[str, Fraction]) -> Solved | None:
        """With some letters changed, and the law solved there."""
        return self.law.solved(self.law.sides, self.place.but(**changed))

    def but(self, name: str, value: Fraction) -> Solved | None:
        """With one letter changed: ``Best`` asks for it by its name."""
        return self.moved({name: value})

    def lines(self) -> list[str]:
        """The same in a script, which asserts that a covariance is that of the step."""
        names = {n: "I" if n == "I" else identifier(n) for n in self}
        matrices = {n: m for n, m in self.items() if isinstance(m, tuple | list)}
        found = [f"{names[n]} = {array(m)}" for n, m in matrices.items()]
        found += [f"{names[n]} = F('{x}')" for n, x in self.items() if n not in matrices]
        for name in (n for n in matrices if n.startswith("Sigma")):
            ending = name.removeprefix("Sigma")
            step, noise = (array(self.law.fact(f"{n}{ending}", self.place)) for n in ("F", "Q"))
            found += [f"M_, Q__ = {step}, {noise}"]
            time = "continuous" if ending.startswith(OF_PROCESS) else self.law.time
            found += [balance(time, "M_", "Q__", names[name])]
        return found


def _under_roots(side: Term) -> set[Letter]:
    found: set[Letter] = set()
    for t in side.subterms():
        if isinstance(t, Applied) and (t.head == "sqrt" or (t.head == "**" and _is_broken(t.of[1]))):
            found |= set(t.of[0].letters)
    return found


def _is_broken(power: Term) -> bool:
    return isinstance(power, Number) and power.value.denominator != 1
