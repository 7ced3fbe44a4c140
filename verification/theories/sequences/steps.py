"""Statements about sequences for every number of steps.

Normal forms prove them (``normal``: sums telescope). For one, two and three steps they are written out:
statements between numbers, which every other part of the language takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from typing import Any

import sympy as sp

from sgtheory.errors import DeclarationError
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import inside, listed, say
from verification.refuter.conditions import Condition
from verification.refuter.places import Space
from verification.terms.arithmetics import SYMBOLS
from verification.terms.arithmetics.symbols import symbol
from verification.terms.term import Applied, Letter, Number, Term, added, number, with_signs
from verification.terms.ways import Way
from verification.terms.words import defines, word
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.sequences import necessary
from verification.theories.sequences.growth import outgrown
from verification.theories.sequences.induction import follows, sums_agree
from verification.theories.sequences.normal import Forms, Undecided, difference, without_denominators
from verification.theories.sequences.paths import Path, is_random, of_chance
from verification.theories.sequences.signs import never_larger, vanishes
from verification.theories.sequences.symbols import E, T, put_in
from verification.theories.sequences.words import (
    CHANCE,
    DOWN,
    ENTRIES,
    MEANS,
    as_rule,
    is_start,
    mean,
    sizes_inside,
)
from verification.theories.subject import ITS_ENTRIES, About, Subject

LENGTHS = (1, 2, 3)  # for which statements are written out
LEMMA = "Both sides have the same normal form, for every number of steps."
_FACTORS = (2, 3, 4, 8)
_FEW = 200  # small places
_CONSTANTS = (1, 2, 4, 5, 16)
_IN_SYMBOLS = {"mean": E, "abs": sp.Abs}
# the kinds that normal forms know
_FORMS = {
    "positive sequence": "positive",
    "decreasing sequence": "decreasing",
    "Robbins-Monro sequence": "steps",
    "bounded sequence": "at most one",
    "within one": "at most one",
    "nonnegative": "nonnegative",
    "fraction": "fraction",
    "random": "random",
    "random sequence": "random",
    "centred": "differences",
    "differences": "differences",
    "sign": "signs",
    "signs": "signs",
    "noises": "differences",
}


@dataclass(frozen=True)
class Steps(Subject):
    """What is known of the sequences of a statement.

    ``count`` is the letter for the number of steps, ``rules`` say of a sequence what its entry at a
    running letter is, ``starts`` which entry another one is, ``means`` what a random letter stands for,
    its mean being known; ``most`` has what falling sequences begin with at most. ``letters`` all occur.
    """

    count: Letter | None
    rules: tuple[tuple[Letter, Letter, Term], ...] = ()
    starts: tuple[tuple[Term, Term], ...] = ()
    means: tuple[tuple[Letter, Term], ...] = ()
    letters: tuple[Letter, ...] = ()
    given: tuple[Condition, ...] = ()
    most: tuple[tuple[Letter, Term], ...] = ()
    limits: tuple[tuple[Letter, str], ...] = ()  # what falling sequences do far out

    rank = ITS_ENTRIES
    holds_only_where, roots = necessary.holds_only_where, necessary.roots
    letters_taken = frozenset({*ENTRIES, *CHANCE, "index"})
    stepwise = True
    orders = property(lambda self: self)

    def supposing(self, relation: Any) -> Steps:
        """With one more equation that says what entries are, or a mean."""
        return _with_known(self, (relation,))

    # -- for a given number of steps --------------------------------------------------------------

    @property
    def _lengths(self) -> tuple[int, ...]:
        return (1,) if self.count is None else LENGTHS

    def written_out(self, relation: Any) -> tuple[tuple[int, Any], ...]:
        """A relation for a few numbers of steps, on every path: its letters are single numbers."""
        found: list[tuple[int, Any]] = []
        if relation.limiting and self.count is not None:
            return ()
        sides = tuple(self._meant(side) for side in relation.sides)
        for n in self._lengths:
            paths = self._path(n).all
            told = paths if any(map(is_random, sides)) else (next(paths),)
            found += [(n, relation.with_terms(partial(self._on, path))) for path in told]
        return tuple(found)

    def lengthened(self, relation: Any) -> Iterator[Any]:
        """What a relation says of more and more steps, where that is anything."""
        found = relation.lengthened(self._outgrown) if self._lengthens else None
        yield from () if found is None else (found,)

    @property
    def _lengthens(self) -> bool:
        return self.count is not None and not self._recursive

    def _outgrown(
        self, left: Term, right: Term, endless: bool
    ) -> tuple[Term, Term, Letter, tuple[tuple[str, str], ...]] | None:
        assert self.count is not None
        letters = tuple(a for a in self.letters if a.kind != "index" and a != self.count)
        sides = self._meant(left), self._meant(right)
        rules = tuple((a, i, self._meant(rule)) for a, i, rule in self.rules)
        found = outgrown(*sides, letters, rules, self.count, self.symbolic, endless)
        return None if found is None else (*found[1:], self.count, found[0].told())

    def at(self, side: Term, steps: int) -> Term:
        """A side for so many steps, on the first path."""
        return self._on(next(self._path(steps).all), side)

    @property
    def remark(self) -> str:
        """What the names of random numbers mean."""
        return of_chance({a.kind for a in self.letters})

    def places(self, about: About) -> Space:
        """Small places are few, as there are many entries."""
        return self._space(about.statement, _FEW)

    def narrowed(self, space: Space, statement: Any, known: Term) -> Space:
        """The entries that are left."""
        return self._space(statement, space.most)

    def _space(self, statement: Any, most: int) -> Space:
        """The single numbers that a statement is about."""
        out = [one for r in statement.relations for _, one in self.written_out(r)]
        return Space({}, {a.name: a.kind for one in out for a in one.letters}, most=most)

    def ordered(self, space: Space) -> tuple[Any, ...]:
        """What places have to be: entries of decreasing sequences are less and less."""
        found = []
        for a in (a for a in self.letters if a.kind in DOWN):
            entries = [Letter(f"{a}[{k}]") for k in range(max(LENGTHS) + 2)]
            present = [one for one in entries if one.name in space.scalars]
            found += [one > later for one, later in pairwise(present)]
        return tuple(found)

    def is_read(self, given: Any) -> bool:
        """What falling sequences begin with at most is; that a formula is positive is kept apart."""
        if given.relation == ">" and given.right == number(0):
            return True
        return (given.left.of[0] if isinstance(given.left, Applied) else None, given.right) in self.most

    def _on(self, path: Path, side: Term) -> Term:
        return path.out(self._meant(side))

    def _meant(self, side: Term) -> Term:
        return side.put(dict(self.means))

    def _path(self, steps: int) -> Path:
        chance = tuple(sorted({a for a in self.letters if a.kind in CHANCE}, key=str))
        rules = tuple((self._meant(s), i, self._meant(r)) for s, i, r in self.rules)
        return Path(self.count, steps, chance, rules, self.starts)  # type: ignore[arg-type]

    def vanishes(self, left: Term, right: Term) -> Answer:
        """Whether left minus right is zero for every number of steps and all sequences."""
        sides = [self.symbolic(left), self.symbolic(right)]
        if self._recursive:
            starts = {self._in_symbols(a): self._in_symbols(value) for a, value in self.starts}
            defined = tuple(map(self._by_step, self._recursive))
            return _for_every(follows(sides[0], sides[1], defined, starts))
        rooted = _roots(sides)
        sides = [side.subs(rooted) for side in sides]
        try:
            rest, forms = difference(sides[0], sides[1], self.kinds)
        except Undecided:
            return _for_every(sums_agree(self.symbolic(left), self.symbolic(right)))
        rest = sp.expand(rest.subs([self._started(forms, *pair) for pair in self.starts]))
        words = "Entries at the same steps are collected, and what is added up twice cancels:"
        shown = sp.Mul(forms.written(rest), *(1 / q for q in without_denominators(*sides)[2]))
        shown = shown.subs({square.base: sp.sqrt(x) for x, square in rooted.items()})
        line = Equation(Formula(r"\text{left} - \text{right}", "left - right"), shown)
        told = Derivation("Normal forms", (Step("Left minus right", words, (line,)),), ())
        if rest == 0:
            return Proved(LEMMA, told, {"steps": "every"})
        whole = shown if shown.is_number else None
        return Silent(Silence.LEFT_OVER, say("{}", shown.subs(self._shown)), told, rest=whole)

    def mended(self, left: Term, right: Term, constant_in: Any = ()) -> Iterator[tuple[Term, Term]]:
        """The same with the sign of one term turned, which may be true where it is false."""
        terms = added(right)
        for k in range(len(terms)):
            turned = ((-sign if j == k else sign, one) for j, (sign, one) in enumerate(terms))
            yield left, with_signs(turned)

    def has_sign(self, left: Term, right: Term, wanted: tuple[int, ...], given: Any = ()) -> Answer:
        """Whether the one side is never larger than the other, for every number of steps."""
        small, large = (left, right) if wanted[0] < 0 else (right, left)
        if 0 not in wanted or self._recursive:
            return Silent(Silence.NO_CERTIFICATE)
        try:
            why = never_larger(self.symbolic(small), self.symbolic(large), self.kinds)
        except Undecided:
            return Silent(Silence.NO_FORMULA)
        return _for_every(why)

    def is_bounded(self, left: Term, right: Term, given: Any = ()) -> Answer:
        """Whether the one side is never larger than a number of times the other."""
        far = self._outgrown(left, right, False) if self._lengthens else None
        if far is not None:
            told = listed(say("${} = {}$", a, formula) for a, formula in far[-1])
            return Disproved(say("With {} the left side over the right grows without end.", told))
        for c in _CONSTANTS:
            found = self.has_sign(left, number(c) * right, (-1, 0))
            if isinstance(found, Proved):
                return replace(found, lemma=say("With $C = {}$: {}", c, inside(found.lemma)))
        return found

    def has_order(
        self, _: Any, left: Term, word: str, right: Term, way: Way, given: tuple[Any, ...] = ()
    ) -> Answer:
        """Whether a sum vanishes: where steps have an infinite sum, and their squares a finite one."""
        if word != "o" or way.letter != self.count:
            return Silent(Silence.NO_FORMULA)
        return _for_every(self.why_it_vanishes(left / right))

    def suppositions(self, letters: tuple[Letter, ...]) -> Iterator[tuple[Any, Any]]:
        """A mean is a number; a sequence is constant, or of mean zero."""
        known = {a for a, *_ in self.rules}
        letters, t = tuple(a for a in letters if a not in known), Letter("t", "index")
        for x in (a for a in letters if a.kind == "random"):
            yield from ((mean(x), y) for y in letters if y.kind == "real")
        for x in letters:
            if x.kind in ("positive sequence", "decreasing sequence"):  # others cannot be constant
                yield Applied("at", (x, t)), Letter(f"{x}_0")
            if x.kind == "random sequence":
                yield Applied("mean_before", (Applied("at", (x, t)),)), number(0)

    def why_it_vanishes(self, side: Term) -> str | None:
        """As the sum of steps grows, that of their squares being finite."""
        try:
            return vanishes(self.symbolic(side), self.kinds)
        except Undecided:
            return None

    def larger(self, side: Term, factors: tuple[int, ...] = _FACTORS) -> Iterator[Term]:
        """What is not smaller: with sizes inside sums; times a number, or as many as there are steps."""
        inside = sizes_inside(side)
        if inside != side:
            yield inside
        for c in factors:
            yield number(c) * side
        divided = any(isinstance(s, Applied) and s.head == "/" for s in side.subterms())
        for c in (1, *factors) if self.count is not None and not divided else ():
            yield self.count * side if c == 1 else number(c) * self.count * side

    @property
    def _shown(self) -> dict[Any, Any]:
        return {} if self.count is None else {T: sp.Symbol(self.count.name, positive=True, integer=True)}

    def symbolic(self, side: Term) -> Any:
        """A side with the sums and the entries that normal forms are made of."""
        found = self._in_symbols(self._meant(side))
        for sequence, running, rule in (one for one in self.rules if one not in self._recursive):
            found = put_in(found, _base(sequence), self._in_symbols(rule), symbol_of(running))
        return found

    @property
    def _recursive(self) -> tuple[tuple[Letter, Letter, Term], ...]:
        """The rules that say an entry by those before."""
        return tuple(one for one in self.rules if one[0] in one[2].letters)

    def _by_step(self, one: tuple[Letter, Letter, Term]) -> tuple[Any, Any]:
        sequence, _, rule = one
        if not any(isinstance(s, Applied) and s.of[0] == sequence for s, _ in self.starts):
            first = Applied("at", (sequence, number(0)))
            raise DeclarationError(f"what {first} is", "nothing", "give an equation for it")
        return _base(sequence), self._in_symbols(rule)

    @property
    def kinds(self) -> dict[str, str]:
        """What normal forms know of the letters."""
        return {a.name: _FORMS[a.kind] for a in self.letters if a.kind in _FORMS}

    def _in_symbols(self, side: Term) -> Any:
        if isinstance(side, Letter):
            return T if side == self.count else symbol_of(side)
        if isinstance(side, Number):
            return SYMBOLS.number(side.value)
        assert isinstance(side, Applied)
        if side.head == "at":
            return _base(side.of[0])[self._in_symbols(side.of[1])]
        parts = [self._in_symbols(part) for part in side.of]
        if side.head == "sum":
            return sp.Sum(parts[0], tuple(parts[1:]))
        if side.head in _IN_SYMBOLS:
            return _IN_SYMBOLS[side.head](*parts)
        return word(side.head).value(SYMBOLS, *parts)

    def _started(self, forms: Forms, *pair: Term) -> tuple[Any, Any]:
        first, second = (forms.normal(self._in_symbols(one)) for one in pair)
        return first, second


def _for_every(why: str | None) -> Answer:
    """What a prover says of every number of steps."""
    return Silent(Silence.NO_CERTIFICATE) if why is None else Proved(why, facts={"steps": "every"})


def symbol_of(letter: Letter) -> Any:
    """A letter as SymPy's symbol; one that runs over steps is whole."""
    if letter.kind == "index":
        return sp.Symbol(letter.name, integer=True)
    return symbol(letter)


@cache
def _base(letter: Any) -> Any:
    assumed = {"positive": True} if ENTRIES[letter.kind] == "positive" else {"real": True}
    return sp.IndexedBase(letter.name, **assumed)


def _roots(sides: Sequence[Any]) -> dict[Any, Any]:
    """Positive letters under roots are squares."""
    powers = (p for side in sides for p in side.atoms(sp.Pow) if p.exp.is_Rational)
    rooted = {p.base for p in powers if not p.exp.is_Integer and p.base.is_Symbol}
    return {x: sp.Symbol(f"sqrt_{x}", positive=True) ** 2 for x in rooted if x.is_positive}


def steps_of(sides: tuple[Term, ...], given: tuple[Any, ...]) -> Steps | None:
    """What is known of the sequences, and of what is random, in some terms; None where nothing is."""
    defined = [r for r in given if defines(r)]
    every = [s for side in (*sides, *(r.right for r in defined)) for s in side.subterms()]
    words = [s for s in every if isinstance(s, Applied) and s.head in ("at", "sum", "mean")]
    chance = any(isinstance(s, Letter) and s.kind in CHANCE for s in every)
    if not (words or chance):
        return None
    places = (p for s in words for p in {"sum": s.of[2:], "at": s.of[1:]}.get(s.head, ()))
    counts = tuple(dict.fromkeys(a for p in places for a in p.letters if a.kind != "index"))
    if len(counts) > 1:
        told = " and ".join(map(str, counts))
        raise DeclarationError("one letter for the number of steps", told, "state them one by one")
    met = dict.fromkeys(s for s in every if isinstance(s, Letter))
    return _with_known(Steps(next(iter(counts), None), letters=tuple(met)), defined)


def _with_known(steps: Steps, defined: Sequence[Any]) -> Steps:
    defined = [r for r in defined if isinstance(r.left, Applied)]  # others say nothing of entries
    below = [r for r in defined if r.left.head == "at" and r.relation == "<="]
    limits = [(r.left.of[0], r.relation) for r in defined if r.limiting]
    defined = [r for r in defined if r.relation == "="]
    entries = [r for r in defined if r.left.head == "at"]
    rules = [as_rule(r) for r in entries if r.left.of[1].letters]
    begun = [r for r in defined if r.left.head == "mean" and is_start(r.left.of[0])]
    starts = [(r.left, r.right) for r in (*entries, *begun) if r in begun or not r.left.of[1].letters]
    defined = [r for r in defined if r not in begun]
    means = [_mean_known(r.left.of[0], r.right) for r in defined if r.left.head in MEANS]
    most = [(r.left.of[0], r.right) for r in below if r.left.of[1] == number(1)]
    met = dict.fromkeys((*steps.letters, *(a for *_, value in (*rules, *means) for a in value.letters)))
    gone = {a for a, _ in means} | {a for a, _, rule in rules if a not in rule.letters}
    return replace(
        steps,
        rules=(*steps.rules, *rules),
        starts=(*steps.starts, *starts),
        means=(*steps.means, *means),
        most=(*steps.most, *most),
        limits=(*steps.limits, *limits),
        letters=tuple(a for a in met if a not in gone),
    )


def _mean_known(of: Term, value: Term) -> tuple[Letter, Term]:
    """A random letter by its mean and what is centred; a sequence whose mean given the past is zero."""
    if isinstance(of, Letter) and of.kind == "random":
        return of, value + Letter(f"{of}_off", "centred")
    if isinstance(of, Applied) and of.head == "at" and value == number(0):
        (sequence, _) = of.of
        assert isinstance(sequence, Letter)
        return sequence, Letter(sequence.name, "differences")
    raise DeclarationError("the mean of a random letter, or zero given the past", str(of), "state one")
