"""How minibatches are drawn, of statements about a sampler's law: as a factor of its noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sgtheory import registry
from verification import notation
from verification.laws.rational import own_matrices
from verification.refuter.places import NUMBERS
from verification.relations.compare import Compare
from verification.statements import NOT_REPLACED, elsewhere
from verification.terms.term import Applied, Letter, Term, term
from verification.theories.matrices.elsewhere import NOISE_COVARIANCE, WORD, is_moment

_OF_MOMENTS = frozenset(  # with these a statement has nothing of a law but its second moments
    """+ - * / ** negative transpose tr det log sqrt lambda_max lambda_min elsewhere KL normal_W2
    normal_TV""".split()  # noqa: SIM905
)


def of_law(
    statement: Any, given: Iterable[Any], drawn: tuple[Any, ...], sampler: Any
) -> tuple[Any, list[Any]]:
    """A statement and its hypotheses where it says in the noise how minibatches are drawn.

    Gradients of S of N examples have the covariance C/S with replacement, which samplers have; without,
    (N - S)/(N - 1) times that. What is about other things than second moments is left as it is,
    and so is a sampler with matrices of its own, which may be made of C.
    """
    said = [side for one in (statement, *given) for r in one.relations for side in r.sides]
    met = [part for side in said for part in side.subterms()]
    moments = any(isinstance(one, Letter) and is_moment(one) for one in met)
    heads = {one.head for one in met if isinstance(one, Applied)}
    own = {one for one in met if isinstance(one, Letter) and not is_moment(one)}
    plain = all(a.kind in NUMBERS or a.kind in ("matrix", "dimension") for a in own)
    if not (drawn and moments and heads <= _OF_MOMENTS and plain) or own_matrices(
        registry.sampler(sampler)
    ):
        return statement, [*given, *drawn]
    if NOT_REPLACED not in drawn:
        return statement, [*given]
    N, S = term(notation.N), term(notation.S)
    changed = (NOISE_COVARIANCE, (N - S) / (N - 1) * NOISE_COVARIANCE)
    told = [r.with_terms(lambda side: _changed(side, changed)) for r in given]
    sizes = [Compare(S, "<=", N), Compare(N, ">", 1)]
    return statement.with_terms(lambda side: _changed(side, changed)), [*told, *sizes]


def _changed(side: Term, change: tuple[Any, Any]) -> Term:
    if isinstance(side, Letter):
        return elsewhere(side, change) if is_moment(side) else side
    if isinstance(side, Applied) and side.head == WORD:
        return side.with_parts((*side.parts, *map(term, change)))
    return side.with_parts(tuple(_changed(part, change) for part in side.parts))
