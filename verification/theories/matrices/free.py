"""Whether a quantity of a law moves with a letter: by a formula's derivative, and at random places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.errors import UnusableInput
from sgtheory.language import step_in
from sgtheory.modepairs.matrixform import from_pair
from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain, tidy
from sgtheory.notation.sentence import joined, say
from sgtheory.polynomials import factored
from verification.laws.dependence import ERROR, stands_still
from verification.laws.pair_form import LETTERS
from verification.laws.per_mode import General, spelt
from verification.laws.quantities import FUNCTIONALS
from verification.notation import EE, A, C, identity, trace
from verification.refuter.parameters import read_back, written_under
from verification.terms.asymptotics import Undecided, first_terms, is_zero
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.matrices import spectral
from verification.theories.matrices.noise import divided_by_gain, is_multiple
from verification.verdicts.verdict import Correction, Gap, differ

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_VARIANCES = {"C_ii": C, "EE_ii": EE}  # the matrices that they are of
_OF = {"formula": "", "sum": "", "matrix": "at a pair of modes, "}


def is_free_of(law: Law, quantity: Term, letter: Letter) -> Answer:
    """Both routes, where there are both; they have to say the same."""
    if _is_nowhere(law, quantity, letter):
        lemma = "{} is a letter of the problem, and nowhere in the step or the quantity."
        return Proved(say(lemma, letter))
    if divided_by_gain(law, quantity, letter) and any(is_multiple(law, c) for c in law.given):
        lemma = "The covariance is a number times the gain, which solves its equation."
        return Proved(lemma, facts={"dimensions": "every"})
    found = _at_modes(law, quantity, letter)
    by_formula, derivation = None, None
    if found is not None:
        slopes = [sp.diff(p, law.symbols(letter)) for p in found.parts]
        derivation = _told(found, slopes, letter)
        try:
            by_formula = all(is_zero(s) for s in slopes)
        except Undecided:
            by_formula = None
    seed = f"{quantity} {letter}"
    expr = law.symbols(quantity)
    at_places = stands_still(expr, law.setting, law.time, letter.name, law.given, seed)
    if None not in (by_formula, at_places) and by_formula != at_places:
        raise differ(seed, "a formula", f"free: {by_formula}", "random places", f"free: {at_places}")
    free = at_places if by_formula is None else by_formula
    if free is None:
        return Silent(Silence.NO_FORMULA, derivation=derivation)
    scope = "in dimension 3 and below" if found is None else found.scope
    facts = {} if at_places is None else {"at random places": at_places, "error": ERROR}
    about = say("Its derivative with respect to {}", letter)
    if free:
        part = "D <= 3" if found is None else ""
        lemma = say("{} vanishes identically, {}.", about, scope)
        return Proved(lemma, derivation, {"dimensions": scope, **facts}, part)
    where = "" if found is None else f", {scope}"  # at random places one dimension is enough
    return Disproved(say("{} does not vanish{}.", about, where), derivation, facts)


def _is_nowhere(law: Law, quantity: Term, letter: Letter) -> bool:
    """Whether a letter of every problem is in no step; another that is nowhere says nothing."""
    known = {a.name for a in quantity.letters}
    if law.setting is not None:
        known |= {s.name for _, e in law.setting.updates for s in e.free_symbols} | {"C"}
    if letter.name in known:
        return False
    if letter.name not in ("N", "S"):
        shown = ", ".join(sorted(n for n in known if "_" not in n))
        raise UnusableInput(
            f"a letter of the quantity or of its sampler ({shown})",
            letter.name,
            "name the parameter as it is declared",
        )
    return True


def slope(law: Law, quantity: Term, letter: Letter) -> Correction | None:
    """The derivative, where it is one formula."""
    found = _at_modes(law, quantity, letter)
    if found is None or len(found.parts) != 1:
        return None
    (noise,) = found.noises or (sp.Integer(1),)
    value = _tidy(sp.factor(sp.diff(found.parts[0], law.symbols(letter)))) * noise
    entry, over = ("_{ij}", "_ij") if found.form == "matrix" else ("", "")
    summed = ("\\sum_i ", "sum over i of ") if found.form == "sum" else ("", "")
    moved = rf"\partial_{{{letter.latex()}}} \left({quantity.latex()}\right){entry}"
    told = Formula(
        f"{moved} = {summed[0]}{latex(value)}",
        f"d({quantity}){over}/d{letter} = {summed[1]}{plain(value)}",
    )
    return Correction((told,), "proved", joined(_OF[found.form], found.scope, by=""))


def equation(law: Law, quantity: Term, letter: Letter) -> tuple[Term, Term, str] | None:
    """Both sides of an equation of the quantity in matrices, which is proved, and for which it is."""
    found = _at_modes(law, quantity, letter)
    sides = None if found is None or len(found.parts) != 1 else _in_matrices(quantity, found)
    if found is None or sides is None or not isinstance(law.vanishes(*sides), Proved):
        return None
    return *sides, found.scope


def _in_matrices(quantity: Term, found: General) -> tuple[Term, Term] | None:
    """What the quantity equals: a trace of functions of A and noise, or an equation that it solves."""
    above, below = sp.fraction(sp.cancel(found.parts[0]))
    _, factors = sp.factor_list(below, LI, LJ)
    factors = [f**k if sp.Poly(f, LI, LJ).coeffs()[-1].is_positive else (-f) ** k for f, k in factors]
    above = sp.factor(above * sp.cancel(sp.Mul(*factors) / below))
    if found.form == "matrix" and len(found.noises) == 1:
        moved, (noise,) = sp.Symbol("_X", commutative=False), found.noises
        left = from_pair(sp.expand(sp.Mul(*factors)), moved)
        right = from_pair(above, LETTERS.get(noise.name, identity))
        return from_sympy(left).put({Letter("_X", "matrix"): quantity}), from_sympy(right)
    noises = [s for s in above.free_symbols if s.name in _VARIANCES]
    if found.form != "sum" or len(noises) > 1 or below.has(*noises, LJ):
        return None
    numbers = sp.cancel(above / noises[0]) if noises else above
    if numbers.has(*noises) or not numbers.is_polynomial(LI):
        return None
    core = [_VARIANCES[n.name] for n in noises]
    inverses = (_of_curvature(f) ** -1 for f in factors)
    return quantity, from_sympy(trace(sp.Mul(*inverses, _of_curvature(numbers), *core)))


def _of_curvature(polynomial: Any) -> Any:
    """A polynomial in an eigenvalue of A, as one in A; a number is that multiple of the identity."""
    terms = sp.Poly(polynomial, LI).terms()
    if len(terms) == 1:
        return terms[0][1] * A ** terms[0][0][0]
    return sp.Add(*(factored(c) * (A**k if k else identity) for (k,), c in terms))


def gap_of_slope(law: Law, quantity: Term, letter: Letter) -> Gap | None:
    """How fast the dependence vanishes with the step, where it does."""
    found = _at_modes(law, quantity, letter)
    if found is None or len(found.parts) != 1:
        return None
    (q,), moved = found.parts, law.symbols(letter)
    step = step_in(q)
    if moved == step and found.form == "sum":
        whole = leading(q, step)
        return None if whole is None else spectral.between(step, q - q.subs(step, 0), whole[1])
    try:
        if moved == step:
            terms = first_terms(q, step, count=2)
            if len(terms) < 2 or terms[0].power != 0 or terms[0].logs:
                return None
            size, order = terms[1].written(step) / terms[0].coefficient, terms[1].power
        else:
            first = first_terms(moved * sp.diff(q, moved) / q, step, count=1)[0]
            size, order = first.written(step), first.power
    except (Undecided, ZeroDivisionError):
        return None
    if order <= 0 or order == float("inf"):
        return None
    return Gap.of(step, order, sp.factor(size))


def _at_modes(law: Law, quantity: Term, letter: Letter) -> General | None:
    """The quantity at a generic mode, under what is given of numbers; matrices do not move there."""
    found = None if letter.kind == "matrix" else law.formula(quantity, law.given)
    if found is None or any(part.has(*FUNCTIONALS) for part in found.parts):
        return None  # a trace of the law beside its entries is no constant
    spelled = (spelt(p, law.symbols(letter)) for p in found.parts)
    # what is given is put in, where it cancels something; the letter itself is what moves
    parts = tuple(read_back(written_under(p, law.given), law.given) for p in spelled)
    return General(parts, found.form, found.scope, found.noises)


def _told(found: General, slopes: list[Any], letter: Letter) -> Derivation:
    name = Formula(rf"\partial q / \partial {letter.latex()}", f"dq/d{letter}")
    values = tuple(Equation(Formula("q", "q"), _tidy(p)) for p in found.parts)
    rest = tuple(Equation(name, sp.factor(sp.simplify(s))) for s in slopes)
    steps = (
        Step("The quantity", say("In symbols, {}:", found.scope), values),
        Step("Its derivative", say("With respect to {}:", letter), rest),
    )
    return Derivation("Dependence on a letter", steps, ())


def _tidy(expr: Any) -> Any:
    return tidy(expr) if expr.is_rational_function(*expr.free_symbols) else expr
