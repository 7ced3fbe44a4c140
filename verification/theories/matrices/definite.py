"""Signs of differences: of ranks, of matrices by congruences, of numbers in traces and eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from verification.terms.term import Term
from verification.terms.words import is_matrix
from verification.theories import ranks
from verification.theories.answers import Answer, Proved
from verification.theories.matrices import traces, wordsigns
from verification.theories.matrices.converse import bounds_of_rank
from verification.theories.matrices.wordletters import Words

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law


def has_sign(
    law: Law,
    left: Term,
    right: Term,
    wanted: tuple[int, ...],
    given: Sequence[tuple[Term, Term, bool]] = (),
) -> Answer:
    """Whether left minus right has a wanted sign; of matrices: whether it is definite."""
    if ranks.are_in(left, right):
        return ranks.has_sign(left, right, wanted, given, partial(bounds_of_rank, law))
    words = Words(law, dict(law.space((left, right)).matrices))
    if is_matrix(left) or is_matrix(right):
        return wordsigns.order(words, left, right, wanted)
    found = traces.has_sign(law, left, right, wanted, given)
    return found if isinstance(found, Proved) else wordsigns.order_of_ends(words, left, right, wanted)
