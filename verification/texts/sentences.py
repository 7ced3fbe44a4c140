"""A statement that was read, as a claim: what is said, under which hypotheses, of which sampler."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from lark import Tree

from sgtheory import registry
from verification.refuter.places import NUMBERS as KINDS_OF_NUMBERS
from verification.relations.joined import at_once
from verification.relations.stable import EIGENVALUE
from verification.statements import (
    NOT_REPLACED,
    REPLACED,
    All,
    Compare,
    Exists,
    Iff,
    Not,
    growing,
    vanishing,
)
from verification.statements.normal import CURVATURE, of_ends
from verification.terms.term import Letter, Number, Term
from verification.terms.words import theories_of
from verification.texts.ahead import bound, eigenvalues, named
from verification.texts.batches import of_law
from verification.texts.formulas import Formulas
from verification.texts.letters import Letters, is_eigenvalue
from verification.texts.limits import way_of
from verification.texts.parsing import parsed
from verification.texts.relations import Alone, Parts, Relations, fails
from verification.texts.shapes import at
from verification.texts.solutions import over_pairs
from verification.texts.tokens import Tokens
from verification.texts.unclear import Unclear
from verification.theories.chains.words import Chain

_SAYING = ("hypothesis", "said", "iff", "exactly", "only_if", "arrives", "implies", "only_then")


@dataclass(frozen=True)
class Sentence:
    """Reads one statement."""

    body: str
    letters: Letters
    of: Any = ""
    time: str = "continuous"
    tex: bool = False

    def stated(self) -> tuple[Letters, dict[str, Any]]:
        """The letters that it has, and what ``claim`` is given."""
        samplers = tuple(registry.names("samplers"))
        names, matrix = eigenvalues(self.body)
        rows = {n: row.kind for row in self.letters.rows for n in row.names}
        kind = "positive" if rows.get(matrix, "positive definite") == "positive definite" else "real"
        running = (*bound(self.body), *((n, kind) for n in names))
        letters = self.letters.of(self.of).binding(running)
        reader = Tokens(self.body, letters, samplers, self.tex)
        try:
            tokens = reader.read()
            own: dict[str, Any] = {str(t): t for t in reader.found if t.type == "SAMPLER"}
        except Unclear:  # a letter may be one of a sampler that is named
            own, tokens = dict.fromkeys(named(self.body, samplers)), []
            if len(own) != 1 or own.keys() <= {self.of}:
                raise
        if len(own) == 1 and not own.keys() <= {self.of}:
            letters = self.letters.of(*own).binding(running)
            tokens = Tokens(self.body, letters, samplers, self.tex).read()
        elif len(own) > 1 and not any(t.type == "SAME" for t in tokens):
            second = list(own.values())[1]
            where = second.start_pos or 0
            raise Unclear("one sampler in a statement", str(second), "state it of each", where)
        tree = parsed(tokens, len(self.body))
        return letters, Reading(Formulas(letters), letters.sampler, self.time).of_text(tree)


@dataclass(frozen=True)
class Reading(Relations):
    """From the tree of a statement to what it says."""

    time: str = "continuous"

    def of_text(self, tree: Any) -> dict[str, Any]:
        """What ``claim`` is given."""
        parts = Parts()
        clauses = tree.children
        for clause in clauses:  # the limit, the time, ... first
            if clause.data not in _SAYING:
                getattr(self, f"_{clause.data}")(clause, parts)
        for clause in clauses:
            if clause.data in _SAYING:
                getattr(self, f"_{clause.data}")(clause, parts)
        if parts.exists and not parts.said:
            parts.said, parts.given = [(one, 0) for one in parts.given], []
        if not parts.said:
            raise Unclear(
                "something that is said", "hypotheses alone", "add what holds under them", at(tree)
            )
        return self._claimed(parts)

    def _claimed(self, parts: Parts) -> dict[str, Any]:
        statement = at_once(one for one, _ in parts.said)
        if parts.only_there:
            statement = Iff(statement, All(*parts.only_there))
        if parts.exists == "somewhere" and parts.named:  # of all others it would be said that they exist
            met = (*statement.relations, *parts.given)
            others = sorted({a.name for one in met for a in one.letters} - {*parts.named})
            if others:
                got, told = (
                    f"{', '.join(parts.named)} alone",
                    "say its value, or 'sometimes' of all letters",
                )
                raise Unclear(f"{', '.join(others)} too, or a value", got, told, parts.said[0][1])
        if parts.exists:
            statement = Not(Exists(statement)) if parts.exists == "nowhere" else Exists(statement)
        given = [*parts.given]
        for letter, larger in parts.moved:  # what is given of a letter is given where it is larger
            given += beside(letter, larger, parts.given)
        single = any({"D", "1"} == {str(r.left), str(r.right)} for r in given if r.relation == "=")
        if parts.pair:
            statement, given = over_pairs(statement, given, parts.pair)
        if parts.smallest is not None and not single:
            told, place = "take its trace, or log(det())", parts.said[0][1]
            raise Unclear("a number that is made best", f"the matrix {parts.smallest}", told, place)
        if self._is_of_eigenvalues and not all(one.settling for one in statement.relations):
            itself = partial(Term.put, values={EIGENVALUE: CURVATURE})  # where it is the only one
            is_set = any({CURVATURE, EIGENVALUE} <= {*r.letters} for r in given)
            if single and not (is_set or isinstance(statement, Alone)):
                statement, given = statement.with_terms(itself), [r.with_terms(itself) for r in given]
            given = [of_ends(r) for r in given]
        if self.sampler and not isinstance(self.sampler, Chain):
            statement, given = of_law(statement, given, parts.drawn, self.sampler)
        else:
            given += parts.drawn
        whole = {"statement": statement, "given": tuple(given), "numbers": parts.numbers}
        whole["moved"] = tuple(parts.moved)
        nullary = getattr(statement, "limit_of", None) or isinstance(statement, Alone)
        own = not (nullary or isinstance(self.sampler, Chain) or self._is_of_numbers(statement, given))
        of = self.sampler if own else ""
        if isinstance(statement, Alone):
            whole |= {"statement": statement.statement, "python": statement.python}
        return whole | {"of": of, "time": parts.time or self.time, "states": parts.states}

    @property
    def _is_of_eigenvalues(self) -> bool:
        """Whether lambda is an eigenvalue of the curvature: what is given of it is given of each."""
        met = self.formulas.letters.used.values()
        return bool(self.sampler) and any(m.term == EIGENVALUE and is_eigenvalue(m) for m in met)

    def _is_of_numbers(self, statement: Any, given: list[Any]) -> bool:
        """Whether it is said of numbers alone, of which none is the sampler's or its problem's."""
        relations = (*statement.relations, *given)
        if any(getattr(one, "settling", True) for one in relations):
            return False
        sides = [side for one in relations for side in one.sides]
        letters = {a for side in sides for a in side.letters}
        plain = theories_of(sides) <= {"scalars"} and all(a.kind in KINDS_OF_NUMBERS for a in letters)
        return plain and not {a.name for a in letters} & self.formulas.letters.own

    # clauses

    def _small(self, tree: Any, parts: Parts) -> None:
        """For all small enough values of a letter."""
        parts.way = vanishing(self._letter(tree.children[0]))

    def _discrete(self, tree: Any, parts: Parts) -> None:
        parts.time = "discrete"

    def _continuous(self, tree: Any, parts: Parts) -> None:
        parts.time = "continuous"

    def _together(self, tree: Any, parts: Parts) -> None:
        """It is said of what is best, which is so already."""

    def _up_to_constant(self, tree: Any, parts: Parts) -> None:
        parts.constant_in = tuple(self._sides(tree.children[0]))

    def _up_to_factor(self, tree: Any, parts: Parts) -> None:
        parts.factor = True

    def _states(self, tree: Any, parts: Parts) -> None:
        parts.states = tuple(self._sides(tree.children[0]))

    def _exists(self, tree: Any, parts: Parts) -> None:
        how, *more = tree.children
        parts.exists = "nowhere" if how == "no" else "somewhere"
        for one in more[0].children if more else ():
            if one.data == "bare":
                self._list(one, parts)
            else:  # there is a step h > 0 with ...
                bound_here = self._said_of(one, parts)
                parts.named += tuple(a.name for r in bound_here.relations for a in r.letters)
                self._give(bound_here, parts, at(one))

    def _list(self, tree: Any, parts: Parts) -> None:
        """One more of "there are a, b"."""
        sides = tuple(self._sides(tree.children[0]))
        parts.listed += sides
        parts.named += tuple(a.name for side in sides for a in side.letters)

    def _drawn(self, tree: Any, parts: Parts) -> None:
        parts.drawn = (NOT_REPLACED if tree.children[0] == "without" else REPLACED,)

    def _among(self, tree: Any, parts: Parts) -> None:
        parts.among = str(tree.children[0])

    def _first_order(self, tree: Any, parts: Parts) -> None:
        letter = self._letter(tree.children[0])
        parts.way = vanishing(letter) if parts.way is None else parts.way
        parts.constant_in = (letter, letter)  # a mark: the remainder is of second order in it

    def _limit(self, tree: Any, parts: Parts) -> None:
        way, *more = tree.children
        letter = self._letter(way.children[0])
        if way.data == "ends":
            to = str(way.children[1])
        else:
            to = way_of(letter, self.formulas.term(way.children[1]), tree).to
        pairs = []
        for one in (rel for conj in more for rel in conj.children):
            found = self._relation(one)
            if getattr(found, "relation", "") == "=":  # what moves along: gamma = eta/N
                pairs.append((found.left, found.right))
            else:
                self._give(found, parts, at(one))
        parts.way = growing(letter, *pairs) if to == "oo" else vanishing(letter, *pairs)

    def _hypothesis(self, tree: Any, parts: Parts) -> None:
        parts.last = len(parts.given)
        for one in tree.children[0].children:
            if one.data == "bare":
                parts.listed = tuple(self._sides(one.children[0]))
                continue
            parts.listed = ()
            self._give(self._said_of(one, parts), parts, at(one))

    def _give(self, one: Any, parts: Parts, where: int) -> None:
        """A hypothesis; a letter that is a number is one of those that are printed."""
        for relation in getattr(one, "relations", (one,)):
            left, right = getattr(relation, "left", None), getattr(relation, "right", None)
            is_set = (
                getattr(relation, "relation", "") == "="
                and isinstance(left, Letter)
                and left.kind != "dimension"
                and not self.sampler
            )
            if is_set and isinstance(left, Letter) and isinstance(right, Number):
                parts.numbers[left] = right.printed
            else:
                parts.given.append(relation)

    def _said(self, tree: Any, parts: Parts) -> None:
        for one in tree.children[0].children:
            if one.data == "bare" and parts.listed:
                self._list(one, parts)
                continue
            if parts.listed and self._is_bound(one):
                bound_here = self._said_of(one, parts)
                parts.named += (bound_here.left.name,)
                for letter in (*parts.listed, bound_here.left):
                    self._give(bound_here.with_sides(letter, bound_here.right), parts, at(one))
                continue
            parts.listed = ()
            parts.said.append((self._said_of(one, parts), at(one)))

    def _arrives(self, tree: Any, parts: Parts) -> None:
        """It settles at a covariance with ...: that is what is said."""
        self._sides(tree.children[0])
        self._said(Tree("said", [tree.children[1]]), parts)

    def _is_bound(self, tree: Any) -> bool:
        """The ``b > 0`` of "for all a, b > 0"."""
        if tree.data != "chain" or len(tree.children) != 3:
            return False
        found = self._said_of(tree, Parts())
        bounds = isinstance(found, Compare) and isinstance(found.left, Letter)
        return bounds and not found.right.letters

    def _iff(self, tree: Any, parts: Parts) -> None:
        first, when = tree.children
        said = [self._said_of(one, parts) for one in first.children]
        where = [self._when(one, first, parts) for one in when.children]
        parts.said.append((Iff(at_once(said), at_once(where)), at(tree)))

    def _exactly(self, tree: Any, parts: Parts) -> None:
        """``if and only if`` after a limit: of what was said last."""
        if not parts.said:
            raise Unclear("what is said to hold exactly there", "nothing", "say it first", at(tree))
        (said, where), conj = parts.said.pop(), tree.children[0]
        when = at_once(self._said_of(one, parts) for one in conj.children)
        parts.said.append((Iff(said, when), where))

    def _only_if(self, tree: Any, parts: Parts) -> None:
        """It fails wherever what it needs fails."""
        first, needs = tree.children
        if len(first.children) != 1 or len(needs.children) != 1:
            told = "say each by itself"
            raise Unclear("one relation on each side of 'only if'", "several", told, at(tree))
        said, need = (self._said_of(one.children[0], parts) for one in (first, needs))
        opposites = [fails(one) for one in (said, need)]
        if None in opposites:
            told = "an inequality of numbers, = of numbers, stability, or a sum can be negated"
            raise Unclear("what can be negated on each side of 'only if'", "another", told, at(tree))
        self._give(opposites[1], parts, at(needs))
        parts.said.append((opposites[0], at(tree)))

    def _implies(self, tree: Any, parts: Parts) -> None:
        """What is said first is given."""
        given, said = tree.children
        for one in given.children:
            self._give(self._said_of(one, parts), parts, at(one))
        self._said(Tree("said", [said]), parts)

    def _unless(self, tree: Any, parts: Parts) -> None:
        """What is given is that it fails."""
        (conj,) = tree.children
        opposite = fails(self._said_of(conj.children[0], parts)) if len(conj.children) == 1 else None
        if opposite is None:
            told = "an inequality of numbers, = of numbers, or stability can be negated"
            raise Unclear("one relation that can be negated after 'unless'", "another", told, at(tree))
        self._give(opposite, parts, at(tree))

    def _only_then(self, tree: Any, parts: Parts) -> None:
        """What was given last, but for letters that are set, is given nowhere else."""
        last = parts.given[parts.last :]
        parts.only_there = [r for r in last if not _sets(r)]
        if not parts.only_there:
            raise Unclear(
                "a condition before 'only then'", "none", "if a C = C a, and only then", at(tree)
            )
        parts.given[parts.last :] = [r for r in last if _sets(r)]

    def _when(self, tree: Any, first: Any, parts: Parts) -> Any:
        """A condition; "C does" is what was said, of C."""
        if tree.data != "does":
            return self._said_of(tree, parts)
        said = first.children[0]
        return self._said_of(Tree(said.data, [tree.children[0], *said.children[1:]]), parts)


def _sets(relation: Any) -> bool:
    """Whether it only says which number a letter is, or of which others a matrix is made."""
    return relation.relation == "=" and isinstance(relation.left, Letter)


def beside(letter: Letter, larger: Any, given: Iterable[Any]) -> list[Any]:
    """What is given of a letter, of a larger value of it."""
    own = (one for one in given if larger not in one.sides and letter in one.letters)
    return [one.put({letter: larger}) for one in own]
