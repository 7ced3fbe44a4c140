"""Numbers that are made of one number for each eigenvalue of A: traces, divergences, distances of laws.

Where covariances are functions of A, or commute with it, or there is one dimension, a divergence of
normal laws is a sum over the modes, and so is the square of their Wasserstein distance. What is said of
such sums is asked of what one mode adds. The total variation distance has a formula in one dimension.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.modepairs.pairs import LI
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.matrixwords import A as CURVATURE
from sgtheory.notation.matrixwords import Trace
from sgtheory.notation.sentence import formula_of, say
from sgtheory.polynomials import is_zero
from verification import notation
from verification.laws.pair_form import NotInPairForm, function_of_A, to_pair
from verification.laws.per_mode import COMMUTE, General, at_one_mode, left_at_one_mode, with_law
from verification.refuter.conditions import OneDimensional
from verification.refuter.lattice import implies
from verification.refuter.parameters import written_under
from verification.terms.arithmetics import SYMBOLS
from verification.terms.asymptotics import NOTHING, Undecided, first_terms, sign
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.words import is_matrix, word
from verification.theories.answers import Answer, Proved
from verification.theories.matrices import elsewhere
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.terms.ways import Way
    from verification.theories.matrices.laws import Law

WORDS = frozenset({"KL", "normal_W2", "normal_TV"})
ENDS = {
    Applied(name, (Letter("A", "matrix"),)): sp.Symbol(name, positive=True)
    for name in ("lambda_max", "lambda_min")
}


class Modes(sp.Function):
    """The sum over all eigenvalues of A of what stands in it."""

    is_commutative = True
    is_real = True
    nargs = 1


class NoFormula(Exception):
    """What has no formula at a mode."""


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


def formula(law: Law, side: Term, way: Way | None = None) -> General | None:
    """A number in symbols: in one dimension a formula, else what one mode adds to a sum.

    Roots of sums are a formula on a way to zero, in letters for the traces of powers of A.
    """
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
    """How far apart they are beside the left one as the step vanishes, where that vanishes too."""
    step = None if law.setting is None else law.setting.sampler.step
    found = sides_of(law, left, right, step)
    if step is None or found is None:
        return None
    first, other = (_leading(one, step) for one in (found.left, found.left - found.right))
    if first is None or other is None or other[0] <= first[0]:
        return None
    order = other[0] - first[0]
    above, below = (_total(one, found.single) for one in (other[1], first[1]))
    term = sp.factor(above / below) if found.single else above / below
    term = term / 2 if found.root else term
    return Gap(step.name, str(order), formula_of(term * step**order))


def mended(law: Law, left: Term, right: Term) -> Iterator[tuple[Term, Term]]:
    """A divergence, or a distance, by itself is a formula in A; in one dimension in its letters."""
    if law.sets or law.setting is None or not isinstance(left, Applied) or left.head not in WORDS:
        return
    try:
        values = _Reader(law, elsewhere.entries(law, left)).both(left)
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
    try:
        found = _Reader(law, elsewhere.entries(law, side), moving, to).number(law.spelt(side))
    except _REFUSED:
        return None
    found = written_under(found, law.given)
    if any(not s.is_commutative for s in found.free_symbols):
        return None
    return found.replace(Modes, lambda summand: summand) if single(law) else found


@dataclass(frozen=True)
class _Reader:
    """Terms at a mode: with the law put in, and the moments of other laws."""

    law: Law
    others: Mapping[Any, Any]
    moving: Any = None
    to: str = "0"

    def number(self, side: Term) -> Any:
        """A number: words of matrices in it as sums over the modes."""
        if isinstance(side, Applied):
            if side in ENDS:
                return ENDS[side]
            if side.head == "tr":
                return Modes(self.matrix(side.of[0]))
            if side.head == "log" and getattr(side.of[0], "head", "") == "det":
                return Modes(sp.log(self.matrix(side.of[0].parts[0])))
            if side.head == "det":
                return sp.exp(Modes(sp.log(self.matrix(side.of[0]))))
            if side.head in WORDS:
                return _MADE[side.head](*self.both(side), self)
            if any(map(is_matrix, side.parts)):  # a number where there is one dimension
                return self.matrix(side) if single(self.law) else _refused()
            return word(side.head).value(SYMBOLS, *map(self.number, side.parts))
        if isinstance(side, Letter) and side.kind == "dimension":
            return Modes(sp.Integer(1))
        if is_matrix(side) and single(self.law):
            return self.matrix(side)
        return self.law.symbols(side)

    def both(self, side: Applied) -> tuple[Any, Any]:
        """The covariances of the two laws of a word."""
        v, w = (written_under(self.matrix(side.of[k]), self.law.given) for k in (0, 2))
        return v, w

    def matrix(self, side: Term) -> Any:
        """A function of A at one eigenvalue; a covariance that commutes with A, at that mode."""
        if not is_matrix(side):
            found = self.number(side)
            if found.has(Modes):
                raise NoFormula
            return found
        if isinstance(side, Letter):
            return self.letter(side)
        assert isinstance(side, Applied)
        if side.head == "transpose":
            return self.matrix(side.of[0])
        if side.head not in _ARITHMETIC:
            raise NoFormula
        return word(side.head).value(SYMBOLS, *map(self.matrix, side.of))

    def letter(self, letter: Letter) -> Any:
        """A matrix by itself: of noise only where it has A's eigenvectors."""
        expr, law = self.law.symbols(letter), self.law
        if expr in (CURVATURE, notation.identity):
            return LI if expr == CURVATURE else sp.Integer(1)
        known = at_one_mode(with_law(to_pair(expr), law.setting, law.time, self.others))
        drawn = left_at_one_mode(known)
        alone = single(law) or any(implies(c, COMMUTE, ("A", "C")) for c in law.given)
        if not drawn <= ({"C_ii"} if alone else set()):
            raise NoFormula
        return known


def _refused() -> Any:
    raise NoFormula


_ARITHMETIC = frozenset({"+", "-", "*", "/", "**", "negative"})


def _divergence(v: Any, w: Any, reader: _Reader) -> Any:
    ratio = sp.cancel(v / w)
    return Modes((ratio - 1 - sp.log(ratio)) / 2)


def _transported(v: Any, w: Any, reader: _Reader) -> Any:
    return sp.sqrt(Modes(v + w - 2 * sp.sqrt(sp.factor(v * w))))


def _total_variation(v: Any, w: Any, reader: _Reader) -> Any:
    """The wider law's less the narrower one's, where one of them is the wider one throughout."""
    ratio = sp.cancel(v / w)
    if ratio == 1:
        return sp.Integer(0)
    if not single(reader.law):
        raise NoFormula
    asked: tuple[Any, ...] = (ratio - 1, 1 / w - 1 / v, v - w)  # variances are positive
    if reader.moving is not None:
        first = _leading(ratio - 1, reader.moving, reader.to)
        asked = () if first is None else (first[1],)
    wider = next(filter(None, map(sign, asked)), None)
    if wider is None:
        raise NoFormula
    part = sp.log(ratio) / (ratio - 1) / 2
    return wider * (sp.erf(sp.sqrt(ratio * part)) - sp.erf(sp.sqrt(part)))


_MADE = {"KL": _divergence, "normal_W2": _transported, "normal_TV": _total_variation}


def single(law: Law) -> bool:
    """Whether one dimension is given."""
    return any(isinstance(p, OneDimensional) for c in law.given for p in c.parts)


def is_root(expr: Any) -> bool:
    """Whether it is a positive number of times the root of a sum."""
    factors = sp.Mul.make_args(expr)
    rooted = [f for f in factors if f.is_Pow and f.exp == sp.S.Half and f.base.has(Modes)]
    return len(rooted) == 1 and all(f.is_positive for f in factors if f not in rooted)


def summand(expr: Any) -> Any:
    """What one mode adds to a sum of sums; None of other formulas."""
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(expr, deep=False)):
        factor, rest = term.as_independent(Modes, as_Add=False)
        if rest == 0 or (rest == 1 and factor == 0):
            continue
        if not isinstance(rest, Modes):
            return None
        total += factor * rest.args[0]
    return total


def _leading(expr: Any, letter: Any, to: str = "0") -> tuple[Any, Any] | None:
    """The first power of a letter on its way, and its coefficient."""
    try:
        first = first_terms(expr, letter, to, 1)[0]
    except (Undecided, ZeroDivisionError, NotImplementedError):
        return None
    if first == NOTHING or first.logs:
        return None
    return sp.Rational(
        Fraction(first.power).numerator, Fraction(first.power).denominator
    ), first.coefficient


def _total(coefficient: Any, single: bool) -> Any:
    """The sum over the modes of a coefficient, as a trace; in one dimension the number."""
    if single:
        return coefficient
    beside, of_mode = sp.factor(coefficient).as_independent(LI, as_Add=False)
    return beside * Trace(of_mode.subs(LI, CURVATURE))
