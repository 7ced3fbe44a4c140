"""What is true instead of a statement about sums over steps, and what it needs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from verification.sequences.normal import HERE, Forms
from verification.sequences.values import Reading, drawn
from verification.sequences.words import DOWN, E, T, letters_in, t

_MORE, _MOST_TERMS = 3, 12  # samples than unknown factors
_CONSTANTS = (2, 3, 4, 8)


def factors(left: Any, right: Any, kinds: Mapping[Any, str], reading: Reading, stood: Any) -> Any | None:
    """The terms of the right side with other factors, so that both sides agree at a few samples.

    Terms of sums count one by one, also with the running step for the one before.
    """
    whole, single = list(sp.Add.make_args(sp.sympify(right))), _split(sp.sympify(right))
    for terms in (whole, single) if whole != single else (single,):
        found = _solved(terms, left, kinds, reading, stood)
        if found is not None:
            return found
    return None


def _solved(terms: list[Any], left: Any, kinds: Any, reading: Reading, stood: Any) -> Any | None:
    if len(terms) > _MOST_TERMS or reading.decimal:
        return None
    meant = list(map(stood, terms))
    source, rows, values = random.Random(2), [], []
    for _ in range(40 * (len(terms) + _MORE)):
        sample = drawn(kinds, source)
        try:
            row = [reading.value(x, sample) for x in meant]
            value = reading.value(left, sample)
        except (ZeroDivisionError, TypeError):
            continue
        rows.append([sp.Rational(x.numerator, x.denominator) for x in row])
        values.append(sp.Rational(value.numerator, value.denominator))
        if len(rows) == 2 * len(terms) + _MORE:
            break
    if not rows:
        return None
    unknown = sp.symbols(f"c0:{len(terms)}")
    solved = sp.linsolve((sp.Matrix(rows), sp.Matrix(values)), *unknown)
    if solved == sp.S.EmptySet:
        return None
    (found,) = solved
    free = dict.fromkeys(unknown, 0)
    return sp.Add(*(c.subs(free) * x for c, x in zip(found, terms, strict=True)))


def _split(right: Any) -> list[Any]:
    """The terms, those of sums one by one, then with a running step for the one before."""
    found, moved = [], []
    for term in sp.Add.make_args(sp.expand(right)):
        sums = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.Sum)]
        if len(sums) != 1:
            found.append(term)
            continue
        for part in sp.Add.make_args(sp.expand(sums[0].function)):
            found.append(term.subs(sums[0], sp.Sum(part, *sums[0].limits)))
            index = sums[0].limits[0][0]
            later = part.replace(
                lambda e, index=index: isinstance(e, sp.Indexed) and e.indices[0] == index - 1,
                lambda e, index=index: e.base[index],
            )
            if later != part:
                moved.append(term.subs(sums[0], sp.Sum(later, *sums[0].limits)))
    return [*found, *moved]


def written(expr: Any, forms: Forms, bases: Mapping[str, Any]) -> Any:
    """A normal form in the words that are printed."""

    def entry(letter: Any) -> Any:
        name, index, shift = forms.entries[letter]
        if name.startswith("E("):
            inner = sp.Mul(*(bases[n][_step(index, shift)] for n in name[2:-1].split("*")))
            return E(inner)
        base = bases[name.strip("|")][_step(index, shift)]
        return sp.Abs(base) if name.startswith("|") else base

    def plain(e: Any) -> Any:
        return e.subs({x: entry(x) for x in e.free_symbols if x in forms.entries}, simultaneous=True)

    sums = {x: sp.Sum(plain(body), (t, 1, T)) for x, body in forms.sums.items()}
    return plain(sp.sympify(expr)).subs(sums, simultaneous=True)


def _step(index: Any, shift: Any) -> Any:
    if index == HERE:
        return t + shift
    return sp.sympify(shift, locals={"T": T}) if index is None else index + shift


def larger(right: Any) -> Iterator[tuple[str, Any]]:
    """Bounds that are not smaller: sizes inside sums, a constant, as many as there are steps."""
    inside = sizes_inside(right)
    if inside != right:
        yield "with absolute values inside the sum", inside
    for c in _CONSTANTS:
        yield f"{c} times as large", c * right
    if any(p.exp.is_negative for p in sp.sympify(right).atoms(sp.Pow)):
        return
    yield "T times as large", T * right
    for c in _CONSTANTS:
        yield f"{c} T times as large", c * T * right


def sizes_inside(expr: Any) -> Any:
    """Sums under a square or an absolute value, with absolute values in them.

    >>> from verification.sequences.words import numbers, over
    >>> sizes_inside(over(numbers("x")[t]) ** 2)
    Sum(Abs(x[t]), (t, 1, T))**2
    """

    def of_sum(e: Any) -> Any:
        return e.func(sp.Abs(e.function), *e.limits)

    def matched(e: Any) -> bool:
        even = e.is_Pow and e.exp.is_Integer and e.exp % 2 == 0
        return bool(even or isinstance(e, sp.Abs)) and e.has(sp.Sum)

    return sp.sympify(expr).replace(
        matched, lambda e: e.replace(lambda x: isinstance(x, sp.Sum), of_sum)
    )


def suppositions(
    expressions: tuple[Any, ...], kinds: Mapping[Any, str], all_: bool
) -> Iterator[tuple[str, dict[Any, Any], dict[Any, str]]]:
    """Words, what is put for which letters, and the kinds of letters that are new.

    That letters are equal or positive is supposed only where nothing mends the statement (``all_``).
    """
    letters = [x for x in letters_in(expressions) if x in kinds]
    single = [x for x in letters if not isinstance(x, sp.IndexedBase)]
    plain = [x for x in single if kinds[x] == "real"]
    for x in single:
        if kinds[x] == "nonnegative":
            yield f"{x} = 0", {x: sp.Integer(0)}, {}
    for x in single:
        if kinds[x] == "random":
            for y in plain:
                off = sp.Symbol(f"{x}_off", real=True)
                yield f"E({x}) = {y}", {x: y + off}, {off: "differences"}
    for place, x in enumerate(plain):
        for y in plain[place + 1 :] if all_ else ():
            yield f"{x} = {y}", {x: y}, {}
    for x in single:
        if kinds[x] == "positive":
            more = sp.Symbol(f"{x}_more", positive=True)
            yield f"{x} > 1", {x: 1 + more}, {more: "positive"}
    for x in letters:
        if not isinstance(x, sp.IndexedBase):
            continue
        if kinds[x] in ("positive", *DOWN):
            same = sp.Symbol(f"{x}_0", positive=True)
            yield f"{x}[t] is the same at all t", {x: same}, {same: "positive"}
        if kinds[x] == "real" and all_:
            size = sp.IndexedBase(f"{x}", positive=True)
            yield f"{x}[t] > 0 at all t", {x: size}, {size: "positive"}
        if kinds[x] == "random":
            off = sp.IndexedBase(f"{x}", real=True)
            yield f"E({x}[t]) = 0 given what came before", {x: off}, {off: "differences"}


def stand(expr: Any, where: tuple[tuple[Any, Any], ...]) -> Any:
    """What is printed, with what its letters stand for.

    >>> from verification.sequences.words import numbers, over
    >>> x, y = numbers("x"), numbers("y")
    >>> stand(over(x[t - 1]), ((x, y[t] + 1),))
    Sum(y[t - 1] + 1, (t, 1, T))
    """
    found = sp.sympify(expr)
    for letter, meaning in where:
        if isinstance(letter, sp.IndexedBase):

            def entry(e: Any, meaning: Any = meaning) -> Any:
                return sp.sympify(meaning).subs(t, e.indices[0])

            found = found.replace(
                lambda e, letter=letter: isinstance(e, sp.Indexed) and e.base == letter, entry
            )
        else:
            found = found.subs(letter, meaning)
    return found


def put(expr: Any, changed: Mapping[Any, Any]) -> Any:
    """Letters replaced; a sequence by another, or by one number at all steps."""

    def entry(e: Any) -> Any:
        new = changed.get(e.base)
        if new is None:
            return e
        return new[e.indices] if isinstance(new, sp.IndexedBase) else new

    single = {x: y for x, y in changed.items() if not isinstance(x, sp.IndexedBase)}
    found = sp.sympify(expr).replace(lambda e: isinstance(e, sp.Indexed), entry)
    return found.subs(single, simultaneous=True)


def twins(expr: Any) -> Iterator[tuple[str, Any]]:
    """Terms doubled, turned, dropped; entries one step later; sums one step shorter; other powers."""
    terms = sp.Add.make_args(expr)
    for place, term in enumerate(terms):
        others = sp.Add(*terms[:place], *terms[place + 1 :])
        yield f"{term} doubled", others + 2 * term
        yield f"{term} with its sign flipped", others - term
        if len(terms) > 1:
            yield f"{term} dropped", others
    for e in sorted(expr.atoms(sp.Indexed), key=str):
        yield f"{e} one step later", expr.subs(e, e.base[e.indices[0] + 1])
    for e in sorted(expr.atoms(sp.Sum), key=str):
        if e.limits[0][2] == T:
            short = e.func(e.function, (*e.limits[0][:2], T - 1), *e.limits[1:])
            yield f"{e} one step shorter", expr.subs(e, short)
    for e in sorted(expr.atoms(sp.Pow), key=str):
        if e.exp.is_Integer and e.exp > 1:
            yield f"power one less in {e}", expr.subs(e, e.base ** (e.exp - 1))
