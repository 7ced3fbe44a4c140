"""The order of two sides at a generic mode: what is a function of A is larger where each eigenvalue is.

The difference of two matrices that are functions of A alone is definite exactly where it is positive at
every eigenvalue; so is a sum of such functions times a noise's covariance that commutes with A, and a
trace is the sum of its modes. What has a law in it is said where that law exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.modepairs.stability import stability
from sgtheory.onestep.affine import LAMBDA, mode_form
from verification.laws.pair_form import DELTA, NOISE
from verification.notation import A
from verification.refuter.conditions import AreProportional, FullRank, IsIsotropic
from verification.refuter.parameters import written_under
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number, term
from verification.terms.words import is_matrix
from verification.theories import one_product
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices import elsewhere, schur, spectral
from verification.theories.matrices.pairs import at_pairs
from verification.theories.signs import Bound, strongest, under

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
    of_matrices = is_matrix(left) or is_matrix(right)
    parts = _of_matrices(law, left, right) if of_matrices else _sum(law, left, right)
    if of_matrices and not strictly and _are_equal(law, left, right):
        return Proved("Both sides are equal, in every dimension.", facts={"dimensions": "every"})
    if not parts or not all(_is_elementary(_positive(part)) for _, part in parts):
        return Silent(Silence.NO_FORMULA)
    bounds = strongest([*_of_each(law, given), *_existing(law, left, right)])
    bounds += list(_at_the_end(bounds, [part for _, part in parts]))
    some = {law.symbols(b) for a, b, equal in given if a == number(0) and not equal}
    certain = [not of_matrices or _has_full_rank(law, noise) for noise, _ in parts]
    if strictly and not any(certain):
        return Silent(Silence.NO_CERTIFICATE)
    found = []
    for whole, (noise, part) in zip(certain, parts, strict=True):
        alone = strictly and whole
        at_equal = sign * part.subs(LJ, LI)
        whole_range = [(_positive(at_equal), bounds)]
        for one, there in _with_zeros(at_equal, bounds, some) if alone else whole_range:
            answer = _certified(law, one, there, alone)
            if not isinstance(answer, Proved):
                return Silent(Silence.NO_CERTIFICATE)
            found.append(answer)
        if part.has(LJ) and not _of_every_noise(law, left, right, noise, sign * part, bounds):
            return Silent(Silence.NO_CERTIFICATE)
    word = "positive" if strictly else "nowhere negative"
    if any(part.has(LJ) for _, part in parts):
        return Proved(_SCHUR, found[0].derivation, {"dimensions": "every"})
    lemma = "At each eigenvalue of $A$ the larger side minus the smaller is {}, in every dimension."
    return Proved(lemma.format(word), found[0].derivation, {"dimensions": "every"})


_SCHUR = (
    "In the eigenbasis of $A$ the larger side minus the smaller is the noise times, entry by entry, a"
    " positive semidefinite kernel of two eigenvalues, in every dimension, commuting or not."
)


def _of_every_noise(
    law: Law, left: Term, right: Term, noise: Any, kernel: Any, bounds: Sequence[Bound]
) -> bool:
    """Whether what multiplies the entries of a noise is positive semidefinite between eigenvalues."""
    found = at_pairs(law, left, right)
    known = [] if found is None else schur.variances(law, found, noise)
    kernel, *known = (_positive(x) for x in (kernel, *known))
    return schur.is_positive(law, kernel, known, bounds, partial(_is_nonnegative, law, bounds=bounds))


def _with_zeros(part: Any, bounds: list[Bound], some: set[Any]) -> Iterator[tuple[Any, list[Bound]]]:
    """A function with its bounds, and what these are where letters are zero that may be."""
    free = {s for s in part.free_symbols if s.is_nonnegative and not s.is_positive} - some
    for size in range(len(free) + 1):
        for zero in combinations(sorted(free, key=str), size):
            put = {_positive(s): 0 for s in zero}
            there = [(a.subs(put), b.subs(put), equal) for a, b, equal in bounds]
            if not any(b.is_nonpositive and not (equal and b == 0 == a) for a, b, equal in there):
                yield _positive(part).subs(put), [one for one in there if one[0] != 0]


def _has_full_rank(law: Law, noise: Any) -> bool:
    """Whether a noise is given to be positive definite, or the curvature as a multiple of it."""
    if noise == DELTA:
        return True
    names = {"B", "C"} if noise == NOISE else {"E"}
    parts = [p for c in law.given for p in c.parts]
    ranks = (isinstance(p, FullRank) and not names.isdisjoint(p.letters) for p in parts)
    like_curvature = (
        isinstance(p, AreProportional) and p.letters[0] == "A" and p.letters[1] in names for p in parts
    )
    return (
        any(ranks)
        or any(like_curvature)
        or any(n in names and k == "positive definite" for n, k in law.kinds)
    )


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


def bounds_at_a_mode(law: Law, of: Term, given: Given) -> list[Bound]:
    """What is given at each eigenvalue, and where the laws in a term exist."""
    return strongest([*_of_each(law, given), *_existing(law, of, of)])


def is_certain(law: Law, part: Any, bounds: Sequence[Bound]) -> bool:
    """Whether a function at a mode is positive."""
    if not _is_elementary(_positive(part)):
        return False
    cases = _with_zeros(part, list(bounds), set())
    return all(isinstance(_certified(law, one, there, True), Proved) for one, there in cases)


def edges(law: Law, small: Term, large: Term, may_be_equal: bool) -> Iterator[tuple[Term, str, Term]]:
    """Up to which step the order may hold at every mode, or from which: in an end of the spectrum."""
    step = None if law.setting is None or law.sets else law.setting.sampler.step
    matrices = is_matrix(small) or is_matrix(large)
    parts = (
        [] if step is None else _of_matrices(law, large, small) if matrices else _sum(law, large, small)
    )
    bounds = [] if step is None else strongest([*_existing(law, small, large)])
    found = dict.fromkeys(one for _, part in parts for one in _ends(part.subs(LJ, LI), step, bounds))
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
    if part.has(sp.log):
        assert law.setting is not None
        step = law.setting.sampler.step
        shrinks = (sp.factor(sp.diff(small - large, step)) for small, large, _ in bounds)
        if (
            step is None
            or sp.limit(part, step, 0, "+") != 0
            or not all(x.is_nonnegative for x in shrinks)
        ):
            return Silent(Silence.NO_CERTIFICATE)
        part = sp.diff(part, step)
    return under(sp.factor(sp.cancel(part)), bounds, strictly)


def _of_root(law: Law, halves: tuple[Any, Any, Any], bounds: Sequence[Bound], strictly: bool) -> Answer:
    """Of P + Q R^(1/2): both are positive, or the one is, and its square is the larger."""
    plain, rest, under = halves
    ways = ((plain, rest), (plain, plain**2 - rest**2 * under), (rest, rest**2 * under - plain**2))
    for first, second in ways:
        both = [_certified(law, sp.factor(x), bounds, strictly) for x in (first, second)]
        if all(isinstance(one, Proved) for one in both):
            return both[1]
    return Silent(Silence.NO_CERTIFICATE)


def _of_matrices(law: Law, left: Term, right: Term) -> list[tuple[Any, Any]]:
    """The difference by noise: at equal modes, where that is isotropic or commutes with A."""
    found = at_pairs(law, left, right)
    if found is None:
        return []
    alike = found.commuting or spectral.single(law)
    return [(s, r.subs(LJ, LI) if alike or s == DELTA else r) for s, r in found.rest.items()]


def _are_equal(law: Law, left: Term, right: Term) -> bool:
    found = at_pairs(law, left, right)
    return found is not None and not found.rest


def _sum(law: Law, left: Term, right: Term) -> list[tuple[Any, Any]]:
    """What one mode adds to a difference of traces and distances; in one dimension, all of it."""
    if spectral.is_in(left, right):
        sides = spectral.sides_of(law, left, right)
        return [] if sides is None else [(DELTA, sides.left - sides.right)]
    found = law.formula(left - right, law.given)
    ends = {law.symbols(end): symbol for end, symbol in spectral.ENDS.items()}
    parts = () if found is None else found.parts
    return [(DELTA, written_under(part, law.given).subs(ends)) for part in parts]


def _of_each(law: Law, given: Given) -> Iterator[Bound]:
    """What is given of the largest eigenvalue, or the smallest, where that gives it of each."""
    numbers, known = list[Bound](), [(one, _ends_in(*one[:2])) for one in given]
    for (small, large, equal), ends in sorted(known, key=lambda one: len(one[1])):
        mode = Letter(LI.name)
        a, b = (_positive(law.symbols(side.named(dict.fromkeys(ends, mode)))) for side in (small, large))
        slope = sp.factor(sp.diff(a - b, LI))
        if all(_is_nonnegative(law, way * slope, numbers) for way in ends.values()):
            yield a, b, equal
        if not ends:
            numbers.append((a, b, equal))


def _ends_in(*sides: Term) -> dict[Term, int]:
    """The largest eigenvalue, or the smallest, where it is in some terms."""
    return {end: way for end, way in _ENDS.items() if any(end in side.subterms() for side in sides)}


def _is_nonnegative(law: Law, expr: Any, bounds: Sequence[Bound]) -> bool:
    return expr.is_nonnegative or isinstance(_certified(law, expr, bounds, False), Proved)


def _positive(expr: Any) -> Any:
    """With the eigenvalue as laws have it, and letters that may be zero where they are not."""
    named = {s: LI for s in expr.free_symbols if s.name == LI.name}
    zero = {s for s in expr.free_symbols if s.is_nonnegative and not s.is_positive}
    return expr.xreplace({s: sp.Symbol(s.name, positive=True) for s in zero} | named)


def _existing(law: Law, left: Term, right: Term) -> Iterator[Bound]:
    """Where the laws in it exist, at a mode; and the ranges of letters."""
    assert law.setting is not None
    letters = {a for side in (left, right) for a in side.letters}
    yield from (
        (_positive(law.symbols(a)), sp.Integer(1), a.kind != "fraction")
        for a in letters
        if a.kind in _BELOW_ONE
    )
    if law.time != "discrete":
        return
    laws = [
        (other.setting(law), other.changes) for _, other in elsewhere.moments((left, right)).values()
    ]
    laws += [(law.setting, ())] if any(elsewhere.is_moment(a) for a in letters) else []
    for setting, changes in laws:
        limit, step = stability(mode_form(setting, law.time)).limit, setting.sampler.step
        if limit is None or step is None:
            continue
        own = {s.name: s for s in (limit - step).free_symbols}
        there = {own[a.name]: law.symbols(b) for a, b in changes if a.name in own}
        sides = (side.subs({**there, LAMBDA: LI}, simultaneous=True) for side in (step, limit))
        small, large = map(_positive, sides)
        yield small, large, False
