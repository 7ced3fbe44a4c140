"""Parameters of one sampler in the letters of another, wherever their steps are proved to be one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import MatrixName, Sampler
from sgtheory.errors import UnusableInput
from sgtheory.finding import suggest
from sgtheory.finding.elsewhere import Address
from sgtheory.notation.printing import plain
from verification.conventions import entry, library_of, names
from verification.conventions.record import ASSUMPTIONS, Entry, Match
from verification.conventions.sameness import Sameness, compared

_SHOWN = 400  # characters of a difference that are told


@dataclass(frozen=True)
class Side:
    """A sampler of a library, or one of ours, by a paper's name or its own."""

    name: str
    sampler: Sampler
    entry: Entry | None = None

    @property
    def ours(self) -> str:
        """The name here; empty for a library's."""
        return "" if self.entry else self.sampler.name


@dataclass(frozen=True)
class Translation:
    """Each parameter of the target in the source's letters; what has to hold for it."""

    source: Side
    target: Side
    formulas: tuple[tuple[str, Any], ...]
    holds: tuple[tuple[str, Any], ...] = ()  # parameters of the source that must have a value
    fixed: tuple[tuple[str, Any], ...] = ()  # parameters of ours that the other has not
    assumes: tuple[str, ...] = ()
    every: tuple[int, int] = (1, 1)  # so many steps of the source are so many of the target
    starts: tuple[tuple[Any, Any, Any], ...] = ()  # (our state, first value there, first value here)


def side(name: str) -> Side:
    """What a name stands for: ``blackjax.sgld``, ``mandt2017.sgld``, ``sgld``.

    >>> side("mandt2017.sgld").sampler
    <Sampler sgld: theta>
    """
    if registry.is_elsewhere(name) and (Address.read(name).is_file or library_of(name) is None):
        return Side(name, registry.sampler(name))
    if library_of(name) is not None and "." in name:
        found = entry(name)
        return Side(name, found.sampler, found)
    paper, dot, short = name.partition(".")
    own = short if dot else name
    if own.partition(":")[0] not in registry.names("samplers"):
        raise _unknown("a sampler of a library, or one of ours", name, "see sgtheory list conventions")
    sampler = registry.sampler(own)
    cited = {_paper(c) for c in sampler.cites}
    if dot and paper not in cited:
        expected = f"a library, or a paper that {short} is from ({', '.join(sorted(cited))})"
        raise _unknown(expected, name, f"write {short}")
    return Side(name, sampler)


def _unknown(expected: str, name: str, otherwise: str) -> UnusableInput:
    """A name that is none; the nearest may be that of a library's sampler, ours, or ours by a paper."""
    by_paper = (f"{_paper(c)}.{key}" for key, s in registry.samplers().items() for c in s.cites)
    known = [*names(), *registry.names("samplers"), *by_paper]
    return UnusableInput(expected, repr(name), suggest.remedy(name, known, otherwise))


def _paper(reference: str) -> str:
    return reference.split()[0].rstrip(",;:")


@cache
def same(name: str, match: Match) -> Sameness:
    """Whether a match of an entry is exact, computed once."""
    return compared(entry(name).sampler, match)


def translation(source: str, target: str, assume: tuple[str, ...] = ()) -> Translation:
    """The target's parameters in the source's letters; an error says what differs where none exist.

    >>> translation("blackjax.sgld", "mandt2017.sgld").formulas
    (('H', 1), ('eps', 2*step_size))
    """
    a, b = side(source), side(target)
    if a.entry and b.entry:
        return _between(a, b, assume)
    if a.entry:
        return _to_ours(a, b, _exact(a, b.ours, assume))
    if b.entry:
        return _from_ours(a, b, _exact(b, a.ours, assume))
    if a.ours == b.ours:
        return Translation(a, b, tuple((p.name, p) for p in a.sampler.parameters))
    raise UnusableInput(
        "two names of one sampler, or a sampler of a library",
        f"{source} and {target}",
        "see list conventions",
    )


def _exact(foreign: Side, ours: str, assume: tuple[str, ...]) -> Match:
    """The match that is proved; else an error with what is left of the difference."""
    assert foreign.entry is not None
    tried = [m for m in foreign.entry.matches if registry.sampler(m.like).name == ours]
    for match in tried:
        if same(foreign.name, match).exact and set(match.assumes) <= set(assume):
            return match
    raise _refused(foreign, ours, tried)


def _refused(foreign: Side, ours: str, tried: list[Match]) -> UnusableInput:
    assert foreign.entry is not None
    others = [m.like for m in foreign.entry.matches if same(foreign.name, m).exact]
    remedy = f"it has one in {', '.join(others)}" if set(others) - {ours} else "compare the two updates"
    expected = f"an exact counterpart of {foreign.name} in {ours}"
    for match in tried:
        found = same(foreign.name, match)
        if found.exact:
            needed = " and ".join(ASSUMPTIONS[a] for a in match.assumes)
            flags = " ".join(f"--assume {a}" for a in match.assumes)
            return UnusableInput(expected, f"one only where {needed}", f"add {flags} if so")
        return UnusableInput(expected, told(found), remedy)
    return UnusableInput(expected, "another algorithm", remedy)


def told(found: Sameness) -> str:
    """What is left of a difference, in words."""
    parts = []
    for s, gap in found.step:
        text = plain(gap)
        parts.append(
            f"{s} after one call differs by {text if len(text) < _SHOWN else text[:_SHOWN] + ' ...'}"
        )
    return "; ".join(parts)


def value_text(sampler: Sampler, name: str, value: Any) -> str:
    """A parameter's value; of a matrix, a multiple of the identity.

    >>> value_text(registry.sampler("sgld"), "H", sp.Integer(1))
    'identity'
    """
    if not any(p.name == name and isinstance(p, MatrixName) for p in sampler.parameters):
        return plain(value)
    return "identity" if value == 1 else f"({plain(value)}) identity"


def _to_ours(a: Side, b: Side, match: Match) -> Translation:
    held = dict(match.holds)
    formulas = {n: sp.sympify(e).subs(held) for n, e in match.ours}
    found = same(a.name, match)
    return Translation(
        a,
        b,
        tuple(sorted(formulas.items())),
        tuple((p.name, sp.sympify(v)) for p, v in match.holds),
        assumes=match.assumes,
        every=(1, match.every),
        starts=found.start,
    )


def _from_ours(a: Side, b: Side, match: Match) -> Translation:
    """The way back: solved, and put in again."""
    given = {n: _letter(a.sampler, n) for n, e in match.ours if sp.sympify(e).free_symbols}
    solved, constants = inverse(b.sampler, match, given)
    fixed = tuple((n, sp.sympify(e)) for n, e in match.ours if not sp.sympify(e).free_symbols)
    own = tuple(sorted({**solved, **{p.name: sp.sympify(v) for p, v in match.holds}}.items()))
    found = same(b.name, match)
    return Translation(a, b, own, tuple(constants), fixed, match.assumes, (match.every, 1), found.start)


def _letter(sampler: Sampler, name: str) -> Any:
    """Our parameter as a letter; a multiple of the identity by the matrix's name."""
    found = next((p for p in sampler.parameters if p.name == name), sp.Symbol(name, positive=True))
    return sp.Symbol(name, positive=True) if isinstance(found, MatrixName) else found


def inverse(
    theirs: Sampler, match: Match, values: Mapping[str, Any]
) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """The library's parameters that give ours these values, and what the values have to satisfy.

    Where the library has one parameter too many, ``match.back`` says which value it is given.
    """
    chosen = {**dict(match.holds), **dict(match.back)}
    wanted = [p for p in theirs.parameters if p not in chosen]
    hidden = {p: _hidden(p) for p in wanted}
    equations: list[Any] = []
    conditions: list[Any] = []
    for name, expr in match.ours:
        if name in values:
            gap = sp.sympify(expr).subs(chosen).subs(hidden) - values[name]
            (equations if gap.free_symbols & set(hidden.values()) else conditions).append(gap)
    found = sp.solve(equations, list(hidden.values()), dict=True) if hidden else [{}]
    found = [s for s in found if set(s) == set(hidden.values())]
    if len(found) != 1:
        raise UnusableInput(
            f"one value of {', '.join(map(str, wanted))}", f"{len(found)} solutions", "give other values"
        )
    solved = {p.name: sp.simplify(found[0][h]) for p, h in hidden.items()}
    back = {h: found[0][h] for h in hidden.values()}
    if any(sp.simplify(e.subs(back)) != 0 for e in equations):
        raise UnusableInput("a way back that leads back", "another point", "report this")
    solved |= {p.name: sp.sympify(v) for p, v in match.back}
    return solved, [c for gap in conditions if (c := _condition(gap)) is not None]


def _hidden(parameter: Any) -> Any:
    sign = {"positive": True} if parameter.is_positive else {"nonnegative": True}
    return sp.Symbol(f"their_{parameter.name}", **sign)


def _condition(gap: Any) -> tuple[str, Any] | None:
    """A letter and the value that makes a difference vanish."""
    if sp.simplify(gap) == 0:
        return None
    for letter in sp.ordered(gap.free_symbols):
        found = sp.solve(gap, letter)
        if len(found) == 1:
            return letter.name, found[0]
    raise UnusableInput("parameters that agree", f"{plain(gap)} = 0, which cannot be", "see both cards")


def _between(a: Side, b: Side, assume: tuple[str, ...]) -> Translation:
    """Two libraries, by a sampler of ours that both are proved to be."""
    refusals = []
    for first, second in _common(a, b):
        try:
            return _chained(a, b, first, second, assume)
        except UnusableInput as refusal:
            refusals.append(refusal)
    if refusals:
        raise refusals[0]
    assert a.entry is not None
    assert b.entry is not None
    ways = [", ".join(m.like for m in e.matches) or "none" for e in (a.entry, b.entry)]
    raise UnusableInput(
        f"a sampler that both {a.name} and {b.name} are compared with",
        f"{ways[0]}, and {ways[1]}",
        "translate each to a sampler here",
    )


def _common(a: Side, b: Side) -> Iterator[tuple[Match, Match]]:
    assert a.entry is not None
    assert b.entry is not None
    for first in a.entry.matches:
        for second in b.entry.matches:
            if first.like == second.like:
                yield first, second


def _chained(a: Side, b: Side, first: Match, second: Match, assume: tuple[str, ...]) -> Translation:
    for foreign, match in ((a, first), (b, second)):
        if not same(foreign.name, match).exact or not set(match.assumes) <= set(assume):
            raise _refused(foreign, match.like, [match])
    held = dict(first.holds)
    values = {n: sp.sympify(e).subs(held) for n, e in first.ours}
    solved, conditions = inverse(b.sampler, second, values)
    own = {**solved, **{p.name: sp.sympify(v) for p, v in second.holds}}
    needed = [(p.name, sp.sympify(v)) for p, v in first.holds] + conditions
    return Translation(
        a,
        b,
        tuple(sorted(own.items())),
        tuple(needed),
        assumes=tuple(sorted({*first.assumes, *second.assumes})),
        every=(second.every, first.every),
    )
