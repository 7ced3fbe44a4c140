"""Equalities of traces and log determinants under the law of a sampler, in symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.matrices.coefficients import MatrixScalar, canonical
from sgtheory.matrices.letters import letters_of
from sgtheory.matrices.scalars import LogDet
from sgtheory.matrices.scalars import Trace as EngineTrace
from sgtheory.modepairs.matrixform import blocks as named_blocks
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.matrixwords import EE, SIGMA, A, Determinant, H, Trace
from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import formula_of
from sgtheory.setting import Setting
from verification.laws.gains import equation_of_gain
from verification.notation import N
from verification.refuter.conditions import (
    AreProportional,
    Commute,
    Condition,
    IsIdentity,
    IsIsotropic,
    OneDimensional,
)
from verification.refuter.parameters import Is, written_under
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.matrices.one_dimension import at_numbers, has_gain, letters_in_one
from verification.theories.matrices.solution import only_solution
from verification.theories.matrices.wordletters import REFUSED, TRAITS

_F = sp.Symbol("F", commutative=False)  # E E^T, whose name would be read as a transpose
_SIGMA_0 = sp.Symbol("Sigma_0", commutative=False)


@dataclass(frozen=True)
class Balance:
    """The law (if any) and the letters that an equality is about."""

    law_of: Setting | None
    time: str
    put: tuple[tuple[Any, Any], ...]
    given: tuple[Condition, ...]
    kinds: Mapping[str, str]

    @property
    def blocks(self) -> dict[str, tuple[str, str]]:
        """The names of second moments, each with its two states; none where it is about no law."""
        return {} if self.law_of is None else named_blocks(s.name for s in self.law_of.state)

    @property
    def equal_scalars(self) -> tuple[Condition, ...]:
        """What is given of scalars as equations, such as S = 1."""
        return tuple(c for c in self.given if isinstance(c, Is))

    def law(self, gain: bool, blocks: bool = False) -> list[tuple[Any, Any]]:
        """The equation of Sigma, with the gain or without; of every block of second moments."""
        if self.law_of is None:
            return []
        pair = stationary(self.law_of, self.time)
        names = [s.name for s in pair.form.states] if blocks else []
        laws = [law_equation(pair, a, b) for a in names for b in names] or [law_equation(pair)]
        found: list[Any] = []
        for law in laws:
            left, right = law.left, law.right
            for letter, value in (*self.put, *(() if gain else ((H, 1),))):
                left, right = (sp.sympify(s).subs(letter, value) for s in (left, right))
            found.append(tuple(sp.expand(written_under(s, self.equal_scalars)) for s in (left, right)))
        return found


@dataclass(frozen=True)
class Shown:
    """What the symbolic route says of two sides, and what is left of their difference."""

    holds: bool | None
    rest: Any
    by_the_law: bool = False

    def answer(self, lemma: str, differs: str) -> Answer:
        """With a lemma where it holds, and what is said where it does not."""
        if self.holds is None:
            return Silent(Silence.NO_FORMULA)
        shown = self.rest if isinstance(self.rest, sp.Basic) else mx.to_sympy(self.rest)
        difference = Formula(r"\text{left} - \text{right}", "left - right")
        equation = Equation(difference, formula_of(shown))
        step = Step("Left minus right", "In normal form, with the law as an equation:", (equation,))
        facts = {"dimensions": "every", "difference": plain(shown), "by_the_law": self.by_the_law}
        told = Derivation("Normal form", (step,), ())
        return Proved(lemma, told, facts) if self.holds else Disproved(differs, told, facts)


def equal(
    left: Any, right: Any, about: Balance, extra: tuple[tuple[Any, Any], ...] = ()
) -> Shown | None:
    """Whether two sides are equal, extra equations given; None where the engine refuses their form."""
    if any(isinstance(p, OneDimensional) for c in about.given for p in c.parts):
        return _in_one(left, right, about)
    own = {s.name for s in left.free_symbols | right.free_symbols} - {"Sigma"}
    blocks = not own.isdisjoint(about.blocks)
    law = [*about.law(has_gain(left, right), blocks), *extra] if extra or blocks else None
    found = _engine(left, right, about, law, all_laws=bool(extra) or blocks)
    if found is None:
        return None
    sides, hypotheses = found
    try:
        proof = mx.prove_equal(*sides, hypotheses)
    except REFUSED:
        return None
    holds = True if proof.proved else False if proof.verdict == "differs" else None
    plainly = mx.prove_equal(*sides).proved if holds and about.law_of is not None else True
    return Shown(holds, sp.Integer(0) if proof.proved else proof.difference, not plainly)


def constant_difference(left: Any, right: Any, moving: tuple[Any, ...], about: Balance) -> Shown | None:
    """Whether left minus right can be written without the letters that move."""
    scaled = _scaled(left, right, moving, about)
    left, right, about_law = scaled if scaled else (left, right, about.law(has_gain(left, right)))
    found = _engine(left, right, about, about_law)
    if found is None:
        return None
    (first, second), hypotheses = found
    names = {s.name for s in moving} | {"Sigma"}
    rest = canonical(first - second)
    if any(_letters(a) & names for a in rest.atoms(LogDet)):
        return None  # no equation of matrices takes it away
    kept = sp.Add(*(t for t in sp.Add.make_args(sp.expand(rest)) if not _letters(t) & names))
    try:
        proof = mx.prove_equal(rest, canonical(kept), hypotheses)
    except REFUSED:
        return None
    return Shown(True, kept) if proof.proved else None  # a constant is not seen: derivatives decide


def _in_one(left: Any, right: Any, about: Balance) -> Shown:
    known = letters_in_one((left, right), about)
    rest = sp.simplify(sp.expand_log(at_numbers(left, known) - at_numbers(right, known), force=True))
    return Shown(rest == 0, rest)


# -- how the engine is asked ---------------------------------------------------------------------


def _engine(
    left: Any,
    right: Any,
    about: Balance,
    law: list[tuple[Any, Any]] | None = None,
    all_laws: bool = False,
) -> tuple[tuple[Any, Any], list[Any]] | None:
    """Both sides and all hypotheses in the engine's own form."""
    gain = has_gain(left, right)
    law = about.law(gain or any(s == H for s, _ in about.put)) if law is None else law
    replaced = {**_replacement(about.given), EE: _F}
    sides = [sp.sympify(s).subs(replaced) for s in (left, right)]
    equations = [(a.subs(replaced), b.subs(replaced)) for a, b in law]
    wanted = equation_of_gain(about.law_of, about.time, about.given, about.put)
    if wanted is not None and wanted.solved_by(dict(about.put)[H]):
        # the equation has one solution, as H A has positive eigenvalues
        sides = [sp.expand(s.subs(SIGMA, A**-1 / N)) for s in sides]
    only = only_solution(equations) if replaced.keys() - {EE} else None
    sides = sides if only is None else [sp.expand(s.subs(SIGMA, only)) for s in sides]
    if not all_laws and not any(SIGMA in s.free_symbols or _SIGMA_0 in s.free_symbols for s in sides):
        equations = []
    every = [*sides, *(s for e in equations for s in e)]
    strong = any(_needs_inverse(s) for s in sides)
    names = sorted({s.name for e in every for s in e.free_symbols if not s.is_commutative} - {"I"})
    letters = {n: mx.matrix(n, *_traits(n, about, strong)) for n in names}
    try:
        read = [mx.from_sympy(s, letters.values(), declared=True) for s in sides]
        if any(isinstance(s, mx.Matrix) for s in read):
            read = [s if isinstance(s, mx.Matrix) else s * mx.I for s in read]
        given = [mx.equation(*(mx.from_sympy(s, letters.values()) for s in e)) for e in equations]
    except REFUSED:
        return None
    return (read[0], read[1]), [*given, *_commuting(letters, about)]


def _needs_inverse(expr: Any) -> bool:
    return bool(expr.has(Determinant)) or any(
        not p.is_commutative and p.exp.is_negative for p in expr.atoms(sp.Pow)
    )


def _traits(name: str, about: Balance, strong: bool) -> tuple[str, ...]:
    if about.law_of is not None and name in ("Sigma", "Sigma_0", "C", "F"):
        # a sum of B B^T and E E^T may be regular where neither is
        sure = strong and (name != "F") and not (name == "C" and "E" in about.kinds)
        return ("positive_definite",) if sure else ("symmetric",)
    if name in about.blocks:
        a, b = about.blocks[name]
        return ("symmetric",) if a == b else ()
    return TRAITS.get(about.kinds.get(name, "positive definite"), ())


def _commuting(letters: Mapping[str, Any], about: Balance) -> list[Any]:
    """Pairs that commute by hypothesis; with A and C (and no gain), so does Sigma."""
    pairs = {frozenset(p.letters) for c in about.given for p in c.parts if isinstance(p, Commute)}
    if "H" in letters:
        together = all(frozenset(p) in pairs for p in (("A", "C"), ("A", "H"), ("C", "H")))
        if together and "F" not in letters:
            pairs |= {frozenset(("Sigma", x)) for x in ("A", "C", "H")}
    elif frozenset(("A", "C")) in pairs and "F" not in letters:
        moments = [n for n in letters if n in ("Sigma", "Sigma_0") or n in about.blocks]
        pairs |= {frozenset((s, x)) for s in moments for x in (*moments, "A", "C") if s != x}
    free = {n: letters[f"{n}_free"] for p in pairs for n in p if f"{n}_free" in letters}
    known = {**letters, **{n: F - F.T for n, F in free.items()}}  # antisymmetric ones
    told = [[known[n] for n in p] for p in sorted(map(sorted, pairs)) if set(p) <= set(known)]
    return [mx.equation(x * y, y * x) if free else mx.commute(x, y) for x, y in told]


def _replacement(given: tuple[Condition, ...]) -> dict[Any, Any]:
    """A letter that a condition makes a multiple of another, or of the identity."""
    found: dict[Any, Any] = {}
    for part in (p for c in given for p in c.parts):
        letters = [sp.Symbol(n, commutative=False) for n in part.letters]
        scale = sp.Symbol(f"_{'_'.join(part.letters)}", positive=True)
        if isinstance(part, IsIsotropic):
            scale = sp.Integer(1) if isinstance(part, IsIdentity) else scale
            found[letters[0]] = scale * sp.Symbol("I", commutative=False)
        if isinstance(part, AreProportional):
            found[letters[0]] = scale * letters[1]
    return found


def _scaled(
    left: Any, right: Any, moving: tuple[Any, ...], about: Balance
) -> tuple[Any, Any, list[tuple[Any, Any]]] | None:
    """Sigma as powers of the scalars that move times a matrix that does not, where the law allows it."""
    gain = has_gain(left, right)
    if about.law_of is None or not all(s.is_commutative for s in moving):
        return None
    ((first, second),) = about.law(gain)
    factor = sp.Integer(1)
    for s in moving:
        powers = [p for p in (1, -1) if _is_free(first.subs(SIGMA, s**p * _SIGMA_0), second, s, p)]
        if _is_free(first, second, s, 0):
            powers = [0]
        if not powers:
            return None
        factor *= s ** powers[0]
    new = factor * _SIGMA_0
    law = (sp.expand(first.subs(SIGMA, new) / factor), sp.expand(second / factor))
    return (*(_expanded(e.subs(SIGMA, new)) for e in (left, right)), [law])


def _is_free(left: Any, right: Any, s: Any, power: int) -> bool:
    rest = sp.expand((left - right) / s**power)
    return s not in rest.free_symbols


def _expanded(expr: Any) -> Any:
    return expr.replace(Trace, lambda m: Trace(sp.expand(m)))


def _letters(term: Any) -> set[str]:
    """All names in a scalar of the engine."""
    found = {s.name for s in term.free_symbols}
    for atom in term.atoms(MatrixScalar):
        found |= {x.name for x in letters_of(atom.word)}
    return found


# -- minima ----------------------------------------------------------------------------------------


def scaled_by(formula: Any, value: Any, x: Any, about: Balance) -> tuple[Any, Any] | None:
    """A formula, and a value, in a positive number and in letters for traces and log determinants."""
    if about.law_of is not None and SIGMA in formula.free_symbols:
        found = _scaled(formula, value, (x,), about)
        if found is None:
            return None
        formula, value, _ = found
    engine = _engine(formula, value, about, [])
    if engine is None:
        return None
    sides, _ = engine
    if not all(isinstance(s, sp.Expr) for s in sides):  # a value that is a matrix
        return None
    held = {a: _scalar_letter(a) for s in sides for a in s.atoms(MatrixScalar)}
    return sides[0].xreplace(held), sides[1].xreplace(held)


def _scalar_letter(atom: Any) -> Any:
    return sp.Symbol(str(atom), real=True, positive=True if isinstance(atom, EngineTrace) else None)


def convex_in_gain(formula: Any, letter: Any, value: Any, among: str, about: Balance) -> Answer:
    """Whether a gradient vanishes at a value, and the second differential is positive everywhere."""
    kind = "diagonal" if among == "diagonal" else "positive definite"
    about = replace(about, kinds={**about.kinds, letter.name: kind})
    symbols = {s for e in (formula, value, letter) for s in sp.sympify(e).free_symbols}
    names = sorted({s.name for s in symbols if not s.is_commutative} - {"I"})
    letters = {n: mx.matrix(n, *_traits(n, about, True)) for n in names}
    x = letters[letter.name]
    try:
        whole = mx.from_sympy(formula, letters.values(), declared=True)
        slope = mx.gradient(whole, x).value
        at = mx.substitute(slope, {x: mx.from_sympy(value, letters.values(), declared=True)})
        towards = mx.matrix("dX", "diagonal" if among == "diagonal" else "symmetric")
        sign = mx.quadratic_sign(mx.second_differential(whole, x, towards), towards)
    except REFUSED:
        return Silent(Silence.NO_FORMULA)
    shown = (Formula(mx.latex(e), mx.plain(e)) for e in (slope, at))
    gradient = tuple(Equation(Formula(r"\nabla F", "grad F"), one) for one in shown)
    step = Step("The gradient", "In the gain, and at the printed value:", gradient)
    told, every = Derivation("A minimum", (step,), ()), {"dimensions": "every"}
    if at:
        return Disproved("The gradient does not vanish there.", told, every)
    if sign is mx.Sign.DEFINITE:
        lemma = "The gradient vanishes there, and the second differential is positive definite."
        return Proved(lemma, told, every)
    return Silent(Silence.NO_CERTIFICATE, derivation=told) if among else Silent(Silence.NO_FORMULA)
