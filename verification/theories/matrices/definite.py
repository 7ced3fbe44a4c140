"""Signs of differences: of matrices by congruences, of numbers entry by entry in small dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import sympy as sp

from verification.terms.term import Term
from verification.terms.words import is_matrix
from verification.theories import ranks
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices import elsewhere, wordsigns
from verification.theories.matrices.components import components
from verification.theories.matrices.converse import bounds_of_rank
from verification.theories.matrices.wordletters import Words
from verification.theories.signs import Case, certified, sizes_in

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law


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
    if is_matrix(left) or is_matrix(right):
        return wordsigns.order(Words(law, dict(law.space((left, right)).matrices)), left, right, wanted)
    small, large = (right, left) if wanted[0] > 0 else (left, right)
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
