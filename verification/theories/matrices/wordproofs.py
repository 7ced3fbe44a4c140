"""Proofs from the equation of a law in words: by its normal form, and by its having one solution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.matrixwords import A, C, Determinant, Trace
from sgtheory.notation.sentence import formula_of, say
from sgtheory.polynomials import is_zero
from sgtheory.telling.covariance import tidy_matrix
from verification.laws.pair_form import by_word, letters_of
from verification.laws.quantities import FUNCTIONALS
from verification.notation import D
from verification.terms.kinds import Transpose
from verification.terms.term import Term
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices.wordletters import DEFINITE, IDENTITY, REFUSED, Of, Words

if TYPE_CHECKING:
    from verification.theories.matrices.wordlaw import WordLaw

_EVERY = {"dimensions": "every"}


def vanishes(law: WordLaw, left: Term, right: Term) -> Answer:
    """Whether two sides are one."""
    words = law.words
    laws = words.laws((left, right))
    rest = words.meant(law.symbols(law.spelt(left))) - words.meant(law.symbols(law.spelt(right)))
    rest = sp.expand(rest)
    if rest == 0:
        return Proved("Both sides are the same formula.", facts=_EVERY)
    numbers = in_numbers(law, left, right)
    if numbers is not None and words.commuting(_names(rest, laws)) and not rest.has(Determinant):
        if is_zero(numbers[0] - numbers[1]) and (words.single or _are_sums(rest)):
            where = (
                "where these matrices commute" if len(_names(rest, laws)) > 1 else "in every dimension"
            )
            where = "in one dimension" if words.single else where
            return Proved(
                say("Both sides are the same formula at every eigenvalue, {}.", where), facts=_EVERY
            )
        return Silent(Silence.NO_FORMULA)
    told = [*words.equations(), *(r for one in laws for r in one.residuals)]
    if _follows(words, rest, told):
        lemma = (
            "The equation of the law gives it, in every dimension, by the normal form of matrix words."
        )
        return Proved(lemma, _told(rest, told), _EVERY)
    for one in laws:
        beside = [
            *words.equations(),
            *(r for other in laws if other is not one for r in other.residuals),
        ]
        value = _as_value(rest, one)
        if value is not None and _follows(words, one.residuals[0].subs(one.symbols[0], value), beside):
            lemma = (
                "It solves the equation of the law, which has one solution where the chain is stable:"
                " in every dimension, whether or not its matrices commute."
            )
            return Proved(lemma, _told(one.residuals[0], beside), _EVERY)
    return Silent(Silence.NO_FORMULA)


def to_leading_order(law: WordLaw, left: Term, right: Term) -> bool:
    """Whether a formula for Sigma solves the law's equation as far as its first power of the step."""
    words, step = law.words, law.setting.sampler.step
    (own, *_), sides = words.laws((left, right)), (law.symbols(left), law.symbols(right))
    rest = sp.expand(words.meant(sides[0]) - words.meant(sides[1]))
    value = _as_value(rest, own)
    if step is None or len(own.residuals) != 1:
        return False
    if value is None:
        return not rest.is_commutative and _is_the_law_at_first(rest, own.residuals[0], step)
    first = sp.expand(own.residuals[0].subs(own.symbols[0], value) / step).subs(step, 0)
    return not first.has(sp.nan, sp.zoo) and _follows(words, first, words.equations())


def _is_the_law_at_first(rest: Any, residual: Any, step: Any) -> bool:
    """Whether an equation is a multiple of the law's but for terms that vanish with the step."""
    parts, own = by_word(residual), by_word(rest)
    for word in (w for w in parts if w in own and parts[w] != 0):
        left = sp.expand(rest - sp.cancel(own[word] / parts[word]) * residual)
        if left.subs(step, 0) == 0 != rest.subs(step, 0):
            return True
    return False


def _names(rest: Any, laws: list[Of]) -> set[str]:
    """The letters of which the sides and the laws are made."""
    moments = {s for one in laws for s in one.symbols}
    every = (rest, *(r for one in laws for r in one.residuals))
    found = {s for e in every for s in e.free_symbols if not s.is_commutative}
    return {s.name for s in found - moments - {IDENTITY}}


def _are_sums(rest: Any) -> bool:
    """Whether it is one sum over the modes: of matrices, or each term a number times one trace, or D."""
    if not rest.is_commutative:
        return not rest.has(D, *FUNCTIONALS)
    whole = ([f for f in sp.Mul.make_args(t) if f.has(D, *FUNCTIONALS)] for t in sp.Add.make_args(rest))
    return all(len(one) == 1 and (one[0] == D or isinstance(one[0], Trace)) for one in whole)


def _as_value(rest: Any, one: Of) -> Any:
    """X of c Sigma - c X, or of c Sigma^(-1) - c X^(-1), where no other moment is in it."""
    if len(one.symbols) != 1 or rest.is_commutative:
        return None
    sigma = one.symbols[0]
    own = [t for t in sp.Add.make_args(rest) if t.has(sigma)]
    words = own[0].args_cnc()[1] if len(own) == 1 else []
    if letters_of(words) not in ([sigma], [sigma**-1]):
        return None
    scale = sp.Mul(*own[0].args_cnc()[0])
    value = sp.expand(-(rest - own[0]) / scale)
    return value if letters_of(words) == [sigma] else sp.Pow(value, -1)


def _follows(words: Words, rest: Any, told: list[Any]) -> bool:
    """Whether an expression is zero where others are."""
    try:
        first, *others = words.read([sp.expand(rest), *told])
        first = first if isinstance(first, mx.Matrix) or rest.is_commutative else first * mx.I
        names = {s.name for e in (rest, *told) for s in e.free_symbols if not s.is_commutative}
        letters = {n: mx.matrix(n, *words.traits(n, _is_inverted(n, (rest, *told)))) for n in names}
        given: list[Any] = [
            mx.equation(e, 0) if isinstance(e, mx.Matrix) else mx.equation(e * mx.I, 0) for e in others
        ]
        given += [mx.commute(letters[a], letters[b]) for a, b in words.pairs(names)]
        zero = mx.ZERO if isinstance(first, mx.Matrix) else sp.Integer(0)
        return bool(mx.prove_equal(first, zero, given).proved)
    except REFUSED:
        return False


def _is_inverted(name: str, exprs: Any) -> bool:
    x = sp.Symbol(name, commutative=False)
    return any(p.exp.is_negative and p.base == x for e in exprs for p in e.atoms(sp.Pow))


def in_numbers(law: WordLaw, left: Term, right: Term) -> tuple[Any, Any] | None:
    """Both sides where every matrix is a number; None where what is given leaves none of them open."""
    words = law.words
    sides = [words.meant(law.symbols(law.spelt(side))) for side in (left, right)]
    laws, beside = words.laws((left, right)), words.equations()
    every = (*sides, *beside, *(r for one in laws for r in one.residuals))
    symbols = {s for e in every for s in sp.sympify(e).free_symbols if not s.is_commutative}
    moments = {s for one in laws for s in one.symbols}
    values = {s: _number(s.name, words) for s in symbols - moments}
    values[IDENTITY] = sp.Integer(1)
    for one in beside:
        values |= _solved(_at_numbers(one, values), values)
    for one in laws:
        held = {s: sp.Dummy() for s in one.symbols}
        rows = [_at_numbers(r, {**values, **held}) for r in one.residuals]
        found = sp.solve(rows, [*held.values()], dict=True)
        if len(found) != 1 or len(found[0]) != len(held):
            return None
        values |= {s: sp.factor(found[0][x]) for s, x in held.items()}
    plain = [side.replace(Trace, lambda m: m).replace(Determinant, lambda m: m) for side in sides]
    found_sides = [_at_numbers(side, values).subs(D, 1) for side in plain]
    return found_sides[0], found_sides[1]


def _at_numbers(expr: Any, values: Mapping[Any, Any]) -> Any:
    """A sum of words with numbers for its matrices: a transpose is the number itself."""
    return sp.sympify(expr).replace(Transpose, lambda x: x).subs(values, simultaneous=True)


def _number(name: str, words: Words) -> Any:
    positive = name in ("A", "C") or words.kind(name) in DEFINITE
    names = {A.name: "lambda_i", C.name: "C_ii"}
    return sp.Symbol(names.get(name, name), positive=True if positive else None, real=True)


def _solved(rest: Any, values: Mapping[Any, Any]) -> dict[Any, Any]:
    """A number by an equation that is linear in it."""
    kept = {values.get(sp.Symbol(n, commutative=False)) for n in ("A", "C", "I")}
    for letter, x in values.items():
        if x in kept or not rest.has(x):
            continue
        found = sp.solve(rest, x)
        if len(found) == 1:
            return {k: sp.sympify(v).subs(x, found[0]) for k, v in values.items()} | {letter: found[0]}
    return {}


def instead(law: WordLaw, left: Term, right: Term) -> Iterator[tuple[Any, Any]]:
    """The law's equation as it is, and solved where only Sigma times numbers is left of it."""
    words = law.words
    if len(words.own.symbols) != 1:
        return
    (sigma,), (rest,) = words.own.symbols, words.laws((left, right))[0].residuals
    own = by_word(rest)
    if all(w == sigma or not w.has(sigma) for w in own) and sigma in own:
        value = -sum(c * w for w, c in own.items() if w != sigma) / own[sigma]
        factored = sp.Add(*(sp.factor(c) * w for w, c in by_word(sp.expand(value)).items()))
        yield sigma, tidy_matrix(factored)
    raw = words.under_numbers(words.own.residuals[0])
    told = [e for e in (rest, sp.expand(raw)) if e.has(sigma)]  # it may be given itself
    left_side, right_side = _in_two(min(told, key=_length), sigma)
    yield tidy_matrix(left_side), tidy_matrix(right_side)


def _in_two(rest: Any, sigma: Any) -> tuple[Any, Any]:
    """What is zero for Sigma as an equation: moments on the left, noise on the right."""
    parts = by_word(rest)
    scale = reduce(sp.gcd, parts.values())
    moments = [w for w in parts if w.has(sigma)]
    first = min(moments, key=lambda w: (len(str(w)), str(w)))
    scale = -scale if sp.cancel(parts[first] / scale).could_extract_minus_sign() else scale
    left, right = sp.Integer(0), sp.Integer(0)
    for word, c in parts.items():
        term = sp.factor(sp.cancel(c / scale)) * word
        left, right = (left + term, right) if word in moments else (left, right - term)
    return left, right


def _length(expr: Any) -> tuple[bool, int]:
    """How much there is to read in an equation: inverses of sums, then words."""
    inverses = any(p.exp.is_negative and p.base.is_Add for p in expr.atoms(sp.Pow))
    return inverses, len(by_word(expr))


def _told(rest: Any, told: list[Any]) -> Derivation:
    shown = tuple(Equation(formula_of(tidy_matrix(e)), Formula("0", "0")) for e in told)
    aim = Equation(formula_of(tidy_matrix(rest)), Formula("0", "0"))
    steps = (
        Step("What is known", "The equation of the law, and what is given:", shown),
        Step("What follows", "By the normal form of matrix words:", (aim,)),
    )
    return Derivation("The equation of the law in words", steps, ())
