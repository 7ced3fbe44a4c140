"""The order of two sides at a generic mode: what is a function of A is larger where each eigenvalue is.

The difference of two matrices that are functions of A alone is definite exactly where it is positive at
every eigenvalue; so is a sum of such functions times a noise's covariance that commutes with A, and a
trace is the sum of its modes. What has a law in it is said where that law exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.modepairs.stability import stability
from sgtheory.onestep.affine import LAMBDA, mode_form
from verification import notation
from verification.laws.pair_form import DELTA
from verification.notation import A
from verification.refuter.conditions import IsIsotropic
from verification.refuter.parameters import written_under
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, term
from verification.terms.words import is_matrix
from verification.theories import one_product
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices import elsewhere, spectral
from verification.theories.matrices.pairs import at_pairs
from verification.theories.signs import Bound, Case, certified, sizes_in, strongest

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_ENDS = {Applied("lambda_max", (term(A),)): 1, Applied("lambda_min", (term(A),)): -1}
_BELOW_ONE = ("fraction", "up to one", "unit")
_NOISES = {"B", "C", "E"}  # covariances, or factors of them, that may be singular
_PIECES = (sp.Symbol, sp.Number, sp.Add, sp.Mul, sp.Pow, sp.log)
Given = Sequence[tuple[Term, Term, bool]]


def has_sign(law: Law, left: Term, right: Term, wanted: tuple[int, ...], given: Given) -> Answer:
    """Whether left minus right has a wanted sign at every mode, where the laws in it exist."""
    strictly, (sign, *others) = 0 not in wanted, [w for w in wanted if w]
    if law.setting is None or law.sets or others or (strictly and _may_be_none(law)):
        return Silent(Silence.NO_FORMULA)
    parts = (
        _of_matrices(law, left, right) if is_matrix(left) or is_matrix(right) else _sum(law, left, right)
    )
    if not parts or not all(_is_elementary(part) for _, part in parts):
        return Silent(Silence.NO_FORMULA)
    bounds = strongest([*_of_each(law, given), *_existing(law, left, right)])
    bounds += list(_at_the_end(bounds, [part for _, part in parts]))
    whole, found = [noise != _DRAWN for noise, _ in parts], []
    for certain, (_, part) in zip(whole, parts, strict=True):
        answer = _certified(law, sign * part, bounds, strictly and certain)
        if not isinstance(answer, Proved):
            return Silent(Silence.NO_CERTIFICATE)
        found.append(answer)
    if strictly and not any(whole):
        return Silent(Silence.NO_CERTIFICATE)
    lemma = "At each eigenvalue of $A$ the larger side minus the smaller is {}, in every dimension."
    word = "positive" if strictly else "nowhere negative"
    return Proved(lemma.format(word), found[0].derivation, {"dimensions": "every"})


def _at_the_end(bounds: Sequence[Bound], parts: Iterable[Any]) -> Iterator[Bound]:
    """What is known of the largest eigenvalue, or the smallest, where that is in what is certified."""
    for end, symbol in spectral.ENDS.items():
        if any(part.has(symbol) for part in parts):
            yield from ((a.subs(LI, symbol), b.subs(LI, symbol), equal) for a, b, equal in bounds)
            yield (LI, symbol, True) if _ENDS[end] > 0 else (symbol, LI, True)


def _may_be_none(law: Law) -> bool:
    """Whether noise that is given as a multiple of the identity may be zero times it."""
    whole = {n for n, kind in law.kinds if kind == "positive definite"}
    parts = (p for c in law.given for p in c.parts)
    alike = {n for p in parts if isinstance(p, IsIsotropic) for n in p.letters}
    return bool(alike & _NOISES) and not whole & _NOISES


def _is_elementary(part: Any) -> bool:
    """Whether it is made of positive letters by arithmetic and logarithms alone."""
    made = all(isinstance(e, _PIECES) for e in sp.preorder_traversal(part))
    return made and all(s.is_positive for s in part.free_symbols)


def edges(law: Law, small: Term, large: Term, may_be_equal: bool) -> Iterator[tuple[Term, str, Term]]:
    """Up to which step the order may hold at every mode, or from which: in an end of the spectrum."""
    step = None if law.setting is None or law.sets else law.setting.sampler.step
    matrices = is_matrix(small) or is_matrix(large)
    parts = (
        [] if step is None else _of_matrices(law, large, small) if matrices else _sum(law, large, small)
    )
    bounds = [] if step is None else strongest([*_existing(law, small, large)])
    found = dict.fromkeys(one for _, part in parts for one in _ends(part, step, bounds))
    for product, upward, end in found:
        way = 1 if upward is bool(product.as_powers_dict()[LI] > 0) else -1
        of = {Letter(LI.name): word for word, sign in _ENDS.items() if sign == way}
        above, below = sp.fraction(end / (product / step) if product.has(step) else end)
        told = (step if product.has(step) else product, above, below)
        left, over, under = (from_sympy(e).put(of) for e in told)
        sign = ("<" if upward else ">") + "=" * may_be_equal
        yield left, sign, over if below == 1 else over / under


def _ends(part: Any, step: Any, bounds: Sequence[Bound]) -> Iterator[tuple[Any, bool, Any]]:
    """Of a product of letters, or of the step times an eigenvalue where other letters say how large."""
    yield from one_product.ends(part, bounds)
    z = sp.Symbol("z", positive=True)
    for f, _ in sp.factor_list(sp.fraction(sp.factor(part.subs(LI, z / step)))[0])[1]:
        if {z} < f.free_symbols and f.is_polynomial(z) and sp.degree(f, z) == 1:
            yield step * LI, True, sp.factor(-f.coeff(z, 0) / f.coeff(z, 1))


def _certified(law: Law, part: Any, bounds: Sequence[Bound], strictly: bool) -> Answer:
    """Whether a function at a mode is positive; with logarithms, as it grows with the step from zero."""
    if one_product.nowhere_negative(part, bounds, strictly):
        return Proved(one_product.WHY)
    halves = one_product.rooted(part)
    if halves is not None:
        return _of_root(law, halves, bounds, strictly)
    known = [(small, large) for small, large, _ in bounds]
    closed = {sp.Symbol(f"t_{k + 1}", positive=True) for k, (*_, equal) in enumerate(bounds) if equal}
    if part.has(sp.log):
        assert law.setting is not None
        step = law.setting.sampler.step
        shrinks = (sp.factor(sp.diff(small - large, step)) for small, large in known)
        if (
            step is None
            or sp.limit(part, step, 0, "+") != 0
            or not all(x.is_nonnegative for x in shrinks)
        ):
            return Silent(Silence.NO_CERTIFICATE)
        part = sp.diff(part, step)
    case = Case(sp.factor(sp.cancel(part)), known)
    return certified([case], sizes_in([case]), closed, strictly)


def _of_root(law: Law, halves: tuple[Any, Any, Any], bounds: Sequence[Bound], strictly: bool) -> Answer:
    """Of P + Q R^(1/2): both are positive, or the one is, and its square is the larger."""
    plain, rest, under = halves
    ways = ((plain, rest), (plain, plain**2 - rest**2 * under), (rest, rest**2 * under - plain**2))
    for first, second in ways:
        both = [_certified(law, sp.factor(x), bounds, strictly) for x in (first, second)]
        if all(isinstance(one, Proved) for one in both):
            return both[1]
    return Silent(Silence.NO_CERTIFICATE)


_DRAWN = sp.Symbol("C_ij", real=True)  # the entry of a covariance that may be singular


def _of_matrices(law: Law, left: Term, right: Term) -> list[tuple[Any, Any]]:
    """The difference by noise at equal modes: functions of A, and what commutes with it."""
    found = at_pairs(law, left, right)
    if found is None:
        return []
    parts = found.rest
    if any(noise != DELTA and not (found.commuting or spectral.single(law)) for noise in parts):
        whole = found.of_noise(notation.Sigma)  # numbers of times what each noise adds to the law
        if not parts.keys() <= whole.keys():
            return []
        parts = {noise: sp.cancel(rest / whole[noise]) for noise, rest in parts.items()}
        if any(part.has(LI, LJ) for part in parts.values()):
            return []
        return [(_DRAWN, part) for part in parts.values()]
    return [(noise, rest.subs(LJ, LI)) for noise, rest in parts.items()]


def _sum(law: Law, left: Term, right: Term) -> list[tuple[Any, Any]]:
    """What one mode adds to a difference of traces and distances; in one dimension, all of it."""
    if spectral.is_in(left, right):
        sides = spectral.sides_of(law, left, right)
        return [] if sides is None else [(DELTA, sides.left - sides.right)]
    found = law.formula(left - right, law.given)
    return [] if found is None else [(DELTA, written_under(part, law.given)) for part in found.parts]


def _of_each(law: Law, given: Given) -> Iterator[Bound]:
    """What is given of the largest eigenvalue, or the smallest, where that gives it of each."""
    for small, large, equal in given:
        ends = {
            end: way
            for end, way in _ENDS.items()
            if any(end in side.subterms() for side in (small, large))
        }
        mode = Letter(LI.name)
        a, b = (_positive(law.symbols(side.named(dict.fromkeys(ends, mode)))) for side in (small, large))
        slope = sp.factor(sp.diff(a - b, LI))
        held = {1: slope.is_nonnegative, -1: slope.is_nonpositive}
        if all(held[way] for way in ends.values()):
            yield a, b, equal


def _positive(expr: Any) -> Any:
    """With the eigenvalue as laws have it."""
    return expr.xreplace({s: LI for s in expr.free_symbols if s.name == LI.name})


def _existing(law: Law, left: Term, right: Term) -> Iterator[Bound]:
    """Where the laws in it exist, at a mode; and the ranges of letters."""
    assert law.setting is not None
    letters = {a for side in (left, right) for a in side.letters}
    yield from (
        (law.symbols(a), sp.Integer(1), a.kind != "fraction") for a in letters if a.kind in _BELOW_ONE
    )
    if law.time != "discrete":
        return
    limit, step = stability(mode_form(law.setting, law.time)).limit, law.setting.sampler.step
    if limit is None or step is None:
        return
    bound = limit.subs(LAMBDA, LI)
    for _, other in elsewhere.moments((left, right)).values():
        if not other.sampler.name:
            there = {law.symbols(a): law.symbols(b) for a, b in other.changes if a.kind != "matrix"}
            yield step.subs(there), bound.subs(there, simultaneous=True), False
    if any(elsewhere.is_moment(a) for a in letters):
        yield step, bound, False
