"""Numbers that are made of one number for each eigenvalue of A: traces, divergences, distances of laws.

Where covariances are functions of A, or commute with it, or there is one dimension, a divergence of
normal laws is a sum over the modes, and so is the square of their Wasserstein distance. What is said of
such sums is asked of what one mode adds. The total variation distance has a formula in one dimension.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.modepairs.pairs import LI
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.matrixwords import A as CURVATURE
from sgtheory.notation.matrixwords import C, Trace
from sgtheory.notation.sentence import formula_of, say
from sgtheory.polynomials import is_zero
from verification import notation
from verification.laws.pair_form import NotInPairForm, function_of_A
from verification.laws.per_mode import General, left_at_one_mode
from verification.notation import D
from verification.refuter.parameters import written_under
from verification.terms.asymptotics import Undecided, first_terms
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number
from verification.theories.answers import Answer, Proved
from verification.theories.matrices import elsewhere
from verification.theories.matrices.reader import (
    Given,
    Modes,
    NoFormula,
    Reader,
    general,
    leading_term,
    summand,
)
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.terms.ways import Way
    from verification.theories.matrices.laws import Law

WORDS = frozenset({"KL", "normal_W2", "normal_TV"})
ENDS = {
    Applied(name, (Letter("A", "matrix"),)): sp.Symbol(name, positive=True)
    for name in ("lambda_max", "lambda_min")
}
_VARIANCE = sp.Symbol("C_ii", positive=True)  # of the noise along a mode


@dataclass(frozen=True)
class AtModes:
    """Two sides that stand as two sums do: what one mode adds to each."""

    left: Any
    right: Any
    root: bool  # whether the sides are roots of these sums
    single: bool  # whether there is one mode

    @property
    def scope(self) -> str:
        """For which dimensions."""
        return "in one dimension" if self.single else "in every dimension"


def is_in(*sides: Term) -> bool:
    """Whether a distance or a divergence of normal laws is in any of some terms."""
    return any(isinstance(t, Applied) and t.head in WORDS for side in sides for t in side.subterms())


def has_determinant(side: Term) -> bool:
    """Whether a determinant is in a term, and not in its logarithm."""
    if isinstance(side, Applied) and side.head == "log" and getattr(side.of[0], "head", "") == "det":
        return has_determinant(side.of[0].parts[0])
    return getattr(side, "head", "") == "det" or any(map(has_determinant, side.parts))


def is_spelt(*sides: Term) -> bool:
    """Whether all such words in some terms are traces and log determinants."""
    heads = {t.head for side in sides for t in side.subterms() if isinstance(t, Applied)}
    return not heads & (WORDS - {"KL"})


def formula(law: Law, side: Term, given: Given = (), way: Way | None = None) -> General | None:
    """A number in symbols: in one dimension a formula, else what one mode adds to a sum.

    Roots of sums are a formula on a way to zero, in letters for the traces of powers of A.
    """
    if not is_in(side) and (way is None or not has_determinant(side)):
        others = elsewhere.entries(law, side)
        return general(law.symbols(side), law.setting, law.time, given, others, way)
    alone = way if way is not None and not way.where else None  # what moves alone decides near the end
    found = read(law, side) if alone is None else read(law, side, law.symbols(alone.letter), alone.to)
    if found is None:
        return None
    if not found.has(Modes):
        return General((found,), "formula", "in one dimension")
    of_mode = summand(found)
    if of_mode is not None:
        return General((of_mode,), "sum", "for every dimension")
    if way is None or way.to == "oo" or way.where:
        return None
    x = next((s for s in found.free_symbols if s.name == way.letter.name), None)
    try:
        whole = found.replace(Modes, lambda one: _in_traces(one, x))
    except (Undecided, NoFormula):
        return None
    return General((whole,), "formula", "for every dimension, tr_k the trace of $A^k$")


def _in_traces(summand: Any, x: Any) -> Any:
    """The first terms of a sum over the modes, by traces of powers of A, and a letter for the rest."""
    terms = first_terms(summand, x, "0", _TERMS)
    if len(terms) < _TERMS and summand.has(sp.Pow) and not summand.is_polynomial(x):
        raise NoFormula
    total = sp.Integer(0)
    for one in terms:
        for part in sp.Add.make_args(sp.expand(sp.expand_log(one.written(x), force=True))):
            if part.has(sp.log(LI)):
                c, power = sp.cancel(part / sp.log(LI)), "log"
            else:
                c, power = part.as_coeff_exponent(LI)
            if c.has(LI):
                raise NoFormula
            total += c * sp.Symbol(f"tr_{power}", positive=True)
    more = max(Fraction(one.power) for one in terms) + Fraction(1, 2)
    left = sp.Symbol("left_out", real=True) * x ** sp.Rational(more.numerator, more.denominator)
    return total if summand.is_polynomial(x) else total + left


_TERMS = 5  # of a sum over the modes


def sides_of(law: Law, left: Term, right: Term, small: Any = None) -> AtModes | None:
    """What one mode adds to both sides; of roots of sums, to what stands under them.

    ``small`` is a letter where only what is near its zero is asked for.
    """
    if not is_in(left, right) or law.sets:
        return None
    found = [read(law, side, small) for side in (left, right)]
    if None in found:
        return None
    if not any(one.has(Modes) for one in found):
        return AtModes(found[0], found[1], False, single(law))
    plain = [summand(one) for one in found]
    if None not in plain:
        return AtModes(plain[0], plain[1], False, False)
    if not all(sp.sympify(one).is_nonnegative or is_root(one) for one in found):
        return None
    squares = [summand(sp.expand(one**2)) for one in found]
    return None if None in squares else AtModes(squares[0], squares[1], True, False)


def vanishes(law: Law, left: Term, right: Term) -> Answer | None:
    """That what one mode adds is the same on both sides; None where that is not known."""
    found = sides_of(law, left, right)
    if found is None or not is_zero(sp.expand_log(found.left - found.right, force=True)):
        return None
    lines = (Equation(Formula(r"\text{left}", "left"), formula_of(found.left)),)
    told = Derivation("At a mode", (Step("Both sides", "What one mode adds to each:", lines),), ())
    lemma = say("Each mode adds the same to both sides, {}.", found.scope)
    return Proved(lemma, told, {"dimensions": "one" if found.single else "every"})


def gap(law: Law, left: Term, right: Term) -> Gap | None:
    """How far apart two sums over the modes are beside the left one as the step vanishes."""
    step = None if law.setting is None else law.setting.sampler.step
    found = sides_of(law, left, right, step) if is_in(left, right) else _of_sums(law, left, right)
    if step is None or found is None:
        return None
    return between(step, found.left - found.right, found.left, found.root, found.single)


def _of_sums(law: Law, left: Term, right: Term) -> AtModes | None:
    """Two sides that are sums of what each mode adds."""
    found = [law.formula(side, law.given) for side in (left, right)]
    parts = [one.parts[0] for one in found if one is not None and one.form == "sum"]
    return AtModes(parts[0], parts[1], False, False) if len(parts) == len(found) else None


def between(step: Any, rest: Any, whole: Any, root: bool = False, single: bool = False) -> Gap | None:
    """What is left over of a sum over the modes beside all of it, where it vanishes faster."""
    rest = sp.cancel(rest) if rest.is_rational_function() else rest
    above, below = leading_term(rest, step), leading_term(whole, step)
    if above is None or below is None or above[0] <= below[0]:
        return None
    order, totals = above[0] - below[0], [one[1] if single else traced(one[1]) for one in (above, below)]
    if None in totals:
        return None
    term = totals[0] / totals[1] / (2 if root else 1)
    return Gap(step.name, str(order), formula_of((sp.factor(term) if single else term) * step**order))


def traced(summand: Any) -> Any:
    """The sum over all modes of a function of A, or of powers of A times a noise; None of others.

    >>> traced(2 * LI * _VARIANCE + LI) == 2 * Trace(CURVATURE * C) + Trace(CURVATURE)
    True
    """
    if not sp.expand(summand).is_polynomial(LI, _VARIANCE):
        beside, of_mode = sp.factor(summand).as_independent(LI, as_Add=False)
        return None if summand.has(_VARIANCE) else beside * Trace(of_mode.subs(LI, CURVATURE))
    total = sp.Integer(0)
    for (k, m), factor in sp.Poly(sp.expand(summand), LI, _VARIANCE).terms():
        if m > 1:
            return None
        whole = CURVATURE**k * C if m else CURVATURE**k
        total += factor * (Trace(whole) if k or m else D)
    return total


def mended(law: Law, left: Term, right: Term) -> Iterator[tuple[Term, Term]]:
    """A divergence, or a distance, by itself is a formula in A; in one dimension in its letters."""
    if law.sets or law.setting is None or not isinstance(left, Applied) or left.head not in WORDS:
        return
    try:
        known = law.setting, law.time, law.given, elsewhere.entries(law, left)
        reader = Reader(*known, several=True)
        values = [reader.own(law.symbols(left.of[k])) for k in (0, 2)]
    except _REFUSED:
        return
    if any(map(left_at_one_mode, values)):
        return
    v, w, ratio = map(function_of_A, (*values, sp.cancel(values[0] / values[1])))
    if left.head == "KL":
        one, logs = from_sympy(notation.identity), Applied("log", (Applied("det", (ratio,)),))
        yield left, (Applied("tr", (ratio - one,)) - logs) / number(2)
    if left.head == "normal_W2":
        half = number("1/2")
        yield left, Applied("sqrt", (Applied("tr", ((v**half - w**half) ** number(2),)),))


_REFUSED = (NoFormula, NotInPairForm, UnusableInput, KeyError, ZeroDivisionError)


def read(law: Law, side: Term, moving: Any = None, to: str = "0") -> Any:
    """A number in symbols, sums over the modes in ``Modes``; None where it has no such formula.

    It is that formula near the end of the way of a letter that is ``moving``, if there is one.
    """
    ends = {law.symbols(end): letter for end, letter in ENDS.items()}
    try:
        known = law.setting, law.time, law.given, elsewhere.entries(law, side), moving, to
        found = Reader(*known, several=True).number(law.symbols(side)).xreplace(ends)
    except _REFUSED:
        return None
    if any(one.has(D) for one in found.atoms(Modes)):
        return None
    found = written_under(found.subs(D, Modes(sp.Integer(1))), law.given)  # each mode is one of so many
    return None if any(not s.is_commutative for s in found.free_symbols) else found


def single(law: Law) -> bool:
    """Whether one dimension is given."""
    return Reader(None, law.time, law.given, {}).single


def is_root(expr: Any) -> bool:
    """Whether it is a positive number of times the root of a sum."""
    factors = sp.Mul.make_args(expr)
    rooted = [f for f in factors if f.is_Pow and f.exp == sp.S.Half and f.base.has(Modes)]
    return len(rooted) == 1 and all(f.is_positive for f in factors if f not in rooted)
