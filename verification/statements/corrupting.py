"""Statements corrupted in the ways that people err: one change to a twin.

Nothing is said here about whether a twin is still true.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sgtheory.errors import DeclarationError
from sgtheory.notation.sentence import say
from verification.relations.exists import Exists
from verification.relations.joined import All
from verification.terms.arithmetics import RATIONAL
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.walking import walk
from verification.terms.words import local, word

Twin = tuple[str, Term]
_ALONE = (
    "index",
    "variable",
    "function",
    "positive function",
)  # one says nothing where another one stands


def corrupted(statement: Any) -> Iterator[tuple[str, Any]]:
    """A statement with one of its terms, or one of its relations, changed."""
    if isinstance(statement, Exists):  # the opposite of a part is as often so somewhere
        every, nowhere = statement.parts, statement.nowhere
        opposites = {getattr(r, "negated", None) for r in every.relations}
        yield from (
            (name, Exists(twin, nowhere=nowhere))
            for name, twin in corrupted(every)
            if not opposites & {*twin.relations}
        )
        return
    for k, relation in enumerate(statement.relations):
        alone = len(statement.relations) == 1
        for name, twin in _of_relation(relation):
            yield name, twin if alone else statement.with_relation(k, twin)


def _of_relation(relation: Any) -> Iterator[tuple[str, Any]]:
    yield from relation.turned()
    yield from _of_parts(relation)
    for name, side in _sides(relation):
        try:
            yield name, relation.with_sides(*side)
        except DeclarationError:  # both sides have become one
            continue


def _of_parts(relation: Any) -> Iterator[tuple[str, Any]]:
    """Corruptions of the relations that it is made of, and of what it sets letters to."""
    when = getattr(relation, "when", None)
    if when is not None:
        parts = when.relations
        yield "condition dropped", relation.statement
        for k, one in enumerate(parts if len(parts) > 1 else ()):
            yield (
                say("${}$ dropped", one),
                type(relation)(relation.statement, All(*parts[:k], *parts[k + 1 :])),
            )
        for name, twin in corrupted(when):
            yield say("condition: {}", name), type(relation)(relation.statement, twin)
    where = getattr(relation, "where", ())
    for k, (letter, value) in enumerate(where):
        for name, wrong in corruptions(value):
            if isinstance(wrong, Applied) and wrong.head == "negative":
                continue  # no parameter is
            yield (
                say("${}$: {}", letter, name),
                relation.setting(*where[:k], (letter, wrong), *where[k + 1 :]),
            )


def _sides(relation: Any) -> Iterator[tuple[str, tuple[Term, Term]]]:
    bound = {a for side in relation.sides if (found := local(side)) for a in found.bound}
    others = tuple(a for a in relation.letters if a not in bound)
    for name, wrong in corruptions(relation.left, others):
        yield say("left: {}", name), (wrong, relation.right)
    for name, wrong in corruptions(relation.right, others):
        yield say("right: {}", name), (relation.left, wrong)


def corruptions(term: Term, letters: tuple[Letter, ...] = ()) -> Iterator[Twin]:
    """Every way to err in a term; ``letters`` are those that may be mistaken for one another.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> [str(twin) for _, twin in corruptions(x + y**2)][:5]
    ['2*(x + y**2)', '-(x + y**2)', '2*x + y**2', '-x + y**2', 'y**2']
    """
    if term == number(0):
        return  # twice zero is zero
    seen = {term}
    whole = [
        (say("${}$ doubled", term), 2 * term),
        (say("${}$ with its sign flipped", term), -term),
    ]
    for name, twin in (*whole, *term.changed(lambda one: _of_node(one, letters))):
        if twin not in seen:
            seen.add(twin)
            yield name, twin


def _of_node(term: Term, letters: tuple[Letter, ...]) -> Iterator[Twin]:
    if isinstance(term, Letter):
        for other in letters if term in letters else ():
            if other != term and other.kind == term.kind and term.kind not in _ALONE:
                yield say("${}$ for ${}$", other, term), other
    if not isinstance(term, Applied):
        return
    if term.head in ("+", "-"):
        yield from _of_sum(term)
    if term.head == "*":
        for k, part in enumerate(term.of):
            yield say("${}$ missing in ${}$", part, term), term.of[1 - k]
    if term.head == "/":
        above, below = term.of
        yield say("${}$ inverted", term), below / above
        yield say("${}$ missing under ${}$", below, above), above
    if term.head == "**" and not term.of[1].letters:
        base, power = term.of[0], _value(term.of[1])
        for name, changed in (("one more", power + 1), ("one less", power - 1), ("inverted", -power)):
            yield say("power of ${}$ {}", base, name), base if changed == 1 else base ** number(changed)
    if term.head == "negative":
        yield say("${}$ with its sign flipped", term), term.of[0]
    if term.head == "sqrt":
        yield say("${}$ for ${}$", term.of[0], term), term.of[0]
    for head in word(term.head).mistaken_for:
        yield f"{head} for {term.head}", Applied(head, term.of)


def _value(power: Term) -> Fraction:
    found = walk(power, RATIONAL, {})
    return Fraction(int(found.p), int(found.q))


def _of_sum(term: Applied) -> Iterator[Twin]:
    first, second = term.of
    if not (isinstance(first, Applied) and first.head in ("+", "-")):
        yield say("${}$ doubled", first), Applied(term.head, (2 * first, second))
        yield say("${}$ with its sign flipped", first), Applied(term.head, (-first, second))
        yield say("${}$ dropped", first), second if term.head == "+" else -second
    yield say("${}$ doubled", second), Applied(term.head, (first, 2 * second))
    yield say("${}$ with its sign flipped", second), Applied("-" if term.head == "+" else "+", term.of)
    yield say("${}$ dropped", second), first


def moved(
    numbers: tuple[tuple[Letter, str], ...],
) -> Iterator[tuple[str, tuple[tuple[Letter, str], ...]]]:
    """Printed numbers of letters, one of them ten times as large or a tenth.

    >>> from verification.terms.term import letter
    >>> [name for name, _ in moved(((letter("T"), "0.99"),))]
    ['ten times T', 'a tenth of T']
    """
    for k, (letter, text) in enumerate(numbers):
        for name, factor in (("ten times", Fraction(10)), ("a tenth of", Fraction(1, 10))):
            wrong = (letter, str(Fraction(text) * factor))
            yield say("{} ${}$", name, letter), (*numbers[:k], wrong, *numbers[k + 1 :])


def otherwise_set(sets: tuple[tuple[Letter, Term], ...]) -> Iterator[tuple[str, Any]]:
    """What letters are set to, over the square of a letter in it.

    >>> from verification.terms.term import letters
    >>> eps, r, mu = letters("eps r mu")
    >>> [name for name, _ in otherwise_set(((eps, r * mu),))]
    ['eps: over the square of r', 'eps: over the square of mu']
    """
    for k, (letter, value) in enumerate(sets):
        for one in value.letters:
            changed = (*sets[:k], (letter, value / one**2), *sets[k + 1 :])
            yield say("${}$: over the square of ${}$", letter, one), changed
