"""A claim in letters in which exact routes can follow it: exp(-gamma h) is c, and beta is 1 - s^2.

A sampler of the user's may take exponentials and roots of its parameters, and so may what is printed of
it. Roots become letters and parameters polynomials in them, so that every place has rational roots;
exponentials become letters that follow from the parameters. The claim itself stays as it is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import sympy as sp

from sgtheory.declare import MatrixName, Parameter, Size, nonnegative, positive, real
from sgtheory.declaring.letters import with_letters
from sgtheory.errors import UnusableInput
from sgtheory.notation.derivation import Equation
from sgtheory.notation.matrixwords import Trace
from sgtheory.notation.sentence import listed, say
from verification.refuter.follow import Freed, RootLetter
from verification.refuter.parameters import Is, stated
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Term
from verification.verdicts.verdict import lines_of

_KEPT = ("of", "key", "paper", "source", "at", "title", "says", "time", "stands", "kinds")
_ELEMENTARY = (  # logarithms stay: a fraction next to one is no logarithm beside those of determinants
    sp.exp, sp.tanh, sp.sinh, sp.cosh, sp.coth, sp.sin, sp.cos, sp.tan
)  # fmt: skip


@dataclass(frozen=True)
class Lettered:
    """A claim in letters, and what they stand for."""

    claim: Any
    meanings: tuple[tuple[Any, Any], ...] = ()

    @property
    def words(self) -> str:
        """What letters stand for, as the end of a sentence; empty where there are none."""
        return listed(Equation(letter, meaning) for letter, meaning in self.meanings)

    def told(self, finding: Any) -> Any:
        """A finding with what letters stand for: in its correction in their places, else in words."""
        if not self.meanings or finding is None:
            return finding
        told = finding
        if finding.corrected is not None and finding.corrected.printed:
            true = tuple(_in_all(p, self.written_out) for p in finding.corrected.printed)
            lines = tuple(line for p in true for line in lines_of(p))
            told = replace(told, corrected=replace(finding.corrected, lines=lines, said=""))
        return replace(told, reason=say("{} In letters: {}.", finding.reason, self.words))

    def written_out(self, formula: Any) -> Any:
        """A formula with what its letters stand for in their places."""
        formula = sp.sympify(formula)
        for letter, meaning in reversed(self.meanings):
            spelt = {s: meaning for s in _letters(formula) if s.name == letter.name}
            formula = formula.subs(spelt) if spelt else formula
        return formula


def in_letters(claim: Any) -> Lettered:
    """A claim on a sampler with letters for exponentials and roots; as it is where it has none."""
    if not any(f.name == "printed" for f in fields(claim)):
        return Lettered(claim)
    claim = _with_what_is_given(claim)
    if not claim.of:
        return Lettered(claim)
    sampler = claim.setting.sampler
    # what our own papers print of our own samplers, their types take as it is
    odd = [] if isinstance(claim.of, str) else [e for e in _formulas(claim) if _has_odd(e)]
    if not sampler.where and not odd:
        return Lettered(claim)
    for letter, meaning in sampler.where:
        if not isinstance(letter, Freed) and _is_rational(meaning):
            sampler, claim = _without(sampler, claim, letter)
    sampler, put = _with_claims_letters(sampler, _named(sampler), odd)
    claim = _changed(claim, lambda e: put(_named(sampler)(e)))
    meanings = tuple(sampler.where)
    for letter, meaning in meanings:
        solved = _solved(letter, meaning, sampler)
        if solved is not None:
            sampler, claim = _freed(sampler, claim, letter, *solved)
    return Lettered(replace(claim, of=sampler), meanings)


def _with_what_is_given(claim: Any) -> Any:
    """What is given as an equation is put into the statement, and into the step."""
    for hypothesis in claim.given:
        (found,) = stated((hypothesis,)) if isinstance(hypothesis, sp.Eq) else (None,)
        if not isinstance(found, Is):
            continue
        if claim.of and isinstance(found.letter, Size):  # of the model: places alone are made with it
            sampler = claim.setting.sampler
            size = (Freed(found.letter.name, positive=True), found.value)
            claim = replace(claim, of=replace(sampler, where=(*sampler.where, size)))
            continue
        rest = tuple(h for h in claim.given if h is not hypothesis)
        claim = replace(claim, given=rest)
        own = claim.setting.sampler.parameters if claim.of else ()
        same = next((p for p in own if p.name == found.letter.name), None)
        if same is None:
            claim = _changed(claim, found.written)
            continue
        value = _declared(_named(claim.setting.sampler)(found.value))
        sampler, claim = _freed(claim.setting.sampler, claim, None, same, value)
        claim = replace(claim, of=sampler)
    return claim


def _declared(value: Any) -> Any:
    """A formula in letters of a sampler: one that the sampler has not becomes its parameter."""
    free = (s for s in value.free_symbols if type(s) is sp.Symbol and s.is_commutative)
    return value.xreplace({s: _parameter(s) for s in free})


def _parameter(s: Any) -> Any:
    made = positive if s.is_positive else nonnegative if s.is_nonnegative else real
    return made(s.name)


# -- the formulas of a claim ---------------------------------------------------------------------------


def _formulas(claim: Any) -> Iterator[Any]:
    """Every formula that a claim holds, in whatever record or row."""
    found: list[Any] = []

    def seen(e: Any) -> Any:
        found.append(e)
        return e

    _changed(claim, seen)
    yield from found


def _changed(claim: Any, change: Callable[[Any], Any]) -> Any:
    """A claim with its formulas changed."""
    changed = {
        f.name: _in_all(getattr(claim, f.name), change)
        for f in fields(claim)
        if f.name not in _KEPT and not (f.name == "printed" and hasattr(claim, "statement"))
    }
    changed = {n: v for n, v in changed.items() if v is not getattr(claim, n)}
    if "given" in changed:  # what has come to be true by itself is no hypothesis
        changed["given"] = tuple(h for h in changed["given"] if h is not True and h != sp.true)
    return replace(claim, **changed) if changed else claim


def _in_all(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, sp.Basic):
        return change(value)
    if isinstance(value, Term):
        return _in_term(value, change)
    if isinstance(value, tuple):
        parts = tuple(_in_all(v, change) for v in value)
        return parts if any(a is not b for a, b in zip(parts, value, strict=True)) else value
    if is_dataclass(value) and not isinstance(value, type):
        made = {f.name: _in_all(getattr(value, f.name), change) for f in fields(value) if f.init}
        made = {n: v for n, v in made.items() if v is not getattr(value, n)}
        return _with(value, made) if made else value
    return value


def _with(value: Any, made: dict[str, Any]) -> Any:
    """A record with some fields changed; of one that is made of its parts in order, field by field."""
    if value.__dataclass_params__.init:
        return replace(value, **made)
    new = object.__new__(type(value))
    for one in fields(value):
        object.__setattr__(new, one.name, made.get(one.name, getattr(value, one.name)))
    return new


def _in_term(term: Term, change: Callable[[Any], Any]) -> Term:
    """A term with a change made to what it says; as it is written where nothing changes."""
    try:
        expr = in_symbols(term, named=True)
        if not isinstance(expr, sp.Basic):  # what a law is called
            return term
        changed = change(expr)
        if changed == expr or _spelt(changed) == _spelt(expr):
            return term
        kinds = {a.name: a for a in term.letters}
        made = from_sympy(changed)
        return made.put({a: kinds[a.name] for a in made.letters if a.name in kinds})
    except (NotImplementedError, TypeError, UnusableInput):  # no formula, or one in other words
        if not isinstance(term, Applied):
            return term
        kept = {0, 1, *range(2, len(term.of), 2)} if term.head == "elsewhere" else set()
        parts = (p if k in kept else _in_term(p, change) for k, p in enumerate(term.of))
        return term.with_parts(tuple(parts))


def _spelt(e: Any) -> Any:
    """A formula in letters by their names alone: a parameter and a symbol of its name are one."""
    return e.xreplace({s: sp.Symbol(s.name, positive=True) for s in _letters(e)})


def _named(sampler: Any) -> Callable[[Any], Any]:
    """Letters of formulas that have the name of a parameter are that parameter."""
    own = {p.name: p for p in sampler.parameters if not isinstance(p, MatrixName)}
    own |= {letter.name: letter for letter, _ in sampler.where}

    def change(e: Any) -> Any:
        spelt = {s: own[s.name] for s in _letters(e) if s.name in own and s != own[s.name]}
        return e.xreplace(spelt) if spelt else e

    return change


def _letters(e: Any) -> set[Any]:
    return {s for s in e.free_symbols if s.is_Symbol and s.is_commutative}


def _has_odd(e: Any) -> bool:
    return any(True for _ in _odd(e))


def _odd(e: Any) -> Iterator[Any]:
    """Exponentials and the like of numbers, and roots of more than a letter."""
    for f in e.atoms(*_ELEMENTARY):
        if f.is_commutative and _is_scalar(f):
            yield f
    for p in e.atoms(sp.Pow):
        half = p.exp.is_Rational and p.exp.q == 2
        if half and not p.base.is_Symbol and p.base.free_symbols and _is_scalar(p):
            yield p


def _is_scalar(e: Any) -> bool:
    return bool(e.free_symbols) and all(
        s.is_Symbol and s.is_commutative for s in e.free_symbols
    ) and not e.atoms(Trace)  # fmt: skip


# -- letters -------------------------------------------------------------------------------------------


def _with_claims_letters(
    sampler: Any, named: Callable[[Any], Any], odd: list[Any]
) -> tuple[Any, Callable[[Any], Any]]:
    """The sampler with letters for what its claim takes of its parameters, and how to put them in."""
    known = tuple(sampler.where)
    rest = [_put(named(e), known) for e in odd]
    rest = [f for e in rest for f in _odd(e)]
    taken = {s.name for e in (*rest, *(m for _, m in known)) for s in _letters(e)}
    taken |= {s.name for _, e in sampler.updates for s in e.free_symbols if hasattr(s, "name")}
    taken |= {letter.name for letter, _ in known}
    rows = tuple((sp.Dummy(), e) for e in dict.fromkeys(rest))
    found = with_letters(rows, known, taken)[1] if rows else known
    roots = {p for e in rest for p in e.atoms(sp.Pow) if not p.exp.is_Integer}
    more = list(found[len(known) :])
    free = (n for n in ("s", *(f"s_{k}" for k in range(1, 99))) if n not in taken)
    have = {m for _, m in more}
    for base in sorted({p.base for p in roots if p.base.free_symbols and not p.base.is_Symbol}, key=str):
        meaning = sp.sqrt(_put(base, (*known, *more)))
        if meaning not in have:
            more.append((Parameter(next(free), positive=True), meaning))
    where = (*known, *more)
    if more:
        sampler = replace(sampler, where=where)
    return sampler, lambda e: _put(e, where)


def _put(e: Any, where: tuple[tuple[Any, Any], ...]) -> Any:
    """A formula with letters for what they stand for, and for powers of it."""
    for letter, meaning in where:
        meaning = sp.sympify(meaning)
        if isinstance(meaning, sp.exp):
            e = e.replace(
                lambda f: isinstance(f, sp.exp), lambda f, m=meaning, c=letter: _power(f, m, c)
            )
        elif meaning.is_Pow:
            apart = sp.sqrt(meaning.base) if meaning.exp == sp.Rational(1, 2) else meaning
            e = e.subs(apart, letter) if apart.is_Mul else e  # sqrt(2 h T), which SymPy takes apart
            base, exponent = meaning.as_base_exp()
            e = e.replace(
                lambda f, b=base: f.is_Pow and not f.exp.is_Integer and sp.expand(f.base - b) == 0,
                lambda f, x=exponent, c=letter: c ** (f.exp / x),
            )
        elif meaning.is_Function:
            e = e.subs(meaning, letter)
    return e


def _power(f: Any, meaning: Any, letter: Any) -> Any:
    """exp(u) as a power of exp(b), where one is a whole or half multiple of the other."""
    ratio = sp.cancel(sp.expand(f.args[0]) / meaning.args[0])
    return letter**ratio if ratio.is_Rational and ratio.q <= 2 else f


# -- roots: the parameter under one is made of it ------------------------------------------------------


def _solved(letter: Any, meaning: Any, sampler: Any) -> tuple[Any, Any] | None:
    """A parameter under a root, and what it is in the letter for the root."""
    meaning = sp.sympify(meaning)
    if not (meaning.is_Pow and meaning.exp in (sp.Rational(1, 2), -sp.Rational(1, 2))):
        return None
    square = letter ** (1 / meaning.exp)
    step = sampler.step
    plain_ones = [p for p in meaning.free_symbols if isinstance(p, Parameter) and not p.is_integer]
    for p in sorted(plain_ones, key=lambda p: (p == step, p.name)):
        slope = sp.diff(meaning.base, p)
        if slope != 0 and not slope.has(p):
            return p, sp.cancel((square - meaning.base.subs(p, 0)) / slope)
    return None


def _is_rational(meaning: Any) -> bool:
    powers = (p.exp for p in sp.sympify(meaning).atoms(sp.Pow))
    return not meaning.atoms(sp.Function) and all(x.is_Integer for x in powers)


def _without(sampler: Any, claim: Any, letter: Any) -> tuple[Any, Any]:
    """With what an abbreviation stands for in its place."""
    put = {letter: dict(sampler.where)[letter]}
    named = _named(sampler)
    return replace(sampler, **_rewritten(sampler, letter, put)), _changed(
        claim, lambda e: named(e).subs(put)
    )


def _rewritten(sampler: Any, letter: Any, known: dict[Any, Any]) -> dict[str, Any]:
    """What a sampler is made of, with formulas in the place of letters; one then stands for nothing.

    They are put into a declaration together with all else that changes: it names what it finds.
    """

    def pairs(of: tuple[tuple[Any, Any], ...]) -> tuple[tuple[Any, Any], ...]:
        return tuple((s, sp.sympify(e).subs(known)) for s, e in of)

    return {
        "updates": pairs(sampler.updates),
        "start": pairs(sampler.start),
        "kinetic": pairs(sampler.kinetic),
        "target": tuple(sp.sympify(e).subs(known) for e in sampler.target),
        "given": tuple(
            g for h in sampler.given if (g := sp.sympify(h).subs(known)) not in (sp.true, True)
        ),
        "where": pairs(tuple(one for one in sampler.where if one[0] != letter)),
    }


def _freed(sampler: Any, claim: Any, letter: Any, parameter: Any, value: Any) -> tuple[Any, Any]:
    """A sampler and a claim with a formula in the place of a parameter, which is then made of it."""
    root = None if letter is None else RootLetter(letter.name, positive=True)
    value = value if letter is None else value.xreplace({letter: root})
    put = {parameter: value} if letter is None else {parameter: value, letter: root}
    named = _named(sampler)  # a term knows its letters by their names alone

    def written(e: Any) -> Any:
        return sp.sympify(e).subs(put)

    more = _above_zero(value, root) if parameter.is_positive and not value.is_positive else ()
    made = _rewritten(sampler, letter, put)
    made["where"] += ((Freed(parameter.name, positive=True), value),)
    made["given"] += more
    sampler = replace(
        sampler,
        **made,
        defaults=tuple((p, v) for p, v in sampler.defaults if p != parameter),
        needs=tuple(n for n in sampler.needs if n != parameter),
        rules=(),
    )
    return sampler, _changed(claim, lambda e: written(named(e)))


def _above_zero(value: Any, letter: Any) -> tuple[Any, ...]:
    """That a parameter is positive, as a relation on the letter that it is made of."""
    if letter is None:
        return (sp.StrictGreaterThan(value, 0),)
    top = sp.expand(value)
    number, rest = top.as_independent(letter)
    if rest.is_Mul or rest.is_Pow:
        front, power = rest.as_independent(letter)
        if front.is_number and front < 0 and number.is_number and power == letter**2:
            return (letter < sp.sqrt(-number / front),)
    return (sp.StrictGreaterThan(value, 0),)
