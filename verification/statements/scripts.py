"""A statement at a place as a few lines of Python that decide for themselves, in decimals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from typing import Any

from verification.refuter.script import identifier, run
from verification.terms.arithmetics.decimals import (
    DECIMALS,
    HELPERS,
    MATRICES,
    MATRIX_HEAD,
    head,
    names,
)
from verification.terms.comparing import OTHER, moved
from verification.terms.term import Letter, Term
from verification.terms.walking import walk
from verification.terms.ways import BASE, Way

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
    called = _called(statement.relations, solved)
    lines = [f"# {' '.join(heading.split())}"] if heading else []
    lines += [_head(statement.relations), *([MATRIX_HEAD] if solved else ()), "holds = True"]
    lines += [] if solved else [_given(called[n], place[n]) for n in called if n in place]
    lines += place.lines() if hasattr(place, "lines") and not _limiting(statement) else []
    for relation in statement.relations:
        more, holds = relation.script(_text(called, solved), _Points(called, place))
        plain = "print(left, right)" if solved else "print(float(left), float(right))"
        shown = "print(*_way)" if relation.limiting else plain
        lines += [*more, shown, f"holds = holds and ({holds})"]
    helpers = [text for name, text in HELPERS.items() if any(name in line for line in lines)]
    start = lines.index("holds = True")
    lines[start:start] = helpers
    return "\n".join([*lines, "print(bool(holds))"]) + "\n"


def _head(relations: Sequence[Any]) -> str:
    return head(_FAR if any(r.limiting for r in relations) else 60)


def _limiting(statement: Any) -> bool:
    return any(r.limiting for r in statement.relations)


def _called(relations: Sequence[Any], solved: bool) -> dict[str, str]:
    """The names of all letters; where a law is solved, those of its facts."""
    terms = [t for r in relations for t in (*r.sides, *(r.way.terms if r.limiting else ()))]
    every = dict.fromkeys(a.name for t in (*terms, *relations) for a in t.letters)
    if not solved:
        return names((*every, *(n + OTHER for n in _moving(relations))))
    return {n: f"_dec({_OWN.get(n, identifier(n))})" for n in every}


def _given(name: str, x: Any) -> str:
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
        also = [f"{self.called[a.name]} = {_text(self.called)(value)}" for a, value in way.where]
        return [f"{self.called[way.letter.name]} = d({BASE}) ** {-k * way.sign}", *also]

    def second(self, letters: Iterable[Letter]) -> list[str]:
        """At their second values."""
        if hasattr(self.place, "lines"):
            return list(self.place.second(letters).lines())
        pairs = [(self.called[n], self.called[n + OTHER]) for n in moved(letters)]
        return [f"{a}, {b} = {b}, {a}" for a, b in pairs]

    def first(self, letters: Iterable[Letter]) -> list[str]:
        """Back again."""
        return self.place.lines() if hasattr(self.place, "lines") else self.second(letters)


def _text(called: Mapping[str, str], solved: bool = False) -> Callable[[Term], str]:
    return lambda side: str(walk(side, MATRICES if solved else DECIMALS, called))


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
            answer: bool | None = said(
                *(Decimal(place[n].numerator) / place[n].denominator for n in names_of)
            )
        except (DecimalException, ArithmeticError):
            return None
        return answer

    return at


def _compiled(statement: Any, given: Sequence[Any]) -> tuple[list[str], Callable[..., bool | None]]:
    """The letters of a place, and the script as a function of them."""
    relations = (*(r for one in given for r in one.relations), *statement.relations)
    called = _called(relations, False)
    own = [*dict.fromkeys(a.name for r in relations for a in r.letters)]
    own += [n + OTHER for n in _moving(relations)]
    lines = [_head(relations), f"def says({', '.join(called[n] for n in own)}):"]
    for k, relation in enumerate(relations):
        more, holds = relation.script(_text(called), _Points(called, {}))
        outside = k < len(relations) - len(statement.relations)
        lines += [f"    {line}" for line in more]
        lines += [f"    if not ({holds}):", f"        return {None if outside else False}"]
    module: dict[str, Any] = {}
    exec(compile("\n".join([*lines, "    return True"]), "decider", "exec"), module)
    return own, module["says"]


def _ran(statement: Any, place: Mapping[str, Any]) -> bool | None:
    """The whole script, with the law's facts."""
    try:
        return run(script_of(statement, place))
    except (DecimalException, ArithmeticError, AttributeError, TypeError):  # no law on the way
        return None


def says(statement: Any, place: Mapping[str, Any]) -> bool | None:
    """What the script comes to at one place."""
    return decider(statement)(place)
