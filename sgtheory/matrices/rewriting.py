"""Sums of words modulo relations: rules that replace the largest word of a relation by the rest.

This is Buchberger's algorithm without commutativity: it need not end, so it is given limits. A
sum that the rules reduce to zero is zero in every model of the relations; nothing follows from
one that they do not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.matrices.coefficients import Coefficients, coefficients, generators
from sgtheory.matrices.letters import Block, Factor, Letter, Word, coefficients_of, subwords
from sgtheory.matrices.monoid import Generators, Order, divide, extensions, rooted, split
from sgtheory.matrices.words import FREE, Pairs, Terms, collect, normal, unit

Polynomial = dict[Word, Any]  # coefficients are elements of a field here, not expressions


@dataclass(frozen=True)
class Rule:
    """lead = rest, where lead is larger than every word of rest."""

    lead: Generators
    rest: Polynomial


# How much longer left-hand sides may be than the words asked about, in turn.
_EXTRA = (0, 1, 3)


class _Spent(Exception):
    """The effort allowed has been spent; the rules found so far stand."""


@dataclass(frozen=True)
class Effort:
    """Where completing stops."""

    rules: int = 60
    overlaps: int = 400
    length: int = 12
    terms: int = 30  # of one rule
    steps: int = 1_500  # words looked at
    across: bool = True  # whether rules about different inverted sums are brought together


class Rewriting:
    """Rules from relations between words, and sums reduced by them."""

    def __init__(
        self,
        relations: Iterable[Terms],
        pairs: Pairs,
        words: Iterable[Word],
        scalars: Iterable[Any] = (),
    ) -> None:
        relations = list(relations)
        everything = [*words, *(w for r in relations for w, _ in r)]
        self.pairs, self.halved = pairs, rooted(v for w in everything for v in subwords(w))
        self.field = field_of(everything, [*scalars, *(c for r in relations for _, c in r)])
        gens = {g for w in everything for g in split(w, self.halved)}
        gens |= {g._replace(power=-g.power) for g in gens if not isinstance(g.base, Block)}
        self._order = Order(gens, pairs)
        self._keys: dict[Word, Any] = {}
        self.rules: list[Rule] = []
        self._divided: dict[Any, None] = {}
        self._waiting: list[tuple[Any, int, Polynomial]] = []
        self._pairs: list[tuple[int, int, Rule, Rule]] = []
        self._ticket = count()  # settles ties in the two queues
        for relation in relations:
            self._await(self.polynomial(relation))
        self._left: float = math.inf  # steps that may still be taken

    def polynomial(self, terms: Terms) -> Polynomial:
        """A sum with coefficients in the field."""
        return self._sum((normal(w, self.pairs), self.field.enter(c)) for w, c in terms)

    @staticmethod
    def _sum(terms: Iterable[tuple[Word, Any]]) -> Polynomial:
        out: Polynomial = {}
        for w, c in terms:
            out[w] = out[w] + c if w in out else c
        return {w: c for w, c in out.items() if c}

    def expressed(self, p: Polynomial) -> Terms:
        """A sum with expressions for coefficients."""
        return collect((w, self.field.leave(c)) for w, c in p.items())

    def reduced(self, terms: Terms) -> Terms:
        """A sum reduced by the rules."""
        return self.expressed(self.reduce(self.polynomial(terms)))

    def divisors(self) -> list[Any]:
        """What relations were divided by on the way to the rules."""
        return list(map(self.field.leave, self._divided))

    def _key(self, word: Word) -> Any:
        if word not in self._keys:
            self._keys[word] = self._order.key(split(word, self.halved))
        return self._keys[word]

    def times(self, left: Word, p: Polynomial, right: Word) -> Polynomial:
        """left * p * right."""
        return self._sum((normal((*left, *w, *right), self.pairs), c) for w, c in p.items())

    def reduce(self, p: Polynomial) -> Polynomial:
        """The sum with every left-hand side replaced; largest words first."""
        todo: Polynomial = dict(p)
        done: Polynomial = {}
        while todo:
            word = max(todo, key=self._key)
            c = todo.pop(word)
            self._left -= 1
            if self._left < 0:
                raise _Spent
            replaced = self._replace(word)
            if replaced is None:
                done[word] = done[word] + c if word in done else c
            else:
                todo = self._sum([*todo.items(), *((w, c * d) for w, d in replaced.items())])
        return {w: c for w, c in done.items() if c}

    def _replace(self, word: Word) -> Polynomial | None:
        gens = split(word, self.halved)
        for rule in self.rules:
            if len(rule.lead) <= len(gens):
                found = divide(gens, rule.lead, self.pairs)
                if found is not None:
                    return self.times(found[0], rule.rest, found[1])
        return None

    def complete(self, effort: Effort) -> None:
        """Turn the relations into rules, and add what follows from overlaps of rules."""
        self._left = effort.steps
        with suppress(_Spent):
            self._complete(effort)
        self._left = math.inf

    def _complete(self, effort: Effort) -> None:
        overlaps = 0
        while len(self.rules) < effort.rules:
            if self._waiting:
                self._learn(self.reduce(heappop(self._waiting)[-1]), effort)
                continue
            pair = self._next_pair()
            if pair is None or overlaps >= effort.overlaps:
                return
            for found in self._overlap(*pair):
                overlaps += 1
                self._await(found)

    def _await(self, p: Polynomial) -> None:
        """Keep a relation until those with smaller words are rules."""
        if p:
            heappush(self._waiting, (max(map(self._key, p)), next(self._ticket), p))

    def _learn(self, p: Polynomial, effort: Effort) -> None:
        """Make a relation a rule, and multiply it by the inverses of the ends of its largest word."""
        if not p:
            return
        lead = max(p, key=self._key)
        gens = split(lead, self.halved)
        if not gens:
            raise UnusableInput(
                "hypotheses that can hold together",
                f"{self.field.leave(p[lead])} = 0 as their consequence",
                "drop one of them",
            )
        if len(gens) > effort.length or len(p) > effort.terms:
            return
        self._divided[p[lead]] = None
        new = Rule(gens, {w: -c / p[lead] for w, c in p.items() if w != lead})
        # Rules of which the left-hand side is no longer reduced are relations again.
        undone = [r for r in self.rules if divide(r.lead, gens, self.pairs) is not None]
        self.rules = [*(r for r in self.rules if not any(r is u for u in undone)), new]
        for r in undone:
            self._await(self._as_relation(r))
        self._enqueue(new, effort)
        relation = self._as_relation(new)
        for writing in extensions(gens, self.pairs):
            self._await(self.times((), relation, _undo(writing[-1])))
            self._await(self.times(_undo(writing[0]), relation, ()))

    def _as_relation(self, rule: Rule) -> Polynomial:
        lead = (normal(rule.lead, self.pairs), self.field.enter(sp.S.One))
        return self._sum([lead, *((w, -c) for w, c in rule.rest.items())])

    def _enqueue(self, new: Rule, effort: Effort) -> None:
        """Note the pairs of rules that the new one makes; short ones will be looked at first."""
        own = set(blocks_of(new.lead))
        for old in self.rules:
            if effort.across or set(blocks_of(old.lead)) == own:
                for r, t in [(new, old), (old, new)] if old is not new else [(new, new)]:
                    heappush(self._pairs, (len(r.lead) + len(t.lead), next(self._ticket), r, t))

    def _next_pair(self) -> tuple[Rule, Rule] | None:
        while self._pairs:
            _, _, r, s = heappop(self._pairs)
            if any(r is x for x in self.rules) and any(s is x for x in self.rules):
                return r, s
        return None

    def _overlap(self, r: Rule, s: Rule) -> Iterable[Polynomial]:
        """What follows where r's left-hand side ends with generators that s's begins with."""
        met = set()
        for a in extensions(r.lead, self.pairs):
            for b in extensions(s.lead, self.pairs):
                for k in range(1, min(len(a), len(b))):
                    if a[-k:] == b[:k] and (a[:-k], b[k:]) not in met:
                        met.add((a[:-k], b[k:]))
                        first = self.times((), r.rest, b[k:])
                        second = self.times(a[:-k], s.rest, ())
                        yield self._sum([*first.items(), *((w, -c) for w, c in second.items())])


def _undo(g: Factor) -> Word:
    """The inverse of an invertible letter; otherwise the identity."""
    return () if isinstance(g.base, Block) or not g.base.invertible else (g._replace(power=-g.power),)


def blocks_of(word: Word) -> list[Block]:
    """The inverted sums that are factors of a word, each once."""
    return list(dict.fromkeys(f.base for f in word if isinstance(f.base, Block)))


def inverse_relations(block: Block, pairs: Pairs) -> list[Terms]:
    """X^-1 X - 1 and X X^-1 - 1, multiplied out."""
    minus_one = ((), sp.S.NegativeOne)
    back = unit(block, -1)
    return [
        collect([*((normal(back + w, pairs), c) for w, c in block.terms), minus_one]),
        collect([*((normal(w + back, pairs), c) for w, c in block.terms), minus_one]),
    ]


def field_of(words: Iterable[Word], scalars: Iterable[Any]) -> Coefficients:
    """The field that holds some scalars and those inside the inverted sums of some words."""
    inside = (c for w in words for c in coefficients_of(w))
    return coefficients(frozenset[Any]().union(*map(generators, scalars), *map(generators, inside)))


# Rules that every product is reduced by: each inverted sum by its own definition only.
_OWN = Effort(rules=20, overlaps=40, length=10, steps=300, across=False)


@lru_cache(maxsize=2_000)
def _own_rules(blocks: tuple[Block, ...], pairs: Pairs, halved: frozenset[Letter]) -> Rewriting:
    relations = [r for b in blocks for r in inverse_relations(b, pairs)]
    rewriting = Rewriting(relations, pairs, [unit(x, Fraction(1, 2)) for x in halved])
    rewriting.complete(_OWN)
    return rewriting


@lru_cache(maxsize=50_000)
def settle(word: Word, pairs: Pairs = FREE) -> Terms:
    """A word as a sum in which no inverted sum stands beside the sum itself.

    The largest word of the sum X is written by the others: with X = A + C, the word X^-1 C becomes
    I - X^-1 A. So equal products come out equal however they were multiplied.
    """
    word = normal(word, pairs)
    blocks = sorted(blocks_of(word), key=lambda b: b.text)
    if not blocks:
        return ((word, sp.S.One),)
    rewriting = _own_rules(tuple(blocks), pairs, rooted(subwords(word)))
    return rewriting.reduced(((word, sp.S.One),))


def closures(
    words: Iterable[Word], scalars: Iterable[Any], relations: Iterable[Terms], pairs: Pairs
) -> Iterator[Rewriting]:
    """The rules from relations and from the definitions of the inverted sums in some words.

    First those no longer than the words that are asked about, then longer ones: one relation of
    invertible letters, such as A X + X A = C, has consequences of every length.
    """
    listed = list(relations)
    found: dict[Block, None] = {}
    words = [*words, *(w for r in listed for w, _ in r)]
    for word in words:  # grows while it is read: sums may hold inverted sums
        for block in blocks_of(word):
            if block not in found:
                found[block] = None
                words += [w for w, _ in block.terms]
    listed += [r for b in found for r in inverse_relations(b, pairs)]
    words += [w for r in listed for w, _ in r]
    halved = rooted(words)
    longest = max((len(split(w, halved)) for w in words), default=0)
    for extra in _EXTRA:
        rewriting = Rewriting(listed, pairs, words, scalars)
        rewriting.complete(Effort(length=longest + extra))
        yield rewriting
