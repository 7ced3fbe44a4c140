"""Conditions that a statement about matrices cannot do without: what is left vanishes nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.matrices.scalars import LogDet, Trace
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.matrixwords import SIGMA, A, C, H
from sgtheory.notation.matrixwords import Trace as TraceOf
from verification.laws.pair_form import by_word
from verification.laws.quantities import antisymmetric_letters
from verification.notation import D
from verification.refuter.conditions import Commute, FullRank, HiddenMode, OneDimensional
from verification.refuter.parameters import written_under
from verification.terms.asymptotics import sign
from verification.terms.kinds import Transpose
from verification.theories import zeros
from verification.theories.matrices import elsewhere
from verification.theories.matrices.balance import Shown, equal
from verification.theories.matrices.freedom import MULTIPLE_OVER, STEP_OVER
from verification.theories.matrices.kernels import commuting_is_needed
from verification.theories.matrices.noise import divided_by_gain, is_multiple
from verification.theories.matrices.recipes import recipe_of

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law


def holds_only_where(
    law: Law, relations: Sequence[Any], conditions: Sequence[Any], given: Sequence[Any] = ()
) -> bool:
    """Whether a relation holds only where one of some conditions does, in every dimension."""
    (first, *others) = relations
    if not others and first.relation == "free of":
        return _is_free_only_where(law, first, conditions)
    if others or first.limiting or getattr(first, "constant_in", ()):
        return False
    if first.counts:
        hidden = tuple(conditions) == (HiddenMode(("A", "C")),)
        of_law = first.relation == "<" and str(first.left) == "rank(Sigma)" and str(first.right) == "D"
        return hidden and of_law and _kernel_is_invariant(law)
    if first.relation not in ("=", "best"):
        return False
    if len(conditions) == 1 and isinstance(conditions[0], Commute):
        pair = conditions[0].letters
        by_kernels = set(pair) == {"A", "C"} and commuting_is_needed(law, first)
        found = [*_by_the_law(law, first)]
        spelt = antisymmetric_letters(law.kinds)
        whole = _transposed_by_name(_commutator(pair).subs(spelt))
        alone = any(_is_a_multiple(e, whole) for e in found)
        return by_kernels or alone or any(_is_commutator(law, e, pair) for e in found)
    wanted = [[_formula(p) for p in getattr(c, "parts", (None,))] for c in conditions]
    if any(e is None for one in wanted for e in one):
        return False

    def ranging(e: Any, rest: Any) -> Any:  # sizes are whole numbers, in conditions too
        own = {s.name: s for s in rest.free_symbols}
        e = e.xreplace({s: own.get(s.name, s) for s in e.free_symbols})
        return written_under(zeros.in_range(e, dict(law.kinds)), (*law.given, *given))

    return any(
        zeros.only_where([ranging(rest, rest)], [[ranging(e, rest) for e in one] for one in wanted])
        for rest in _numbers(law, first)
    )


def _is_free_only_where(law: Law, one: Any, conditions: Sequence[Any]) -> bool:
    """Sigma H^(-1) is one matrix for all positive definite H only where the noise is a multiple of A.

    At H = I it is symmetric. If it is the same at every H, then so is Sigma = Sigma_0 H, so that Sigma_0
    commutes with every H: it is t I, and the equation of the law makes 2 t A of the noise.
    """
    (condition, *more) = conditions
    return not more and divided_by_gain(law, one.left, one.right) and is_multiple(law, condition)


def _formula(part: Any) -> Any:
    return D - 1 if isinstance(part, OneDimensional) else zeros.vanishing(part)


def _left_over(law: Law, one: Any) -> Shown | None:
    """The normal form of the difference of two sides, where these are of one law."""
    if elsewhere.moments(one.sides):
        return None
    shown = equal(law.expanded(one.left), law.expanded(one.right), law.equations_of)
    return shown if shown is not None and shown.holds is False else None


def _numbers(law: Law, one: Any) -> Iterator[Any]:
    """What is left over, without the matrices where the law takes these away."""
    if one.relation == "best":
        yield from _from_the_best(law, one)
        return
    shown = _left_over(law, one)
    if shown is None or not isinstance(shown.rest, sp.Expr):
        return
    yield shown.rest
    terms = sp.Add.make_args(sp.expand(shown.rest))
    kept = sp.Add(*(t for t in terms if not t.atoms(Trace, LogDet)))
    if kept not in (0, shown.rest):
        again = equal(law.expanded(one.left) - kept, law.expanded(one.right), law.equations_of)
        if again is not None and again.holds:
            yield kept


def _from_the_best(law: Law, one: Any) -> Iterator[Any]:
    """How far a number is from the only best one: the divergence is strictly convex in its logarithm."""
    recipe = recipe_of(law, one.asked)
    if recipe is None or recipe.over not in (STEP_OVER, MULTIPLE_OVER) or recipe.best.value is None:
        return
    rest = sp.sympify(recipe.best.value - recipe.value)
    traces = (t for t in rest.atoms(TraceOf) if str(t.args[0]) in _regular(law))
    yield rest.xreplace({t: sp.Dummy(positive=True) for t in traces})


# -- matrices --------------------------------------------------------------------------------------


def _by_the_law(law: Law, one: Any) -> Iterator[Any]:
    """What is left over as a sum of words; then with the equation of the law in place of a word."""
    shown = _left_over(law, one)
    if shown is None or not isinstance(shown.rest, mx.Matrix):
        return
    rest = sp.expand(mx.to_sympy(shown.rest))
    yield rest
    own = by_word(rest)
    for equation in law.equations_of.law(H in rest.free_symbols):
        balance = sp.expand(equation[0] - equation[1])
        words = by_word(balance)
        for word in (w for w in words if w in own):
            yield sp.expand(rest - sp.cancel(own[word] / words[word]) * balance)


def _is_commutator(law: Law, rest: Any, pair: tuple[str, ...]) -> bool:
    """Whether it is X Y - Y X between letters that have inverses, times a number that is not zero."""
    words = [(c, _letters(w)) for w, c in by_word(rest).items() if c != 0]
    if len(words) != 2 or sp.cancel(words[0][0] + words[1][0]) != 0 or sign(words[0][0]) is None:
        return False
    (_, first), (_, second) = words
    while first and second and first[0] == second[0] and first[0] in _regular(law):
        first, second = first[1:], second[1:]
    while first and second and first[-1] == second[-1] and first[-1] in _regular(law):
        first, second = first[:-1], second[:-1]
    return first == second[::-1] and len(first) == 2 and set(first) == set(pair)


def _commutator(pair: tuple[str, ...]) -> Any:
    x, y = (sp.Symbol(n, commutative=False) for n in pair)
    return x * y - y * x


def _transposed_by_name(expr: Any) -> Any:
    """Transposes as the engine of matrices names them."""
    return expr.replace(Transpose, lambda x: sp.Symbol(f"{x}^T", commutative=False))


def _is_a_multiple(rest: Any, whole: Any) -> bool:
    """Whether a sum of words is a number that is not zero times another one."""
    words, own = by_word(sp.expand(rest)), by_word(sp.expand(whole))
    factors = {sp.cancel(c / own[w]) if w in own else sp.nan for w, c in words.items()}
    return words.keys() == own.keys() and len(factors) == 1 and sign(abs(factors.pop())) == 1


def _letters(word: Any) -> list[str]:
    """The letters of a product one by one; a power that is none of these stands as it is."""
    found: list[str] = []
    for factor in sp.Mul.make_args(word):
        base, power = factor.as_base_exp()
        whole = power.is_Integer and power.is_positive
        found += [str(base)] * int(power) if whole else [str(factor)]
    return found


def _regular(law: Law) -> set[str]:
    """Letters with an inverse: positive definite ones; with noise of full rank, the law's covariance."""
    found = {n for n, kind in law.equations_of.kinds.items() if kind == "positive definite"}
    full = any(isinstance(p, FullRank) and p.letters == ("C",) for c in law.given for p in c.parts)
    return found | ({"C", "Sigma"} if full or "C" in found else set())


def _kernel_is_invariant(law: Law) -> bool:
    """Whether a mode without variance is one that noise does not reach.

    By the equation of the law, a A S + a S A - b A S A = c C with b >= 0 < c: v'Sv = 0 gives
    v'Cv = 0 and, for b > 0, S A v = 0; times v it gives S A v = 0 too. So A maps the kernel into itself,
    an eigenvector of A is in it, and C takes that to zero.
    """
    if law.setting is None or "H" in law.space(()).matrices:
        return False
    equation = law_equation(stationary(law.setting, law.time))
    words = by_word(sp.expand(sp.sympify(equation.left - equation.right).subs(H, 1)))
    known = {A * SIGMA: 1, SIGMA * A: 1, A * SIGMA * A: -1, C: -1}
    balanced = words.get(A * SIGMA) == words.get(SIGMA * A)
    return balanced and all(sign(c) == known.get(w) for w, c in words.items())
