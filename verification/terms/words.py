"""Words: what can stand in a term beside letters and numbers. A theory declares its own.

A word says what it is worth with the operations of any arithmetic. So it has a value in exact
numbers, in enclosures, in symbols and as Python text.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from sgtheory.errors import DeclarationError, UnusableInput
from verification.terms.term import Applied, Letter, Term, term

SUM, SIGN, PRODUCT, POWER, WHOLE = range(5)  # how tightly a printed form holds together


@dataclass(frozen=True)
class Word:
    """A word: its name, its value, and how it is written; called with parts it is a term of them.

    ``value(operations, *parts)`` is worked out with the operations of an arithmetic. ``latex`` and
    ``text`` take the parts as ``printing.Written`` and return the form with how tightly it holds.
    """

    name: str
    value: Callable[..., Any]
    latex: Callable[..., tuple[str, int]]
    text: Callable[..., tuple[str, int]]
    spoken: str  # with {0}, {1} for its parts
    keeps_matrices: bool = False  # whether it is a matrix where a part is one
    mistaken_for: tuple[str, ...] = ()  # words of the same parts that the careless write for it
    makes_matrices: bool = False  # whether it is one whatever its parts are
    binds: bool = False  # whether its first part is taken as a function of its second, a letter
    order: float | None = None  # of the series about a point from which its value is read, if from one
    counts: bool = False  # whether it is a whole number, which moves in jumps
    integrates: bool = False  # whether the letters by which it is worked out have no value outside
    is_told: bool = False  # whether an equation that is given for it says what its letters are
    of_matrices: str = ""  # what is written of a matrix instead, where its parts are numbers
    of_multiples: str = ""  # "every" dimension, or "one", where of x I it is x; "none"

    def __call__(self, *parts: Any) -> Term:
        """The word applied to terms, or to what can be one."""
        return Applied(self.name, tuple(map(term, parts)))


def called(name: str, left: str = "(", right: str = ")") -> Callable[..., tuple[str, int]]:
    """A name before its parts in brackets."""
    return lambda *parts: (f"{name}{left}{', '.join(part.form for part in parts)}{right}", WHOLE)


def function(name: str, value: Any, spoken: str, latex: Any = None, **more: Any) -> Word:
    """A word that is written as a function of its parts; ``latex`` may be its name there alone."""
    written = rf"\{name}" if latex is None else latex
    typeset = called(written, r"\left(", r"\right)") if isinstance(written, str) else written
    return Word(name, value, typeset, called(name), spoken, **more)


@cache
def lexicon() -> Mapping[str, Word]:
    """All words of all theories, by name."""
    return {word.name: word for word, _ in _declared()}


@cache
def owners() -> Mapping[str, str]:
    """The theory that each word belongs to."""
    return {word.name: theory for word, theory in _declared()}


def word(name: str) -> Word:
    """A word by its name."""
    found = lexicon().get(name)
    if found is None:
        raise UnusableInput(
            "a word of a theory", repr(name), f"known are {', '.join(sorted(lexicon()))}"
        )
    return found


def theories_of(sides: Iterable[Term]) -> frozenset[str]:
    """The theories whose words some terms have."""
    heads = {t.head for side in sides for t in side.subterms() if isinstance(t, Applied)}
    return frozenset(owners()[word(head).name] for head in heads)


def is_matrix(term: Term) -> bool:
    """Whether a term is a matrix: a letter that is one, or a word that makes matrices of matrices.

    >>> from verification.terms.term import letter
    >>> from verification.theories.matrices.words import tr
    >>> A = letter("A", "matrix")
    >>> is_matrix(2 * A**-1), is_matrix(tr(A) + 1)
    (True, False)
    """
    if isinstance(term, Letter):
        return term.kind == "matrix"
    if not isinstance(term, Applied):
        return False
    head = word(term.head)
    return head.makes_matrices or (head.keeps_matrices and any(map(is_matrix, term.parts)))


def defines(relation: Any) -> bool:
    """Whether it says what letters are that its left side is made of: ``l[t] = ...``, ``l[1] <= 2``."""
    left, said = relation.left, relation.relation in ("=", "<=") or relation.limiting
    return said and isinstance(left, Applied) and word(left.head).is_told


def refuse_misused(statement: Any) -> None:
    """Refuse a word of too few or too many parts, and a step over which no sum runs."""
    for side in (side for one in statement.relations for side in one.sides):
        for part in side.subterms():
            if isinstance(part, Applied) and not _takes(word(part.head), len(part.of)):
                spoken = re.sub(r"\{(\d)\}", r"part \1", word(part.head).spoken)
                got = f"{len(part.of)} parts in {part}"
                raise DeclarationError(f"what {part.head} takes", got, f"it is {spoken}")
            instead = word(part.head).of_matrices if isinstance(part, Applied) else ""
            if instead and any(map(is_matrix, part.parts)):
                raise DeclarationError(f"numbers in {part.head}()", f"a matrix in {part}", instead)
        free = [a for a in loose(side) if getattr(a, "kind", "") == "index"]
        if free:
            told = "sum over it, with over(), or name a step by a letter that counts"
            raise DeclarationError("a step over which a sum runs", str(free[0]), told)


def _takes(one: Word, parts: int) -> bool:
    try:
        inspect.signature(one.value).bind(None, *range(parts))
    except TypeError:
        return False
    return True


def loose(term: Term, bound: frozenset[Term] = frozenset()) -> Iterator[Term]:
    """The letters that no word around them binds."""
    if isinstance(term, Applied) and word(term.head).binds:
        body, letter, *ends = term.of
        yield from loose(body, bound | {letter})
        for end in ends:
            yield from loose(end, bound)
    elif isinstance(term, Letter):
        yield from () if term in bound else (term,)
    else:
        for part in term.parts:
            yield from loose(part, bound)


@dataclass(frozen=True)
class Local:
    """What a term asks of series about a point: letters that change a little, and the order."""

    letters: tuple[Letter, ...]
    order: float
    bound: tuple[Letter, ...]


@lru_cache(maxsize=1_000)
def local(term: Term) -> Local | None:
    """The series that a term asks for; None where its words have values in numbers."""
    words = [(t, word(t.head)) for t in term.subterms() if isinstance(t, Applied)]
    asking = [(t, w) for t, w in words if w.order is not None]
    if not asking:
        return None
    by = [(a, w.integrates) for t, w in asking if w.order for a in t.of[1:] if isinstance(a, Letter)]
    bound = dict.fromkeys(a for a, integrated in by if integrated)
    return Local(tuple(dict.fromkeys(a for a, _ in by)), _depth(term), tuple(bound))


def _depth(term: Term) -> float:
    own = (word(term.head).order or 0) if isinstance(term, Applied) else 0
    return own + max(map(_depth, term.parts), default=0)


@cache
def _declared() -> tuple[tuple[Word, str], ...]:
    from verification import theories

    found: list[tuple[Word, str]] = []
    for folder in filter(lambda one: one.ispkg, pkgutil.iter_modules(theories.__path__)):
        module = importlib.import_module(f"{theories.__name__}.{folder.name}.words")
        found += [(word, folder.name) for word in module.WORDS]
    return tuple(found)
