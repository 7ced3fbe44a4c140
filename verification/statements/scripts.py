"""A statement at a place as a few lines of Python that decide for themselves, in decimals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from typing import Any

from verification.refuter.script import identifier, run
from verification.terms.arithmetics.decimals import DECIMALS, MATRICES, names, preamble
from verification.terms.arithmetics.series import APART
from verification.terms.comparing import OTHER, moved
from verification.terms.term import Applied, Letter, Term
from verification.terms.walking import Unable, walk
from verification.terms.ways import BASE, Way
from verification.terms.words import local, word

_FAR = 300  # digits on the way to a limit
_OWN = {
    "EE^T": "E @ E.T",
    "I": "I",
    "tau_relax": "tau_relax",
}  # of the letters of a law: how its facts have them


def script_of(statement: Any, place: Mapping[str, Any], heading: str = "") -> str:
    """The letters with their numbers, both sides of each relation, and whether all hold.

    >>> from fractions import Fraction
    >>> from verification.terms.term import letters
    >>> from verification.relations import Equal
    >>> x, lam = letters("x lambda")
    >>> run(script_of(Equal(x * lam, lam + x), {"x": Fraction(2), "lambda": Fraction(2)}))
    True
    """
    solved = hasattr(place, "lines")
    called = _called(statement.relations, place)
    lines = ["holds = True"]
    lines += [] if solved else [_given(called[n], place[n]) for n in called if n in place]
    opens = any(r.opens for r in statement.relations)
    lines += place.lines() if hasattr(place, "lines") and not opens else []
    points = _Points(called, place)
    for relation, back in _with_ways_back(statement.relations, points):
        more, holds = relation.script(_text(called, solved), points)
        plain = "print(left, right)" if solved else "print(float(left), float(right))"
        shown = "print(*_way)" if relation.limiting else plain
        lines += [*more, shown, f"holds = holds and ({holds})", *back]
    text = "\n".join([*lines, "print(bool(holds))"]) + "\n"
    digits = getattr(place, "digits", _digits(statement.relations))
    head = [f"# {heading}"] if heading else []
    return "\n".join([*head, *preamble(digits, text, solved), text])


def _with_ways_back(relations: Sequence[Any], points: _Points) -> Iterator[tuple[Any, list[str]]]:
    """Each relation, and the lines that put letters back where it leaves them elsewhere."""
    for k, relation in enumerate(relations):
        last = k == len(relations) - 1
        yield relation, [] if last or not relation.constant_in else points.first(relation.constant_in)


def _digits(relations: Sequence[Any]) -> int:
    return _FAR if any(r.limiting for r in relations) else 60


def _called(relations: Sequence[Any], place: Any = None) -> dict[str, str]:
    """The names of all letters; where a law is solved, those of its facts."""
    terms = [t for r in relations for t in (*r.sides, *(r.way.terms if r.limiting else ()))]
    letters = dict.fromkeys(a for t in (*terms, *relations) for a in t.letters)
    if hasattr(place, "called"):  # data, by example
        own: dict[str, str] = place.called(letters)
        return own
    every = dict.fromkeys(a.name for a in letters)
    if not hasattr(place, "lines"):
        return names((*every, *(n + OTHER for n in _moving(relations))))
    return {n: f"_dec({_OWN.get(n, identifier(n))})" for n in every}


def _given(name: str, x: Any) -> str:
    if isinstance(x, Mapping):
        parts = (f"{e}: d({c.numerator}) / d({c.denominator})" for e, c in x.items())
        return f"{name} = {{{', '.join(parts)}}}"
    return f"{name} = d({x.numerator}) / d({x.denominator})"


def _moving(relations: Sequence[Any]) -> tuple[str, ...]:
    return moved(dict.fromkeys(a for r in relations for a in r.constant_in))


@dataclass(frozen=True)
class _Points:
    """Lines that put letters elsewhere, and what moves with them."""

    called: Mapping[str, str]
    place: Any

    def __call__(self, way: Way, k: int) -> list[str]:
        """On the way to a limit."""
        if hasattr(self.place, "lines"):
            there: Any = way.at(self.place, k)
            return list(there.lines())
        if hasattr(self.place, "further"):  # what else moves there
            there = way.at(self.place, k) or {}
            moved = ((n, x) for n, x in there.items() if n in self.called and x != self.place.get(n))
            return [_given(self.called[n], x) for n, x in moved]
        also = [f"{self.called[a.name]} = {_text(self.called)(value)}" for a, value in way.where]
        return [f"{self.called[way.letter.name]} = d({BASE}) ** {-k * way.sign}", *also]

    def second(self, letters: Iterable[Letter]) -> list[str]:
        """At their second values."""
        if hasattr(self.place, "lines"):
            if not hasattr(self.place, "second"):
                raise Unable("second values of letters in such a script")
            return list(self.place.second(letters).lines())
        pairs = [(self.called[n], self.called[n + OTHER]) for n in moved(letters)]
        return [f"{a}, {b} = {b}, {a}" for a, b in pairs]

    def first(self, letters: Iterable[Letter]) -> list[str]:
        """Back again."""
        return self.place.lines() if hasattr(self.place, "lines") else self.second(letters)


def _text(called: Mapping[str, str], solved: bool = False) -> Callable[[Term], str]:
    return lambda side: str(walk(side, MATRICES, called)) if solved else _worth(side, called)


def _worth(side: Term, called: Mapping[str, str]) -> str:
    """What a side is worth; where it is worked out by small changes of letters, each part by itself."""
    asked = local(side)
    if asked is None or not asked.letters:
        return str(walk(side, DECIMALS, called))
    if isinstance(side, Applied) and side.head in APART:
        return str(word(side.head).value(DECIMALS, *(_worth(part, called) for part in side.of)))
    names_of = [called[a.name] for a in asked.letters]
    at = ["d(0)" if a in asked.bound else n for a, n in zip(asked.letters, names_of, strict=True)]
    body = walk(side, DECIMALS, called)
    order = "float('inf')" if asked.order == math.inf else asked.order  # a polynomial
    return f"_about({order}, lambda {', '.join(names_of)}: {body}, {', '.join(at)})"


Decider = Callable[[Mapping[str, Any]], bool | None]


def decider(statement: Any, given: Sequence[Any] = ()) -> Decider:
    """What scripts say at many places; None where a side is undefined, or what is given does not hold.

    >>> from fractions import Fraction
    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> says = decider(x < 2 * y, [x <= y])
    >>> says({"x": Fraction(1), "y": Fraction(1)}), says({"x": Fraction(3), "y": Fraction(1)})
    (True, None)
    """
    compiled: list[Any] = []

    def at(place: Mapping[str, Any]) -> bool | None:
        if hasattr(place, "lines"):
            return _ran(statement, place)
        if not compiled:
            compiled.extend(_compiled(statement, given))
        names_of, said = compiled
        try:
            answer: bool | None = said(*(_decimal(place[n]) if n in place else None for n in names_of))
        except (DecimalException, ArithmeticError, TypeError):  # a letter has no value there
            return None
        return answer

    return at


def _decimal(x: Any) -> Any:
    if isinstance(x, Mapping):
        return {e: _decimal(c) for e, c in x.items()}
    return Decimal(x.numerator) / x.denominator


def _compiled(statement: Any, given: Sequence[Any]) -> tuple[list[str], Callable[..., bool | None]]:
    """The letters of a place, and the script as a function of them."""
    relations = (*(r for one in given for r in one.relations), *statement.relations)
    called = _called(relations)
    own = [*dict.fromkeys(a.name for r in relations for a in r.letters)]
    own += [n + OTHER for n in _moving(relations)]
    lines = [f"def says({', '.join(called[n] for n in own)}):"]
    points = _Points(called, {})
    for k, (relation, back) in enumerate(_with_ways_back(relations, points)):
        more, holds = relation.script(_text(called), points)
        outside = k < len(relations) - len(statement.relations)
        lines += [f"    {line}" for line in more]
        lines += [f"    if not ({holds}):", f"        return {None if outside else False}"]
        lines += [f"    {line}" for line in back]
    module: dict[str, Any] = {}
    text = "\n".join([*lines, "    return True"])
    exec(compile("\n".join([*preamble(_digits(relations), text), text]), "decider", "exec"), module)
    return own, module["says"]


def _ran(statement: Any, place: Mapping[str, Any]) -> bool | None:
    """The whole script, with the law's facts."""
    try:
        return run(script_of(statement, place))
    except (DecimalException, ArithmeticError, AttributeError, IndexError, TypeError, ValueError):
        # no law on the way; shapes that do not fit
        return None


def says(statement: Any, place: Mapping[str, Any]) -> bool | None:
    """What the script comes to at one place."""
    return decider(statement)(place)
