"""Equality of matrix expressions and of scalars, under hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.matrices.coefficients import canonical, possibly_zero, scalar
from sgtheory.matrices.hypotheses import Equation, Given, equations_of, listed, pairs_of
from sgtheory.matrices.letters import Block, Factor, Word
from sgtheory.matrices.rewriting import Rewriting, closures
from sgtheory.matrices.scalars import Trace, cyclic_class, tr
from sgtheory.matrices.substitution import Replacement
from sgtheory.matrices.sums import Matrix, as_matrix, of_word, one_meaning, product, transpose
from sgtheory.matrices.witnesses import Question, Witness, find_witness, scalars_in, words_in
from sgtheory.matrices.words import Pairs, normal

Known = tuple[Equation, ...]


@dataclass(frozen=True)
class Proof:
    """Whether an equality is shown; if not, what is left over, and a counterexample if one was found.

    ``verdict`` is "proved", "differs" (there is a witness) or "not shown" (there is none).
    ``nonzero`` lists what the given equations were divided by and what might be 0: the proof holds
    where none of that is.
    """

    proved: bool
    difference: Any
    witness: Witness | None = None
    nonzero: tuple[Any, ...] = ()

    @property
    def verdict(self) -> str:
        """One word."""
        return "proved" if self.proved else "differs" if self.witness else "not shown"

    def __bool__(self) -> bool:
        return self.proved


def prove_equal(left: Any, right: Any = None, given: Given = ()) -> Proof:
    """Whether two matrices, or two scalars, are equal under the hypotheses.

    Without equations among the hypotheses, a proved equality holds wherever both sides are defined:
    what is divided by on the way is zero on a set without interior. With equations it holds where
    ``nonzero`` says. Where the verdict is "not shown", the equality may hold for reasons beyond
    algebra, such as the uniqueness of a solution.

    >>> from sgtheory.matrices.hypotheses import commute, equation
    >>> from sgtheory.matrices.sums import matrices
    >>> A, C = matrices("A C", "positive_definite")
    >>> prove_equal(A * (A + C) ** -1 * C, (A**-1 + C**-1) ** -1).verdict
    'proved'
    >>> print(prove_equal(A * C, C * A).verdict, prove_equal(A * C, C * A, [commute(A, C)]).verdict)
    differs proved
    >>> mu = sp.Symbol("mu")
    >>> prove_equal(A, C, [equation(mu * A, mu * C)]).nonzero
    (mu,)
    """
    left, right = _two_sides(left, right)
    given = listed(given)
    pairs = pairs_of(given)
    ordered = Replacement(pairs=pairs)
    known = tuple(ordered(e) for e in equations_of(given))
    question = Question(ordered(left), ordered(right), pairs, known)
    one_meaning(question.letters)
    difference = _difference(question.left, question.right)
    if not difference:
        return Proof(True, difference)
    witness = find_witness(question)
    if witness is not None:
        return Proof(False, difference, witness)
    reduced = _reduced_matrix if isinstance(difference, Matrix) else _reduced_scalar
    rest, divisors = reduced(difference, known, pairs)
    if rest or not known:
        return Proof(not rest, rest)
    below = [sp.fraction(sp.together(c))[1] for s in question.sides for c in scalars_in(s)]
    return Proof(True, rest, nonzero=possibly_zero([*divisors, *below]))


def _two_sides(left: Any, right: Any) -> tuple[Any, Any]:
    if right is None:
        if not isinstance(left, Equation):
            raise UnusableInput("two sides or one equation", str(left), "give prove_equal(left, right)")
        left, right = left.left, left.right
    if isinstance(left, Matrix) or isinstance(right, Matrix):
        return as_matrix(left), as_matrix(right)
    return scalar(left), scalar(right)


def _difference(left: Any, right: Any) -> Any:
    return left - right if isinstance(left, Matrix) else canonical(left - right)


# -- matrices: what is left, and what was divided by -------------------------------------------


def _reduced_matrix(difference: Matrix, known: Known, pairs: Pairs) -> tuple[Matrix, list[Any]]:
    for rules in _rules([difference], known, pairs):
        rest = Matrix.of(rules.reduced(difference.terms))
        if not rest:
            return rest, rules.divisors()
    return difference, []


def _rules(values: Iterable[Any], known: Known, pairs: Pairs) -> Iterator[Rewriting]:
    said = [e.difference for e in known if e.is_matrix]
    relations = list(dict.fromkeys([*said, *(transpose(r, pairs) for r in said)]))
    words = [w for v in (*values, *relations) for w in words_in(v)]
    coefficients = [c for v in (*values, *relations) for c in scalars_in(v)]
    yield from closures(words, coefficients, [r.terms for r in relations], pairs)


# -- scalars -----------------------------------------------------------------------------------


def _reduced_scalar(difference: Any, known: Known, pairs: Pairs) -> tuple[Any, list[Any]]:
    """Traces of the equations combined linearly; where that fails, traces reduced by rules first."""
    words = [w for v in (difference, *(e.difference for e in known)) for w in words_in(v)]
    single = list(dict.fromkeys(u for w in words for f in w for u in _units(f)))
    double = dict.fromkeys(normal((*u, *v), pairs) for u in single for v in single)
    relations = _trace_relations([(), *single], known, pairs)
    for found in (relations, _trace_relations(double, known, pairs)):
        rest, slopes = _eliminated(difference, found)
        if rest == 0:
            return rest, slopes
    for rules in _rules([difference, *relations], known, pairs):
        fewer = [_with_traces_reduced(r, rules, pairs) for r in relations]
        rest, slopes = _eliminated(_with_traces_reduced(difference, rules, pairs), fewer)
        if rest == 0:
            return rest, [*slopes, *rules.divisors()]
    return difference, []


def _with_traces_reduced(expr: Any, rules: Rewriting, pairs: Pairs) -> Any:
    new = {a: _reduced_trace(a.word, rules, pairs) for a in expr.atoms(Trace)}
    return canonical(expr.xreplace(new))


def _reduced_trace(word: Word, rules: Rewriting, pairs: Pairs) -> Any:
    for rotation in cyclic_class(word, pairs):
        reduced = rules.reduced(((rotation, sp.S.One),))
        if reduced != ((rotation, sp.S.One),):
            return tr(Matrix.of(reduced), pairs)
    return Trace(word)


def _trace_relations(units: Iterable[Word], known: Known, pairs: Pairs) -> list[Any]:
    """What the equations say about scalars: tr(u (left - right)) = 0 for words u."""
    found = [canonical(e.difference) for e in known if not e.is_matrix]
    matrix_sides = [e.difference for e in known if e.is_matrix]
    found += [tr(product(of_word(u), d, pairs=pairs), pairs) for d in matrix_sides for u in units]
    return [r for r in found if r != 0]


def _units(f: Factor) -> Iterator[Word]:
    """A factor to the powers 1 and -1, where it has them."""
    for power in (1, -1):
        exists = f.base.invertible if power < 0 else not isinstance(f.base, Block)
        if exists:
            yield normal((f._replace(power=Fraction(power)),))


def _eliminated(difference: Any, relations: Iterable[Any]) -> tuple[Any, list[Any]]:
    """Substitute from each relation its largest trace, if it is linear in it; and what divides."""
    waiting, slopes = list(relations), []
    while waiting:
        relation = waiting.pop(0)
        for a in sorted(relation.atoms(Trace), key=lambda a: (len(a.word), str(a)), reverse=True):
            held = sp.Dummy()
            opened = relation.xreplace({a: held})
            slope = canonical(sp.diff(opened, held))
            if slope != 0 and held not in slope.free_symbols:
                value = canonical(-opened.xreplace({held: sp.S.Zero}) / slope)
                difference = canonical(difference.xreplace({a: value}))
                waiting = [canonical(r.xreplace({a: value})) for r in waiting]
                slopes.append(slope)
                break
    return difference, slopes
