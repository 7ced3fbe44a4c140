"""Quantities of another law than the claim's own: with other parameters, or of another sampler.

A quantity is spelt out in the second moments of that law, which are letters of their own, and in what
the parameters are there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.matrixform import block_symbol
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.setting import Setting
from verification.laws.pair_form import NOISE, NotInPairForm, pair_symbol
from verification.laws.quantities import matrices_at, setting_of
from verification.notation import A, C
from verification.refuter.follow import Followers, following
from verification.refuter.lawscript import law_lines
from verification.refuter.places import Place
from verification.refuter.script import identifier
from verification.terms.arithmetics.rational import exactly
from verification.terms.term import Applied, Letter, Name, Term

if TYPE_CHECKING:
    from verification.theories.matrices.sampled import Sampled

WORD = "elsewhere"
NOISE_COVARIANCE = Letter("C", "matrix")


@dataclass(frozen=True)
class Other:
    """A law: of a sampler (the claim's own, where it has no name) with some parameters changed."""

    sampler: Name
    changes: tuple[tuple[Letter, Term], ...]

    def setting(self, law: Sampled) -> Setting:
        """Its sampler on a quadratic."""
        assert law.setting is not None
        if not self.sampler.name:
            return law.setting
        known = self.sampler.meant or self.sampler.name
        return setting_of(known)

    def moment(self, letter: Letter) -> Letter:
        """A second moment of this law."""
        changed = ", ".join(f"{a} -> {value}" for a, value in self.changes)
        return Letter(f"{letter.name}@{self.sampler.name}({changed})", "matrix")

    def place(self, law: Sampled, place: Place) -> Place | None:
        """Where that law is; None where it is the place itself, or no problem."""
        known: dict[str, Any] = {**place.scalars, **place.matrices}
        if any(a == NOISE_COVARIANCE for a, _ in self.changes) and "B" in place.matrices:
            known["C"] = place.C  # a letter of its own, without a factor
            rest = {n: m for n, m in place.matrices.items() if n != "B"}
            place = replace(place, matrices={**rest, "C": place.C})
        if not all(b.name in known for _, value in self.changes for b in value.letters):
            return None  # a parameter is no moment of the law that it makes
        zero = ((Fraction(0),) * place.D,) * place.D  # the number 0 as a matrix
        changed = {a.name: exactly(value, known) for a, value in self.changes}
        changed = {n: zero if n in place.matrices and x == 0 else x for n, x in changed.items()}
        if not self.sampler.name and place.follows is not None:
            roots = place.follows.roots_at({**place.scalars, **changed})
            if roots is None:
                return None
            changed |= roots
        there = place.but(**changed)
        if self.sampler.name:
            there = replace(there, follows=following(self.setting(law)))
        same = not self.sampler.name and there == place
        return None if same or any(x < 0 for x in there.scalars.values()) else there

    def entry(self, law: Sampled, moment: Letter) -> Any:
        """A second moment at a pair of modes, in the parameters of the claim."""
        setting = self.setting(law)
        pair = stationary(setting, law.time)
        names = [s.name for s in pair.form.states]
        blocks = {str(block_symbol(a, b)): (a, b) for a in names for b in names}
        changed: dict[Any, Any] = {}
        for a, value in self.changes:
            if a.kind == "matrix":
                times = _multiple(law.symbols(value), law.symbols(a))
                changed |= {x: times * x for x in ((NOISE,) if a == NOISE_COVARIANCE else (LI, LJ))}
            else:
                changed[law.symbols(a)] = law.symbols(value)
        found = pair.entry(*blocks[moment.name])
        if law.time == "discrete" and (changed or self.sampler.name):  # abbreviations change with it
            found = found.subs(dict(reversed(setting.sampler.where)))
        named = {s.name: s for s in found.free_symbols}  # a parameter of that law may be none of this
        changed = {named.get(getattr(x, "name", ""), x): value for x, value in changed.items()}
        assert law.setting is not None
        own = Followers(law.setting.sampler.where)
        found = found.subs({root: sp.sqrt(square) for root, square in own.squares.items()})
        return found.subs(changed, simultaneous=True).subs(dict(own.pairs))


def _multiple(value: Any, curvature: Any) -> Any:
    """How many times the curvature, or the noise's covariance, a value is."""
    numbers, words = value.args_cnc()
    if value == 0 and curvature == C:
        return sp.Integer(0)
    if words != [curvature] or curvature not in (A, C):
        raise NotInPairForm(f"{value} is no multiple of {curvature}")
    return sp.Mul(*numbers)


def spelt(side: Term) -> Term:
    """A term without the word."""
    if isinstance(side, Applied) and side.head == WORD:
        quantity, other = side.of[0], _other(side)
        moments = {a: other.moment(a) for a in quantity.letters if is_moment(a)}
        return quantity.put({**dict(other.changes), **moments})
    return side.with_parts(tuple(map(spelt, side.parts)))


def moments(sides: Iterable[Term]) -> dict[Letter, tuple[Letter, Other]]:
    """The letters that stand for moments of other laws: which moment, of which law."""
    words = (t for side in sides for t in side.subterms() if isinstance(t, Applied) and t.head == WORD)
    pairs = ((a, _other(t)) for t in words for a in t.of[0].letters if is_moment(a))
    return {other.moment(a): (a, other) for a, other in pairs}


def back(sides: Iterable[Term]) -> dict[Letter, Term]:
    """These letters as they are said."""
    found = moments(sides).items()
    return {
        letter: Applied(WORD, (a, other.sampler, *(x for pair in other.changes for x in pair)))
        for letter, (a, other) in found
    }


def values(law: Sampled, sides: Iterable[Term], place: Place) -> dict[str, Any] | None:
    """What they are worth at a place; None where a law is missing."""
    found = {}
    for letter, (moment, other) in moments(sides).items():
        there = other.place(law, place)
        exprs = (law.symbols(moment),)
        matrices = there and matrices_at(exprs, other.setting(law), there, law.time)
        if not matrices:
            return None
        found[letter.name] = matrices[moment.name]
    return found


def lines(law: Sampled, sides: Iterable[Term], place: Place) -> list[str]:
    """The same in a script."""
    found = []
    for letter, (moment, other) in moments(sides).items():
        there = other.place(law, place)
        assert there is not None
        found += law_lines((law.symbols(moment),), other.setting(law), there, law.time)
        found.append(f"{identifier(letter.name)} = {moment.name}")
    return found


def entries(law: Sampled, *sides: Term) -> dict[Any, Any]:
    """What they are at a pair of modes."""
    found = moments(sides).items()
    return {pair_symbol(letter.name): other.entry(law, moment) for letter, (moment, other) in found}


def _other(word: Applied) -> Other:
    _, sampler, *changes = word.of
    assert isinstance(sampler, Name)
    pairs = zip(changes[::2], changes[1::2], strict=True)
    return Other(sampler, tuple((a, value) for a, value in pairs if isinstance(a, Letter)))


def is_moment(letter: Letter) -> bool:
    """Whether a letter stands for a second moment."""
    return letter.name == "Sigma" or letter.name.startswith("P_")
