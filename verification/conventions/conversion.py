"""What ``sgtheory convert`` answers: formulas, values where some are given, and the cards of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.declare import MatrixName
from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.notation.printing import plain
from sgtheory.reader.formulas import formula
from verification.conventions.cards import card_of
from verification.conventions.record import ASSUMPTIONS
from verification.conventions.translate import Side, Translation, side, translation, value_text

SIZES = ("N", "S", "D")


@dataclass(repr=False, frozen=True)
class Conversion(Shown):
    """A translation, and the values that came of those that were given."""

    source: str
    target: str
    translation: Translation
    back: Translation | None
    given: Mapping[str, Any]
    values: Mapping[str, Any]  # of the other side
    valued: str = ""  # whose letters the values are in

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The conventions of both."""
        return [card_of(self.translation.source), card_of(self.translation.target)]

    @property
    def lines(self) -> list[str]:
        """Formulas, values, and what has to hold, a line each."""
        told = self.translation
        letters = told.target.sampler, told.source.sampler
        lines = [f"{n} = {value_text(letters[0], n, e)}" for n, e in told.formulas]
        needed = (*told.holds, *told.fixed)
        lines += [f"only where {n} = {value_text(letters[1], n, e)}" for n, e in needed]
        lines += [f"only where {ASSUMPTIONS[a]}" for a in told.assumes]
        if told.every != (1, 1):
            a, b = told.every
            lines.append(
                f"{_steps(a)} of {self.source} {'is' if a == 1 else 'are'} {_steps(b)} of {self.target}"
            )
        for state, there, here in told.starts:
            lines.append(f"the first {state} differs: {plain(there)} in the library, {plain(here)} here")
        if self.values:
            lines.append("with " + ", ".join(f"{n} = {plain(e)}" for n, e in self.given.items()) + ":")
            lines += [f"  {n} = {_shown(e)}" for n, e in self.values.items()]
        lines.append("proved: the two declared updates are one, for all values of the letters")
        return lines

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.convert/1."""
        told, own = self.translation, self.translation.source.sampler
        return {
            "schema": "sgtheory.convert/1",
            "from": self.source,
            "to": self.target,
            "formulas": {n: value_text(told.target.sampler, n, e) for n, e in told.formulas},
            "back": {} if self.back is None else {n: plain(e) for n, e in self.back.formulas},
            "holds": {n: value_text(own, n, e) for n, e in (*told.holds, *told.fixed)},
            "assumes": [ASSUMPTIONS[a] for a in told.assumes],
            "steps": {"from": told.every[0], "to": told.every[1]},
            "starts": [
                {"state": str(s), "library": plain(a), "here": plain(b)} for s, a, b in told.starts
            ],
            "given": {n: plain(e) for n, e in self.given.items()},
            "values": {n: _exactly(e) for n, e in self.values.items()},
            "values_of": self.valued,
            "proof": "symbolic",
            "cards": self.cards,
        }


def _steps(count: int) -> str:
    return "one step" if count == 1 else f"{count} steps"


def _exactly(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"exact": plain(value)}
    if not value.free_symbols:
        found["float"] = float(value.evalf(30))
    return found


def _shown(value: Any) -> str:
    if value.free_symbols or value.is_Integer:
        return plain(value)
    return (
        f"{plain(value)} = {float(value.evalf(30)):.12g}"
        if str(value) != repr(float(value))
        else plain(value)
    )


def converted(
    source: str, target: str, given: Sequence[str] = (), assume: Sequence[str] = ()
) -> Conversion:
    """A translation, with the values that NAME=VALUE in the letters of either side come to.

    >>> converted("blackjax.sgld", "mandt2017.sgld", ["eps=1/50"]).values["step_size"]
    1/100
    """
    a, b = side(source), side(target)
    there = translation(source, target, tuple(assume))
    values = dict(_read(text) for text in given)
    names = set(values) - set(SIZES)
    if names <= _letters(a):
        back, used, of = _way_back(b, a, assume), there, target
    elif names <= _letters(b):
        back = translation(target, source, tuple(assume))
        used, of = back, source
    else:
        known = "; ".join(f"{s.name}: {', '.join(sorted(_letters(s)))}" for s in (a, b))
        wrong = ", ".join(sorted(names - (_letters(a) | _letters(b)))) or "letters of both"
        raise UnusableInput(f"parameters of one of the two ({known})", wrong, "give those of one")
    found = _worth(used, values) if values else {}
    return Conversion(source, target, there, back, values, found, of if values else "")


def _way_back(b: Side, a: Side, assume: Sequence[str]) -> Translation | None:
    try:
        return translation(b.name, a.name, tuple(assume))
    except UnusableInput:
        return None


def _read(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UnusableInput("NAME=VALUE", repr(text), "write eps=1/100")
    return name.strip(), formula(value.strip(), {}, f"{name.strip()} as a number", "write eps=1/100")


def _letters(one: Side) -> set[str]:
    return {p.name for p in one.sampler.parameters} | {x for x, _ in one.sampler.aliases}


def _worth(used: Translation, values: dict[str, Any]) -> dict[str, Any]:
    """The other side's parameters; what has to hold is held against what is given."""
    own = used.source.sampler
    values = _without_aliases(own, values)
    defaults = {p.name: own.default(p) for p in own.parameters}
    known = {
        n: sp.sympify(v)
        for n, v in defaults.items()
        if isinstance(v, int | str | sp.Basic) and v != "identity"
    }
    put = {**{n: sp.Rational(str(v)) for n, v in known.items() if n not in values}, **values}
    for name, needed in (*used.holds, *used.fixed):
        has = put.get(name)
        matrix = any(p.name == name and isinstance(p, MatrixName) for p in own.parameters)
        if has is not None and not matrix and sp.simplify(has - _put(needed, put)) != 0:
            raise UnusableInput(
                f"{name} = {plain(needed)} in {used.source.name}, for which alone {used.target.name}"
                " makes the same step",
                f"{name} = {plain(has)}",
                _other(used),
            )
    return {n: sp.simplify(_put(e, put)) for n, e in used.formulas}


def _other(used: Translation) -> str:
    entry = used.source.entry or used.target.entry
    ways = ", ".join(m.like for m in entry.matches) if entry else ""
    return f"it is compared with: {ways}"


def _put(expr: Any, values: Mapping[str, Any]) -> Any:
    return sp.sympify(expr).subs({s: values[s.name] for s in expr.free_symbols if s.name in values})


def _without_aliases(sampler: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Other papers' letters, such as gamma for eps/2, as the sampler's own."""
    found = dict(values)
    for letter, meaning in sampler.aliases:
        if letter in found:
            own = {p.name: p for p in sampler.parameters}
            expr = formula(meaning, own)
            (symbol,) = expr.free_symbols & set(own.values())
            value = found.pop(letter)
            solved = sp.solve(expr - value, symbol)
            if len(solved) != 1:
                raise UnusableInput(
                    f"{letter} = {meaning} with {symbol} as declared", str(value), "change it"
                )
            found[symbol.name] = solved[0]
    return found
