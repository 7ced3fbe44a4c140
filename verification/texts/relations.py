"""Relations that were read, as relations of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lark import Tree

from sgtheory import registry
from sgtheory.errors import DeclarationError
from verification.relations.iff import opposite
from verification.relations.joined import at_once
from verification.statements import (
    INFINITY,
    MINUS_INFINITY,
    Adds,
    Best,
    Bounded,
    Compare,
    Equal,
    FreeOf,
    Moves,
    OneBest,
    Order,
    elsewhere,
    expanded,
    growing,
    number,
    same,
    samples_posterior,
    transpose,
    vanishing,
)
from verification.terms.term import MORE, NUMBERS, Applied, Letter, Term
from verification.terms.ways import Way
from verification.terms.words import is_matrix
from verification.texts.formulas import Formulas
from verification.texts.lags import laws_of, need_matrices, reversible, settled
from verification.texts.limits import falls, relation_of, tends, way_of
from verification.texts.pieces import Chosen, Left, Limit, With
from verification.texts.shapes import at
from verification.texts.solutions import one_solution
from verification.texts.unclear import Unclear
from verification.theories.chains.words import Chain


@dataclass
class Parts:
    """What is said in a statement, clause by clause."""

    said: list[tuple[Any, int]] = field(default_factory=list)
    given: list[Any] = field(default_factory=list)
    numbers: dict[Letter, str] = field(default_factory=dict)
    way: Way | None = None
    time: str = ""
    constant_in: tuple[Term, ...] = ()
    states: tuple[Term, ...] = ()
    exists: str = ""  # "somewhere", "nowhere"
    named: tuple[str, ...] = ()  # of which it is said that there are such
    drawn: tuple[Any, ...] = ()  # how minibatches are
    factor: bool = False
    among: str = "all"
    moved: list[tuple[Letter, Term]] = field(default_factory=list)  # with what it is beside
    last: int = 0  # how much was given before the last hypothesis
    only_there: list[Any] = field(default_factory=list)  # what was given of a place, and of no other
    smallest: Term | None = None  # a matrix that is made best, which is a number in one dimension
    pair: tuple[Letter, ...] = ()  # any two eigenvalues of a matrix around an unknown
    listed: tuple[Term, ...] = ()  # what the clause before only named: "for all a, b > 0"


@dataclass(frozen=True)
class Alone:
    """A statement that names its samplers itself, and how it is said in Python."""

    statement: Any
    python: str

    @property
    def relations(self) -> Any:
        """Of the statement."""
        return self.statement.relations


@dataclass(frozen=True)
class Relations:
    """Relations in the letters of a statement, and of its sampler."""

    formulas: Formulas
    sampler: Any

    def _said_of(self, tree: Any, parts: Parts) -> Any:
        try:
            return self._relation(tree, parts)
        except (DeclarationError, TypeError) as error:
            raise Unclear(
                getattr(error, "expected", "a statement"), getattr(error, "got", str(error)),
                getattr(error, "remedy", "say it otherwise"), at(tree),
            ) from None  # fmt: skip

    def _relation(self, tree: Any, parts: Parts | None = None) -> Any:
        rule: Callable[[Any, Parts], Any] = getattr(self, f"_is_{tree.data}")
        return rule(tree, parts or Parts())

    def _sides(self, tree: Any) -> list[Term]:
        return [self.formulas.term(c) for c in tree.children]

    def _letter(self, tree: Any) -> Letter:
        found = self.formulas.term(tree)
        if not isinstance(found, Letter):
            raise Unclear("a letter", str(found), "name the letter", at(tree))
        return found

    def _way(self, parts: Parts, by: Term, tree: Any) -> Way:
        """The limit that is meant: as it is said, or where what is left out vanishes."""
        if parts.way is not None:
            return parts.way
        letters = by.letters
        if len(letters) == 1:
            (letter,) = letters
            small = falls(by, letter)
            if letter.kind == "count" or small is False:
                return growing(letter)
            if small:
                return vanishing(letter)
        raise Unclear("the limit that is meant", f"none for {by}", "add: as h -> 0", at(tree))

    def _is_bare(self, tree: Any, parts: Parts) -> Any:
        told = "say something of it: ... = ..., ... does not depend on ..."
        raise Unclear("a relation", "a formula by itself", told, at(tree))

    def _is_chain(self, tree: Any, parts: Parts) -> Any:
        sides, *rest = tree.children
        firsts = sides.children
        if len(rest) % 2:
            rest.pop()
            need_matrices(self.formulas.term(rest[-1]), tree)
        found = []
        for first in firsts:
            before = self.formulas.read(first)
            for sign, side in zip(rest[::2], rest[1::2], strict=True):
                after = self.formulas.read(side)
                found.append(self._between(before, str(sign), after, parts, tree))
                before = after.of if isinstance(after, With) else after
        return at_once(found)

    def _between(self, left: Any, sign: str, right: Any, parts: Parts, tree: Any) -> Any:
        if isinstance(left, Chosen) and sign == "=":
            left, right = right, left
        if isinstance(right, Chosen) and sign == "=":
            value = right.letter if left == right.letter else left
            return self._best(right.letter, value, right.of, right.end, parts)
        if isinstance(left, Limit) and sign == "=" and isinstance(right, Term):
            way = way_of(left.letter, left.to, tree)
            return tends(left.of, right, way)
        if not isinstance(left, Term):
            raise Unclear("a formula on the left", "an order", "turn it round", at(tree))
        if isinstance(right, Left) and sign == "=":
            return Order(left, right.relation, right.by, self._way(parts, right.by, tree))
        if isinstance(right, With) and sign == "=":
            small, way = right.left, self._way(parts, right.left.by, tree)
            found: Any = expanded(left, right.of, small.by, way, *relation_of(small))
            return found
        if not isinstance(right, Term):
            raise Unclear("a formula", "something else", "see the page on texts", at(tree))
        return self._of_terms(left, sign, right, parts, tree)

    def _of_terms(self, left: Term, sign: str, right: Term, parts: Parts, tree: Any) -> Any:
        if sign == "~":
            return Order(left, "~", right, self._way(parts, right, tree))
        endless = isinstance(left, Applied) and left.head == "sum" and left.of[3] == INFINITY
        if endless and isinstance(left, Applied) and (right == INFINITY):
            body, index = left.of[:2]
            counted = Letter(str(index), "count")
            way = growing(counted)
            how = "without end" if sign == "=" else "to a finite sum"
            return Adds(body.put({index: counted}), how, way)  # type: ignore[dict-item]
        if sign == "=" and len(parts.constant_in) == 2 and parts.constant_in[0] == parts.constant_in[1]:
            letter = parts.constant_in[0]
            return expanded(left, right, letter ** number(2), parts.way or vanishing(letter))
        if sign == "=":
            return Equal(left, right, constant_in=parts.constant_in)
        return Compare(left, sign, right)

    def _best(self, chosen: Term, value: Term, of: Term, end: str, parts: Parts) -> Any:
        """In one dimension a matrix that is smallest is a number; ``h a = 1`` says what the step is."""
        if is_matrix(of):
            parts.smallest, of = of, Applied("tr", (of,))
        step = registry.sampler(self.sampler).step if self.sampler else None
        by = next((a for a in chosen.letters if a.name == str(step) and a != chosen), None)
        return Best(chosen, value, of=of, end=end, among=parts.among, up_to_factor=parts.factor, by=by)

    def _is_best(self, tree: Any, parts: Parts) -> Any:
        of, end, letter, sign, value = tree.children
        if sign != "=":
            raise Unclear("= between a letter and its best value", str(sign), "write h = ...", at(tree))
        by, best = self.formulas.term(letter), self.formulas.term(value)
        return self._best(by, best, self.formulas.term(of), str(end), parts)

    def _is_best_value(self, tree: Any, parts: Parts) -> Any:
        letters, sign, value, end, of = tree.children
        if len(letters.children) != 1:
            raise Unclear(
                "one letter with its value, h = ...", str(sign), "h = ... minimises ...", at(tree)
            )
        return self._is_best(Tree("best", [of, end, letters.children[0], sign, value]), parts)

    def _is_one_solution(self, tree: Any, parts: Parts) -> Any:
        """``A X + X A = C has exactly one solution X``."""
        sides, sign, right, of = tree.children
        unknown = self._letter(of)
        if sign != "=" or len(sides.children) != 1:
            raise Unclear(
                "one equation", str(sign), "A X + X A = C has exactly one solution X", at(tree)
            )
        left, right = (self.formulas.term(one) for one in (sides.children[0], right))
        known = self.formulas.letters.all.values()
        kinds = {m.term: m.kind for m in known if getattr(m.term, "kind", "") == "matrix" and m.kind}
        named = sorted(n for n, k in self.formulas.letters.bound if k in NUMBERS)
        found, parts.pair = one_solution(left, right, unknown, named, kinds)
        return found

    def _is_minimiser(self, tree: Any, parts: Parts) -> Any:
        """``the minimiser of ... over b in (0, 1) is b = ...``: the letter is named before or after."""
        end, of, *rest = tree.children
        over = rest.pop(0) if getattr(rest[0], "data", "") == "range" else None
        letter = rest[1] if len(rest) == 4 else over.children[0] if over is not None else None
        if letter is None:
            raise Unclear("the letter that is chosen", "none", "say: over h", at(tree))
        self._give_range(over, parts)
        return self._is_best(Tree("best", [of, end, letter, rest[-2], rest[-1]]), parts)

    def _is_that_best(self, tree: Any, parts: Parts) -> Any:
        """``the h that minimises ... is ...``."""
        letter, end, of, *rest = tree.children
        self._give_range(rest[0] if len(rest) == 3 else None, parts)
        return self._is_best(Tree("best", [of, end, letter, rest[-2], rest[-1]]), parts)

    def _give_range(self, over: Any, parts: Parts) -> None:
        if over is not None and len(over.children) > 1:
            letter, *interval = over.children
            found = self._is_within(Tree("within", [Tree("sides", [letter]), *interval]), parts)
            parts.given += found.relations

    def _is_one_best(self, tree: Any, parts: Parts) -> Any:
        pair, end, of = tree.children
        letters = [self._letter(one) for one in pair.children[0].children]
        if len(letters) != 2 or end != "smallest":
            raise Unclear(
                "a pair of letters that minimises", str(len(letters)), "one pair (H, S) alone", at(tree)
            )
        return OneBest(letters[0], letters[1], of=self.formulas.term(of))

    def _is_free(self, tree: Any, parts: Parts) -> Any:
        of, *letters = tree.children
        return at_once(FreeOf(self.formulas.term(of), self._letter(one)) for one in letters)

    def _is_within(self, tree: Any, parts: Parts) -> Any:
        sides, opens, low, high, closes = tree.children
        ends = self.formulas.term(low), self.formulas.term(high)
        found = []
        for one in self._sides(sides):
            if ends[0] != MINUS_INFINITY:
                found.append(Compare(ends[0], "<=" if opens == "[" else "<", one))
            if ends[1] != INFINITY:
                found.append(Compare(one, "<=" if closes == "]" else "<", ends[1]))
        if not found:
            raise Unclear("an interval with an end", "all numbers", "leave it out", at(tree))
        return at_once(found)

    def _is_proportional(self, tree: Any, parts: Parts) -> Any:
        left, right = map(self.formulas.term, tree.children)
        letters = [a for a in right.letters if a.kind != "matrix"]
        if is_matrix(right) or not letters:
            told = "say = with the factor, or: does not depend on"
            raise Unclear("a number of letters on the right", str(right), told, at(tree))
        return at_once(FreeOf(left / right, a) for a in letters)

    def _is_moves(self, tree: Any, parts: Parts) -> Any:
        of, how, letter, *ordered = tree.children
        found, moved = self.formulas.term(of), self._letter(letter)
        if ordered:
            need_matrices(found, tree)
        if how.type == "CLIMBS":  # of matrices "increases" is said where they may be equal
            sign = f"{str(how)[0]}=" if ordered else str(how)
            return self._climbs(found, moved, sign, parts)
        if how.type == "LINEARLY":
            power: Any = moved if how == "1" else moved ** number(str(how))
            return FreeOf(found / power, moved)
        return Moves(found, str(how), growing(moved))

    def _climbs(self, of: Term, letter: Letter, sign: str, parts: Parts) -> Any:
        """It is more, or less, where a letter is larger: by any number, or of what counts by one."""
        known = {a.name for a in of.letters}
        name = next(n for n in ("delta", "delta_1", "delta_2") if n not in known)
        larger: Term = letter + (number(1) if letter.kind == "count" else Letter(name))
        if letter.kind in ("fraction", "up to one", "unit", "within one"):  # another of that kind
            larger = Letter(f"{letter.name}{MORE}", letter.kind)
            parts.given.append(Compare(letter, "<", larger))
        parts.moved.append((letter, larger))
        own = self.sampler and letter.name in {p.name for p in registry.sampler(self.sampler).parameters}
        further = elsewhere(of, (letter, larger)) if own else of.put({letter: larger})
        return Compare(further, sign, of)

    def _is_goes(self, tree: Any, parts: Parts) -> Any:
        sides, right = tree.children
        if len(sides.children) != 1:
            raise Unclear(
                "one formula before the arrow", str(len(sides.children)), "state each", at(tree)
            )
        return self._is_approaches(Tree("approaches", [sides.children[0], right]), parts)

    def _is_vanishes(self, tree: Any, parts: Parts) -> Any:
        of, how = tree.children
        found = self.formulas.term(of)
        if parts.way is None:
            raise Unclear("the limit that is meant", "none", "add: as h -> 0", at(tree))
        if how == "oo":
            return Moves(found, "grows", parts.way)
        return Order(found, "o", number(1), parts.way)

    def _is_commutes(self, tree: Any, parts: Parts) -> Any:
        sides = tree.children[0]
        if getattr(sides, "data", "") == "sides":
            pair = self._sides(sides)
        else:
            pair = [self.formulas.term(c) for c in tree.children]
        if len(pair) != 2:
            raise Unclear("two matrices that commute", str(len(pair)), "name two", at(tree))
        return Equal(pair[1] * pair[0], pair[0] * pair[1])

    def _is_does(self, tree: Any, parts: Parts) -> Any:
        raise Unclear("what it does", "does", "A commutes with C if and only if ... does", at(tree))

    def _is_definite(self, tree: Any, parts: Parts) -> Any:
        found, how = self.formulas.term(tree.children[0]), str(tree.children[1])
        if how == "sym":
            return Equal(transpose(found), found)
        if how == "iso":
            size = self.formulas.letters.find("D")
            return Equal(found, Applied("tr", (found,)) / size * self.formulas.letters.find("I"))
        return Compare(found, how, number(0))

    def _is_order(self, tree: Any, parts: Parts) -> Any:
        left, how, right = tree.children
        by = self.formulas.term(right)
        return Order(self.formulas.term(left), str(how), by, self._way(parts, by, tree))

    def _is_approaches(self, tree: Any, parts: Parts) -> Any:
        left, right = map(self.formulas.term, tree.children)
        if parts.way is None:
            raise Unclear("the limit that is meant", "none", "add: as n -> infinity", at(tree))
        return tends(left, right, parts.way)

    def _is_adds(self, tree: Any, parts: Parts) -> Any:
        of, how = tree.children
        if parts.way is None:
            raise Unclear("the letter that grows", "none", "add: as n -> infinity", at(tree))
        return Adds(self.formulas.term(of), str(how), parts.way)

    def _is_bounded(self, tree: Any, parts: Parts) -> Any:
        return Bounded(*map(self.formulas.term, tree.children))

    def _is_settles(self, tree: Any, parts: Parts) -> Any:
        if not self.sampler:
            raise Unclear("a sampler that settles", "none", "name it: Sampler: sgd", at(tree))
        how = str(tree.children[0])
        if how == "reversible":
            return reversible(self.sampler, at(tree))
        if isinstance(self.sampler, Chain):
            return laws_of(self.sampler, how, parts.way)
        return settled(self.formulas.letters, how, at(tree))

    def _is_samples(self, tree: Any, parts: Parts) -> Any:
        return Alone(samples_posterior(str(self.sampler)), f"samples_posterior({str(self.sampler)!r})")

    def _is_same(self, tree: Any, parts: Parts) -> Any:
        first, second = (str(c) for c in tree.children)
        return Alone(same(first, second), f"same({first!r}, {second!r})")


def fails(of: Any) -> Any:
    """What holds where a relation fails; None where that cannot be said.

    >>> from verification.statements import letters
    >>> a, b = letters("a b")
    >>> print(fails(a < b).text(), "|", fails(Equal(a, b)).text())
    a >= b | a != b
    """
    found = opposite(of)
    return of.other if found is None and isinstance(of, Adds) else found
