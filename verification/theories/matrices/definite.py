"""The order of matrices: a difference as a sum of congruences of positive definite letters.

With a law in it, the operator of the law's equation is applied first: X is positive where A X + X A (or
X - M X M^T, of one step M) is, for a stable law is the sum or the integral of congruences of what it is
driven by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.declare import Size
from sgtheory.errors import UnusableInput
from sgtheory.matrices import Sign
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.matrixwords import EE, SIGMA, B, C, E, H
from sgtheory.notation.sentence import say
from verification.refuter.conditions import FullRank
from verification.refuter.parameters import written_under
from verification.refuter.places import FACTORS
from verification.terms.term import Term
from verification.terms.words import is_matrix
from verification.theories import ranks
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices import elsewhere
from verification.theories.matrices.components import components
from verification.theories.matrices.converse import bounds_of_rank
from verification.theories.signs import Case, certified, sizes_in

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_DEFINITE = ("positive definite", "squared", "diagonal")
_WORDS = {Sign.DEFINITE: "positive definite", Sign.SEMIDEFINITE: "positive semidefinite"}
_X = sp.Symbol("X", commutative=False)
_MEANING = "{}, for $X$ the larger side minus the smaller,"


def order(law: Law, small: Term, large: Term, strictly: bool) -> Answer:
    """Whether larger minus smaller is positive semidefinite, or definite: by the signs of congruences.

    A sampler's gain is the identity where H is neither in it nor among the kinds of letters.
    """
    question = _Difference(law, small, large)
    try:
        driven, operated = question.driven(proving=True)
    except UnusableInput:
        return Silent(Silence.NO_CERTIFICATE)
    if driven is None:
        return Silent(Silence.NO_CERTIFICATE)
    sign = mx.sign(driven)
    try:  # in the letters of the source, where those can be written: B B^T has no inverse of its own
        readable = question.driven(proving=False)[0]
    except UnusableInput:
        readable = driven
    told, facts = _told(readable, operated, sign), {"dimensions": "every"}
    if sign < (Sign.DEFINITE if strictly else Sign.SEMIDEFINITE):
        return Silent(Silence.NO_CERTIFICATE, derivation=told, facts=facts)
    what = "Larger side minus smaller" if operated is None else say(_MEANING, operated)
    words = "{} is {}, which is {} in every dimension: each term is a congruence."
    lemma = say(words, what, Formula(mx.latex(readable), mx.plain(readable)), _WORDS[sign])
    return Proved(lemma, told, facts)


class _Difference:
    """Larger minus smaller in the symbols of a law, and the letters that it may be made of."""

    def __init__(self, law: Law, small: Term, large: Term):
        self.law, self.sides = law, (small, large)
        self.difference = sp.expand(law.symbols(large) - law.symbols(small))
        names = {s.name for s in self.difference.free_symbols}
        self.has_gain = H.name in names or H.name in dict(law.kinds)

    def driven(self, proving: bool) -> tuple[Any, Any]:
        """The difference X, or what drives it: the operator of the law, applied to X.

        To be read rather than proved, it is in the letters of the source: C is B B^T, and a number of
        examples is not written as one more than a square.
        """
        rest, letters = self._under(self.difference, proving), self._letters(proving)
        if SIGMA not in rest.free_symbols:
            return in_letters(rest, letters), None
        alone = [t for t in sp.Add.make_args(rest) if SIGMA in t.free_symbols]
        scalar = sp.cancel(sp.Mul(*alone[0].args_cnc()[0]))
        if len(alone) != 1 or alone[0].args_cnc()[1] != [SIGMA] or scalar.is_positive is not True:
            return None, None
        pair = stationary(self.law.setting, self.law.time)
        if len(pair.form.states) != 1:
            return None, None
        law = law_equation(pair)
        if not self.has_gain:
            law = replace(law, left=law.left.subs(H, 1), right=law.right.subs(H, 1))
        operated = law.left.subs(SIGMA, _X)
        left, right = (self._under(side, proving) for side in (law.left, law.right))
        beside = sp.expand(rest - alone[0])
        # the operator is linear: applied to c Sigma + R it gives c times the right side, and that of R
        of_beside = in_letters(sp.expand(left.subs(SIGMA, beside)), letters) if beside != 0 else mx.ZERO
        return scalar * in_letters(sp.expand(right), letters) + of_beside, operated

    def _under(self, expr: Any, proving: bool) -> Any:
        """Under the hypotheses on scalars; numbers of examples are at least one."""
        expr = written_under(expr, self.law.given)
        if not proving:
            return expr
        sizes = sorted((s for s in expr.free_symbols if isinstance(s, Size)), key=str)
        return expr.subs({s: (1 + sp.Symbol(f"_{s}", positive=True)) ** 2 for s in sizes})

    def _letters(self, proving: bool) -> dict[str, mx.Matrix]:
        """The letters of the matrix engine; a proof may take a symmetric root of B B^T."""
        traits = dict.fromkeys(_DEFINITE, ("positive_definite",)) | {"symmetric": ("symmetric",)}
        free = () if proving else ("B", "E")
        kinds = self.law.space(self.sides).matrices.items()
        parts = [p for c in self.law.given for p in c.parts if isinstance(p, FullRank)]
        full = {FACTORS.get(n, n) for p in parts for n in p.letters}  # B B^T is regular where B is

        def known(name: str, kind: str) -> tuple[str, ...]:
            regular = ("invertible",) if name in full else ()
            return () if name in free else traits.get(kind, regular)

        return {n: mx.matrix(n, *known(n, k)) for n, k in kinds}


def in_letters(expr: Any, letters: Mapping[str, mx.Matrix]) -> Any:
    """An expression in symbols as one of the matrix engine; a number is that multiple of I."""
    products = {C: B * sp.Symbol("B^T", commutative=False), EE: E * sp.Symbol("E^T", commutative=False)}
    written = sp.sympify(expr).subs({k: x for k, x in products.items() if k.name not in letters})
    read = mx.from_sympy(sp.expand(written), letters.values())
    return read if isinstance(read, mx.Matrix) else read * mx.I


def _told(driven: Any, operated: Any, sign: Sign) -> Derivation:
    words = _WORDS.get(sign, "of no certain sign")
    left = _X if operated is None else operated
    shown = Equation(left, Formula(mx.latex(driven), mx.plain(driven)))
    about = "For $X$ the larger side minus the smaller. Each term is a congruence; together they are"
    steps: Sequence[Step] = (Step("The difference", f"{about} {words}:", (shown,)),)
    return Derivation("Order of matrices", tuple(steps), ())


def has_sign(
    law: Law,
    left: Term,
    right: Term,
    wanted: tuple[int, ...],
    given: Sequence[tuple[Term, Term, bool]] = (),
) -> Answer:
    """Whether left minus right has a wanted sign, in one dimension and in two, entry by entry.

    Of matrices: whether it is definite, in every dimension.
    """
    if ranks.are_in(left, right):
        return ranks.has_sign(left, right, wanted, given, partial(bounds_of_rank, law))
    small, large = (right, left) if wanted[0] > 0 else (left, right)
    if is_matrix(left) or is_matrix(right):
        return order(law, small, large, strictly=0 not in wanted)
    sides = (left, right, *(t for a, b, _ in given for t in (a, b)))
    kinds = {n: "any" if k == "nonzero" else k for n, k in law.space(sides).matrices.items()}
    sampler = None if law.setting is None else (law.setting, law.time)
    if elsewhere.moments(sides):
        return Silent(Silence.NO_CERTIFICATE)
    answer: Answer = Silent(Silence.NO_CERTIFICATE)
    for size in (1, 2):
        try:
            cases = [
                Case(
                    of(law.symbols(large) - law.symbols(small)),
                    [(of(law.symbols(a)), of(law.symbols(b))) for a, b, _ in given],
                )
                for of in (entries.value for entries in components(kinds, size, sampler))
            ]
        except NotImplementedError:
            return Silent(Silence.NO_CERTIFICATE)
        closed = {s for c in cases for s in sp.sympify(c.difference).free_symbols if "_" in s.name}
        answer = certified(cases, sizes_in(cases), closed | _ends(given), 0 not in wanted)
        if not isinstance(answer, Proved):
            return answer
    return answer


def _ends(given: Sequence[tuple[Term, Term, bool]]) -> set[Any]:
    """The new letters that are zero where both sides of what is given are equal."""
    ends = (f"t_{k + 1}" for k, (_, _, may_be_equal) in enumerate(given) if may_be_equal)
    return {sp.Symbol(name, positive=True) for name in ends}
