"""What letters are worth at a place: those that are set, those of the law, and their second values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sgtheory.reader.exact import identity
from verification.laws.quantities import matrices_at, times_of
from verification.laws.rational import is_stable, plain_matrices, problem_space
from verification.refuter.lawscript import law_lines
from verification.refuter.places import Place
from verification.refuter.script import array, identifier
from verification.terms.arithmetics.rational import exactly
from verification.terms.comparing import OTHER, moved
from verification.terms.term import Letter, Term
from verification.terms.walking import CANNOT, Undefined
from verification.theories.matrices import elsewhere, increments, noise
from verification.theories.matrices.freedom import with_gain
from verification.theories.matrices.relaxation import RELAXATION, relaxation

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law
    from verification.theories.matrices.sampled import Sampled

_EDGES = 9  # powers of four by which curvatures are divided
_CALM = 4**6  # a square, which leaves roots of the step rational


class Solved(dict[str, Any]):
    """What letters are worth at a place, with the moments of the law there."""

    def __init__(self, values: Mapping[str, Any], law: Sampled, sides: tuple[Term, ...], place: Place):
        super().__init__(values)
        self.law, self.sides, self.place = law, sides, place

    def moved(self, changed: Mapping[str, Fraction]) -> Solved | None:
        """With some letters changed, and the law solved there."""
        kinds = problem_space(self.law.setting).scalars if self.law.setting else {}
        halved = {n: x / 2 if kinds.get(n) == "half square" else x for n, x in changed.items()}
        return solved(self.law, self.sides, self.place.but(**halved))

    def but(self, name: str, value: Any) -> Solved | None:
        """With one letter at a value, and the law solved there: ``Best`` asks for it by its name."""
        return solved(self.law, self.sides, self.place.but(**{name: value}))

    def at_best(self, of: Term, letter: Letter) -> Solved | None:
        """With the value of a letter at which a quantity is smallest, where a formula is known."""
        value = self.law.least_at(of, letter)
        if value is None or self.law.setting is None:
            return None
        gain = with_gain(self.law.setting, self.place, self.law.symbols(value))
        return None if gain is None else solved(self.law, self.sides, gain)

    def second(self, letters: Iterable[Letter]) -> Solved | None:
        """With the second values of some letters."""
        given: dict[str, Any] = {**self.place.matrices, **self.place.scalars}
        changed = {n: given[n + OTHER] for n in moved(letters)}
        return solved(self.law, self.sides, self.place.but(**changed))

    def lines(self) -> list[str]:
        """The same in a script, which asserts that moments are those of the step."""
        exprs, place = self.law.letters(self.sides), placed(self.law, self.place)
        assert place is not None
        if self.law.runs is not None:
            names = (s.name for s in exprs)
            return increments.lines(self.law.runs, self.law.time, place, names)
        lines = elsewhere.lines(self.law, self.sides, place)
        lines += law_lines(_of_laws(self.law, self.sides), self.law.setting, place, self.law.time)
        own_names = {s.name for s in exprs} - {"A", "C", "H", "E"}
        lines += [f"{identifier(n)} = {array(m)}" for n, m in place.matrices.items() if n in own_names]
        own = self.get(RELAXATION.name)
        return [*lines, *(own.lines() if own is not None else ())]


def opened(law: Sampled, sides: tuple[Term, ...], place: Place) -> Solved:
    """The letters of a place, before any law is solved."""
    rows = {n: tuple(map(tuple, m)) for n, m in plain_matrices(place.matrices, place.D).items()}
    return Solved({**place.scalars, "D": Fraction(place.D), **rows}, law, sides, place)


def solved(law: Sampled, sides: tuple[Term, ...], place: Place) -> Solved | None:
    """The letters of a place, and the moments of the law there; None where there is no law."""
    there = placed(law, place)
    if there is None:
        return None
    matrices = matrices_at(_of_laws(law, sides), law.setting, there, law.time)
    if matrices is None:
        return None
    rows = {n: tuple(map(tuple, m)) for n, m in matrices.items()}
    found = {**there.scalars, "D": Fraction(place.D), **rows}
    others = elsewhere.values(law, sides, there)
    if others is None:
        return None
    found |= {n: tuple(map(tuple, m)) for n, m in others.items()}
    if law.runs is not None:
        added = increments.at(law.runs, law.time, there, (s.name for s in law.letters(sides)))
        found |= {n: tuple(map(tuple, m)) for n, m in added.items()}
    if law.setting is not None and RELAXATION in law.letters(sides):
        found[RELAXATION.name] = relaxation(law.setting, there, law.time)
    return Solved(found, law, sides, place)


def chosen_to_fit(law: Law, place: Place) -> Iterator[Place]:
    """With curvatures that go with a diagonal gain, where one makes most of the noise.

    Where a place has a gain: with the covariance that a law has without one for it.
    """
    if law.setting is None:
        return
    yield from noise.fitting_curvatures(law, place)
    if "H" not in place.matrices:
        return
    one = identity(place.D)
    known = solved(law, (Letter("Sigma", "matrix"),), place.but(H=one))
    if known is not None:
        yield place.but(H=known["Sigma"])


def _of_laws(law: Sampled, sides: tuple[Term, ...]) -> tuple[Any, ...]:
    """Without moments where no law is meant: there they are letters like any other."""
    exprs = law.letters(sides)
    return tuple(s for s in exprs if not times_of((s,), law.time)) if law.runs is not None else exprs


def placed(law: Sampled, place: Place) -> Place | None:
    """A place with the letters that are set; None where that is undefined."""
    for letter, value in law.sets:
        try:
            place = place.but(**{letter.name: exactly(value, opened(law, (), place))})
        except Undefined:
            return None
    return place


def shown(law: Sampled, place: Place) -> Place:
    """Without second values, and with what is set."""
    matrices = {n: m for n, m in place.matrices.items() if not n.endswith(OTHER)}
    scalars = {n: x for n, x in place.scalars.items() if not n.endswith(OTHER)}
    first = replace(place, matrices=matrices, scalars=scalars)
    return placed(law, first) or first


def near_edge(
    law: Sampled, place: Place, names: Iterable[str], completed: Callable[[Place], Place | None]
) -> Place | None:
    """The place with some matrices so small that the step is stable, by a factor of four at most."""
    assert law.setting is not None
    for k in range(_EDGES):
        smaller = {n: tuple(tuple(x / 4**k for x in r) for r in place.matrices[n]) for n in names}
        there = place.but(**smaller)
        whole = completed(there)
        try:
            if whole is not None and is_stable(law.setting, whole, law.time):
                return there
        except (TypeError, KeyError, *CANNOT):
            return None
    return None


def is_possible(law: Sampled, place: Place) -> bool:
    """Whether there is a law with the moments at a place, where moments are letters."""
    return law.runs is None or increments.are_moments(law.runs, place)


def calm(law: Sampled, place: Place) -> Place:
    """With a step at which the discrete algorithm is stable: random curvatures are large.

    Where the step has another name, or none, or is made of other letters, the curvatures are made small.
    Where moments are letters, they are those of some law.
    """
    if law.runs is not None:
        return increments.as_moments(law.runs, place)
    if law.setting is None or law.time != "discrete":
        return place
    odd = sum(x.numerator for x in place.free.values()) % 2
    if odd and "A" in place.matrices and (edge := near_edge(law, place, "A", lambda there: there)):
        return edge
    steps = {n: x / _CALM for n, x in place.free.items() if n.removesuffix(OTHER) == "eps"}
    if not steps and "A" in place.matrices:
        return place.but(A=tuple(tuple(x / _CALM for x in row) for row in place.A))
    return place.but(**steps)
