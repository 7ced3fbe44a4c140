"""What a statement is about: the one protocol between statements and the theories that know their words.

A theory's package may offer ``subject(about)``, which looks at a statement and says what it knows of it,
or None where the statement is another theory's. Of several offers that with the highest ``rank`` is
taken: a theory ranks a statement by how specific to it are the words and letters that it goes by. It
may offer ``condition(relation, about)`` likewise: a rank, and what is given as a condition on a problem.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from sgtheory.setting import Setting
from verification.refuter.conditions import Condition
from verification.refuter.parameters import OnScalars, scalar_conditions
from verification.refuter.places import FACTORS, NUMBERS, Place, Space
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.comparing import OTHER, moved
from verification.terms.term import Applied, Letter, Term
from verification.terms.ways import Way
from verification.terms.words import theories_of
from verification.theories.answers import Answer, Chosen, Silence, Silent

ANYTHING, ITS_STATES, ITS_ENTRIES, ITS_MATRICES, ITS_TIMES, ITS_WORDS, ITS_LETTERS = range(7)  # ranks


@dataclass(frozen=True)
class About:
    """A statement as theories look at it, with all that is said beside it."""

    statement: Any
    time: str = "continuous"
    setting: Setting | None = None  # of the sampler whose law it is about
    given: tuple[Condition, ...] = ()
    relations: tuple[Any, ...] = ()  # that are given
    defining: tuple[Any, ...] = ()  # those among what is given that may say what letters are
    kinds: tuple[tuple[str, str], ...] = ()
    sets: tuple[tuple[Letter, Term], ...] = ()
    where: tuple[tuple[Letter, Term], ...] = ()
    states: tuple[Letter, ...] = ()
    small: tuple[str, ...] = ()  # letters that are taken to zero in words, the first one first

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """On which it is about a limit."""
        return tuple(r.way for r in self.statement.relations if r.limiting)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Every side, and what is set on the way to a limit."""
        sides = (t for r in self.statement.relations for t in r.sides)
        return (*sides, *(t for way in self.ways for t in way.terms))

    @cached_property
    def own_letters(self) -> tuple[Letter, ...]:
        """The letters of its terms."""
        return tuple(a for t in self.terms for a in t.letters)

    @cached_property
    def letters(self) -> tuple[Letter, ...]:
        """Its letters, and those of what is given."""
        return (*self.statement.letters, *(a for r in self.relations for a in r.letters))

    @cached_property
    def heads(self) -> frozenset[str]:
        """The words in it."""
        return frozenset(t.head for s in self.terms for t in s.subterms() if isinstance(t, Applied))

    @cached_property
    def theories(self) -> frozenset[str]:
        """The owners of its words, and of the conditions that are given."""
        own = {getattr(p, "theory", "") for c in self.given for p in getattr(c, "parts", ())}
        return theories_of(self.terms) | own

    @cached_property
    def problem(self) -> frozenset[str]:
        """The letters of a sampler's problem, by name."""
        return frozenset() if self.setting is None else letters_of_problem(self.setting)

    @cached_property
    def moving(self) -> tuple[Letter, ...]:
        """Letters that take a second value at each place."""
        return tuple(a for r in self.statement.relations for a in r.constant_in)

    @cached_property
    def set_here(self) -> tuple[Letter, ...]:
        """Letters that a place need not have: they are set on the way, or tried at many values."""
        ways = (a for way in self.ways for a in way.set_here)
        return (*ways, *(a for r in self.statement.relations for a in r.chosen))

    @cached_property
    def held(self) -> frozenset[str]:
        """The numbers on which what is given lies, by name."""
        parts = (p for c in self.given for p in c.parts if isinstance(p, OnScalars))
        return frozenset(n for p in parts for n in p.letters)

    def positive(self) -> dict[str, str]:
        """The kinds of numbers on which what is given lies, unless they are set here."""
        return dict.fromkeys(sorted(self.held - {a.name for a in self.set_here}), "positive")


class Subject:
    """What a theory knows of a statement; what it does not say otherwise is so of numbers in letters.

    A theory answers the questions of relations as far as it can; one that is not answered here for all
    theories (such as ``follows``) need not be answered at all.
    """

    rank: Any = ANYTHING
    given: tuple[Condition, ...] = ()
    setting: Setting | None = None  # of a sampler whose law is solved at each place
    sets: tuple[tuple[Letter, Term], ...] = ()
    states: tuple[Letter, ...] = ()  # for all of whose values it holds: conditions lie on others
    solves = False  # whether a place is a problem that has to be worked out: matrices, laws, data
    most_looks: int | None = None  # where even equations are looked at in few places
    stepwise = False  # whether relations are looked at for one step, for two, for three
    decided_alike = False  # whether conditions and cases decide all relations, inequalities too
    cases: Any = ()  # that are looked at one by one
    fits: Any = True  # whether it says anything: shapes may not fit, or a derivative be unknown
    climbs = True  # whether the nearest violation of an inequality can be looked for
    mined = False  # whether inequalities too hold under conditions of its own lattice
    few_twins: int | None = None  # that are looked at, at as many places, where each costs seconds
    slow = False  # whether its formulas are long, so that few are looked at
    measurable: Any = False  # whether an ensemble of chains can be held against it
    also: frozenset[str] = frozenset()  # theories whose words it takes beside its own
    letters_taken: frozenset[str] = frozenset()  # kinds of them, beside those of numbers
    its_own: Mapping[str, Any] = {}  # sentences on letters that it brings in itself, by name

    # -- places ------------------------------------------------------------------------------------

    def takes(self, theories: frozenset[str], kinds: frozenset[str]) -> bool:
        """Whether it takes words of these theories and letters of these kinds, together."""
        own = type(self).__module__.removeprefix("verification.theories.").partition(".")[0]
        return theories <= {"scalars", own, *self.also} and kinds <= NUMBERS | self.letters_taken

    def reads(self, terms: Iterable[Term]) -> bool:
        """Whether it takes what some terms say at places."""
        return self.takes(*words_and_kinds(terms))

    def places(self, about: About) -> Space:
        """The letters that take values; of positive ones those too that are only given."""
        kinds = {a.name: a.kind for a in about.letters}
        return Space({}, {**about.positive(), **kinds, **dict(about.kinds)})

    def narrowed(self, space: Space, statement: Any, known: Letter | Term) -> Space:
        """Places of a statement in which something has become known."""
        kinds = {n: kind for n, kind in space.scalars.items() if n != str(known)}
        return replace(space, scalars=kinds)

    def is_possible(self, place: Place) -> bool:
        """Whether numbers can be what its words say that letters are, whatever is given."""
        return True

    def completed(self, place: Place) -> Place | None:
        """A place with the letters whose values follow from others; None where one has none."""
        return place

    def calm(self, place: Place) -> Place:
        """A random place at which the statement is likely to say something."""
        return place

    def redrawn(self, place: Place, space: Space, source: random.Random) -> Place:
        """The place with other values of what a statement holds for all values of."""
        among = {a.name for a in self.states}
        moved = [n for n in place.scalars if n in among or n.rpartition("_")[0] in among]
        drawn = space.random(source).scalars if moved else {}
        return place.but(**{n: drawn[n] for n in moved})

    def chosen_to_fit(self, place: Place) -> Iterator[Place]:
        """The place with letters chosen so that much agrees there that does not in general."""
        return iter(())

    def opened(self, sides: tuple[Term, ...], place: Place) -> Mapping[str, Any]:
        """What letters are worth at a place, before anything is worked out there."""
        return place.scalars

    def solved(self, sides: tuple[Term, ...], place: Place) -> Mapping[str, Any] | None:
        """What letters are worth at a place; None where that is nothing."""
        return self.opened(sides, place)

    def problem(self, place: Place) -> Mapping[str, Any]:
        """A place as it is shown."""
        return {k: str(v) for k, v in place.scalars.items()}

    @property
    def remark(self) -> str:
        """What has to be said beside a place, to read it."""
        return ""

    def spelt(self, side: Term) -> Term:
        """A term in words that have values at places."""
        return side

    def ordered(self, space: Space) -> tuple[Any, ...]:
        """Relations that hold at every place whatever is given."""
        return ()

    def is_read(self, given: Any) -> bool:
        """Whether what is given of entries is obeyed by whatever it makes of many steps."""
        return False

    def times(self, sides: Iterable[Term]) -> Mapping[str, str]:
        """Whose laws some terms look at."""
        return {}

    # -- under which conditions --------------------------------------------------------------------

    def lattice(self, statement: Any, space: Space) -> tuple[Condition, ...]:
        """The conditions under which it may hold, the weak before the strong."""
        return tuple(scalar_conditions(tuple(n for n, k in space.scalars.items() if k == "positive")))

    def supposing(self, known: Any) -> Any:
        """What is known where a relation holds besides: itself where it is told in no other way."""
        return self

    def under_all(self, given: tuple[Any, ...]) -> Any:
        """What is known where relations hold that are given: itself where they say no more."""
        return self

    def suppositions(self, letters: tuple[Letter, ...]) -> Iterator[tuple[Any, Any]]:
        """Equations of its own words that may mend a statement."""
        return iter(())

    def monomials(self, letters: tuple[Letter, ...]) -> Iterator[Term]:
        """Products of its own words that may have to be small."""
        return iter(())

    # -- what a run would show ---------------------------------------------------------------------

    def parameters(self, chosen: Chosen | None, names: set[str], problem: Any) -> Any:
        """Parameters of a sampler as they are set or called best; None where that is no number."""
        return None

    def covariance(self, relation: Any, chosen: Chosen | None) -> Any:
        """What gives the covariance on a problem of a sampler; None where a relation fixes none."""
        return None

    # -- what limits are taken of, where it has a ``formula`` ----------------------------------------

    def constant(self, side: Term, given: tuple[Any, ...] = ()) -> Any:
        """What a letter is set to."""
        return in_symbols(side)

    def positive(self, sides: tuple[Term, ...]) -> Any:
        """What has to be positive for numbers to exist."""
        return ()

    # -- what relations ask ------------------------------------------------------------------------

    def _no_theory(self, *_: Any) -> Answer:
        return Silent(Silence.NO_THEORY)

    def _nothing(self, *_: Any) -> Iterator[Any]:
        return iter(())

    def _none(self, *_: Any) -> Any:
        return None

    def _no_term(self, *_: Any) -> tuple[tuple[Term, ...], Term | None]:
        return (), None

    holds_only_where: Any = _none  # whether relations hold only where one of some conditions does
    roots: Any = _nothing  # letters and their values at which two terms are one, and nowhere else
    vanishes: Any = _no_theory  # whether two terms are one
    is_constant: Any = _no_theory  # or are that up to what some letters do not move
    has_sign: Any = _no_theory  # whether their difference has one of some signs
    is_free_of: Any = _no_theory  # whether a term does not change with a letter
    is_bounded: Any = _no_theory  # whether one term is nowhere more than a number of times another
    is_best: Any = _no_theory  # whether a quantity is smallest or largest at a value
    mended: Any = _nothing  # equations that may hold instead
    scaled: Any = _nothing  # what may bound a term instead
    best_instead: Any = _nothing  # quantities and values that may be best instead
    about_best: Any = _nothing  # what a value costs that is not best
    gap: Any = _none  # how far apart two terms are as a step vanishes
    rate: Any = _none  # and on another way
    gap_of_slope: Any = _none  # how fast a dependence vanishes
    gap_of_best: Any = _none  # how far a value is from the best
    equations_of_best: Any = _none  # what the best value solves
    difference: Any = _none  # what two terms differ by, as a correction
    slope: Any = _none  # a derivative, as a correction
    equation: Any = _none  # both sides of one in which a quantity and a letter stand, and its scope
    least_at: Any = _none  # the value of a letter at which a quantity is as small as it can be
    stronger: Any = _nothing  # conditions that say more than what is given, with what is given then
    least: Any = _none  # what a number is, or is at most, where that is known
    most: Any = _none  # what it is at least
    enlarged: Any = _none  # a side with what it lacks to bound another
    edges: Any = _nothing  # letters, relations and bounds, as far as an order holds
    larger: Any = _nothing  # what is not smaller than a term
    first_term: Any = _no_term  # of theories whose lemmas are their own: first terms, and their power


def subject_of(about: About, below: float = math.inf) -> Subject:
    """What the theory knows that takes a statement by what is most specific to it, below a rank.

    A theory that does not take all of its words is asked only where no other does.
    """
    offered = (package.subject(about) for package in _offering("subject"))
    known = (one for one in offered if one is not None and one.rank < below)
    return max(known, key=lambda one: (one.reads(about.terms), one.rank))


def words_and_kinds(terms: Iterable[Term]) -> tuple[frozenset[str], frozenset[str]]:
    """The theories whose words some terms have, and the kinds of their letters."""
    terms = tuple(terms)
    return theories_of(terms), frozenset(a.kind for one in terms for a in one.letters)


def condition_of(relation: Any, about: About) -> Any:
    """A relation between letters of a sampler's problem as a condition; None for others."""
    offered = (package.condition(relation, about) for package in _offering("condition"))
    known = (one for one in offered if one is not None)
    return max(known, key=lambda one: one[0], default=(0, None))[1]


def lawless(about: About) -> str:
    """What has a value under the law of a sampler alone, where none is named; else nothing.

    Theories' packages may offer ``of_a_law(about)`` for it.
    """
    if about.setting is not None:
        return ""
    found = (package.of_a_law(about) for package in _offering("of_a_law"))
    return next(filter(None, found), "")


def _offering(what: str) -> Iterator[Any]:
    from verification import theories

    return (one for one in _packages(tuple(theories.__path__)) if hasattr(one, what))


@cache
def _packages(folders: tuple[str, ...]) -> tuple[Any, ...]:
    """The theories' packages in some folders, imported."""
    found = (folder.name for folder in pkgutil.iter_modules(folders) if folder.ispkg)
    return tuple(importlib.import_module(f"verification.theories.{name}") for name in found)


def matrices_of(space: Space) -> tuple[str, ...]:
    """The matrices of some places on which a condition can lie: a noise's covariance for its factor."""
    squares = {factor: name for name, factor in FACTORS.items()}
    return tuple(squares.get(n, n) for n in space.matrices if not n.endswith(OTHER))


def letters_of_problem(setting: Setting) -> frozenset[str]:
    """The letters of a sampler's problem, by name."""
    return frozenset(("A", "B", "C", "N", "S", *(p.name for p in setting.sampler.parameters)))


def with_second(space: Space, moving: Iterable[Letter]) -> Space:
    """A space in which some letters have second values."""
    names = moved(moving)
    matrices = {n + OTHER: k for n, k in space.matrices.items() if n in names}
    scalars = {n + OTHER: k for n, k in space.scalars.items() if n in names}
    return replace(space, matrices={**space.matrices, **matrices}, scalars={**space.scalars, **scalars})
