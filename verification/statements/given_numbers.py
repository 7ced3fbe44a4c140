"""Which statements are ones of a law in numbers: what is given says what its matrices are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Gradient, MatrixName
from sgtheory.errors import UnusableInput
from sgtheory.notation.printing import tidy
from sgtheory.setting import Setting
from verification import notation
from verification.laws.quantities import setting_of
from verification.laws.second_moments import SecondMoments, second_moments
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.iff import Iff
from verification.relations.stable import EIGENVALUE
from verification.statements.innumbers import IN_TIME, InNumbers, NotInNumbers
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, term
from verification.terms.words import theories_of

_PROBLEM = ("A", "C", "H")  # of which it may be given that they are multiples of the identity


def in_numbers(
    of: Any,
    time: str,
    statement: Any,
    given: tuple[Any, ...],
    letters: Iterable[Letter],
    noiseless: bool = False,
) -> tuple[InNumbers, tuple[Any, ...]] | None:
    """The law of a statement in numbers and what is given then; None where it is no such law.

    A law whose gradients have no noise is a function of A too, if that is asked for.
    """
    told = [r for h in given for r in getattr(h, "relations", ())]
    if not of or time != "discrete" or not _is_about_a_law(statement):
        return None
    try:
        setting = setting_of(of)
    except UnusableInput:  # a sampler that is not there is told later
        return None
    single = any(r.relation == "=" and _is_dimension(r.left) and r.right == term(1) for r in told)
    values = dict(_multiples(told, single))
    own = [p for p in setting.sampler.parameters if isinstance(p, MatrixName) and p.name not in values]
    plain = not (isinstance(of, str) or _has_matrices(setting))  # its letters are numbers
    alike = single or "A" in values or plain
    calm = noiseless and not (setting.gradient_noises or own)
    isotropic = ("C" in values or calm) and not isinstance(of, str)  # then all is a function of A
    if not alike and not isotropic and (not own or setting.gradient_noises):
        return None
    law = second_moments(setting)
    ordered = single and any(isinstance(r, Compare) or _chooses(r) for r in statement.relations)
    every = plain or ordered or (single and not isinstance(of, str))
    told_of = law is not None and (law.random or law.where or "A" in values or own or every or isotropic)
    if law is None or not told_of or (law.random and not alike):
        return None
    made_of = _Made(of, setting, law, told, given, tuple(letters), single, not alike)
    try:
        return made_of.numbers(statement, values, own)
    except (NotInNumbers, TypeError):
        return None


@dataclass(frozen=True)
class _Made:
    """What a law in numbers is made of; ``every`` where a number stands for each eigenvalue of A."""

    of: Any
    setting: Setting
    law: SecondMoments
    told: list[Any]
    given: tuple[Any, ...]
    letters: tuple[Letter, ...]
    single: bool
    every: bool

    def numbers(
        self, statement: Any, values: dict[str, Term], own: list[Any]
    ) -> tuple[InNumbers, tuple[Any, ...]]:
        """The law, and what is given."""
        known = values | self._of_the_problem(statement, values)
        for p in own:
            known[p.name] = self._solved(p, known)
        found = self._law(known)
        meant = found.meant(statement)
        if not theories_of(side for one in meant.relations for side in one.sides) <= {"scalars"}:
            raise NotInNumbers(meant.text())
        if self.every:
            self._refuse_ends(statement.relations, found)
        asks = _asks_whether_it_settles(statement)
        exists = () if asks else (*found.settles, *found.settle_elsewhere(statement))
        where = [a for a, _ in self.setting.sampler.where]
        bounds = (h for h in self.setting.sampler.given if not (where and h.has(*where)))
        told = (d for d in found.definitions if d.left in statement.letters)
        solved = [r for p in own for r in _as_solved(p, known[p.name])]
        meaningful = (one for e in self.law.where if (one := found.halves(e)).letters)
        return found, (*self._rest(found, known), *solved, *bounds, *meaningful, *exists, *told)

    def _of_the_problem(self, statement: Any, values: Mapping[str, Term]) -> dict[str, Term]:
        exprs = (*self.law.moments.values(), *self.law.settles)
        met = (*statement.letters, *(a for r in self.told if not _is_definite((r,)) for a in r.letters))
        names = {s.name for e in exprs for s in e.free_symbols} | {a.name for a in met}
        found: dict[str, Term] = {}
        for name in ("A", "C"):
            if name in values or name not in names:
                continue
            may_vanish = name == "C" and not _is_definite(self.given)
            ordered = any(isinstance(r, Compare) for r in statement.relations)
            if name == "C" and (self.every or (may_vanish and not self.single)):
                raise NotInNumbers(f"{name} is no multiple of the identity")
            kind = "nonnegative" if may_vanish and ordered else "positive"
            found[name] = EIGENVALUE if self.every else Letter(name, kind)  # C was none then
        return found

    def _law(self, known: Mapping[str, Term]) -> InNumbers:
        of_matrices = tuple((Letter(n, "matrix"), value) for n, value in known.items())
        if not any(p.name == "lambda" for p in self.setting.sampler.parameters) and "A" in known:
            of_matrices = (*of_matrices, (Letter("lambda"), known["A"]))
        sizes = ((r.left, r.right) for r in self.told if r.relation == "=" and _is_number(r))
        of_matrices = (*of_matrices, *sizes)
        own: dict[str, Letter] = {}
        for a in self.letters:  # those of the statement come first
            if isinstance(a, Letter) and a.kind not in ("matrix", "dimension"):
                own.setdefault(a.name, a)
        return InNumbers(self.of, self.setting, of_matrices, tuple(own.values()), self.single)

    def _solved(self, p: Any, known: Mapping[str, Term]) -> Term:
        """A matrix of the sampler by an equation that is given for it; in one dimension a letter."""
        law, name = self._law({**known, p.name: Letter(p.name)}), Letter(p.name, "matrix")
        for one in self.told:
            if one.relation != "=" or name not in one.letters:
                continue
            sides = [in_symbols(law.number(side)) for side in one.sides]
            x = symbol(Letter(p.name))
            found = sp.solve(sides[0] - sides[1], x, dict=True)
            if len(found) == 1 and not found[0][x].has(x):
                return law.in_letters(tidy(sp.factor(found[0][x])))
        alone = {str(a) for a, value in self.setting.sampler.defaults if value == "identity"}
        if self.law.where and p.name in alone - {a.name for a in self.letters}:
            return term(1)  # as everywhere where nothing is said of it
        if not self.single or p.name not in {getattr(a, "name", a) for a in self.letters}:
            raise NotInNumbers(f"{p.name} is no function of the curvature")
        return term(p)

    def _rest(self, found: InNumbers, known: Mapping[str, Term]) -> list[Any]:
        """What is given beside what matrices are, which is shown, and has been put in."""
        rest: list[Any] = []
        for one in self.given:
            relations = getattr(one, "relations", ())
            multiples = {n: x for n, x in known.items() if n not in self._own}
            if not relations or any(_says_what(r, multiples) for r in relations):
                rest.append(one)
            elif not all(_is_used(r, known, self.single) or self._solves(r) for r in relations):
                if self.every:
                    self._refuse_ends(relations, found)
                rest.extend(found.relations(relations))
        return [r for r in rest if getattr(r, "left", None) != getattr(r, "right", 0)]

    def _solves(self, one: Any) -> bool:
        """Whether it is an equation by which a matrix of the sampler is known."""
        own = self._own
        return one.relation == "=" and any(a.kind == "matrix" and a.name in own for a in one.letters)

    @property
    def _own(self) -> set[str]:
        known = dict(_multiples(self.told, self.single))
        names = {p.name for p in self.setting.sampler.parameters if isinstance(p, MatrixName)}
        return names - known.keys()

    def _refuse_ends(self, relations: Iterable[Any], found: InNumbers) -> None:
        """An eigenvalue may stand for the largest one, where that is bounded from above.

        So it is by room that falls with it, and by room on a line that begins above zero.
        """
        for one in relations:
            parts = one.when.relations if isinstance(one, Iff) else (one,)
            for part in (p for p in parts if _heads(p) & {"lambda_max", "lambda_min"}):
                small, large = (in_symbols(found.number(side)) for side in part.sides)
                small, large = (large, small) if ">" in part.relation else (small, large)
                room, x = sp.expand(large - small), symbol(EIGENVALUE)
                slope = sp.factor(sp.diff(room, x))
                begins = not slope.has(x) and room.subs(x, 0).is_positive
                if "lambda_min" in _heads(part) or not (slope.is_negative or begins):
                    raise NotInNumbers(part.text())
            if isinstance(one, Iff) and _heads(one.statement) & {"lambda_max", "lambda_min"}:
                raise NotInNumbers(one.text())


def _as_solved(own: Any, value: Term) -> Iterator[Any]:
    """What a matrix of a sampler is, and that it is one: positive, or of either sign and real."""
    if isinstance(value, Letter):
        return
    yield Equal(Letter(own.name, "matrix"), value)
    expr = in_symbols(value)
    square = expr if expr.is_rational_function() else sp.expand(expr**2)
    if own.is_positive and not square.is_positive:
        yield Compare(from_sympy(tidy(sp.factor(square))), ">", 0)


def _heads(relation: Any) -> set[str]:
    return {t.head for s in relation.sides for t in s.subterms() if isinstance(t, Applied)}


def _is_about_a_law(statement: Any) -> bool:
    """Of its moments; in time, where nothing grows and windows are numbers or what is said an order."""
    names = {a.name for a in statement.letters}
    in_time = [t for one in statement.relations for side in one.sides for t in side.subterms()
               if isinstance(t, Applied) and t.head in IN_TIME]  # fmt: skip
    ordered = all(isinstance(one, Compare) for one in statement.relations)
    if in_time:
        return ordered or not any(t.letters for t in in_time)
    return _asks_whether_it_settles(statement) or any(n == "Sigma" or n.startswith("P_") for n in names)


def _asks_whether_it_settles(statement: Any) -> bool:
    return any(getattr(r, "settling", False) for r in statement.relations)


def _has_matrices(setting: Setting) -> bool:
    return any(e.has(Apply, Gradient) for _, e in setting.updates)


def _is_number(one: Any) -> bool:
    """Whether it says which number a letter is."""
    named = isinstance(one.left, Letter) and one.left.kind not in ("matrix", "dimension")
    return named and not one.right.letters and bool(in_symbols(one.right).is_Rational)


def _chooses(relation: Any) -> bool:
    """Whether it says which number is best."""
    return any(a.kind != "matrix" for a in relation.chosen)


def _is_dimension(side: Any) -> bool:
    return getattr(side, "kind", "") == "dimension"


def _is_definite(given: tuple[Any, ...]) -> bool:
    """Whether the noise covariance is given to be definite."""
    told = (r for h in given for r in getattr(h, "relations", ()))
    return any(str(r.left) == "C" and r.relation == ">" and r.right == term(0) for r in told)


def _multiples(told: Iterable[Any], single: bool) -> Iterator[tuple[str, Term]]:
    """Matrices that are given as numbers times the identity, or in one dimension as numbers."""
    known: dict[Letter, Term] = {}
    for one in told:
        if one.relation != "=" or not isinstance(one.left, Letter) or one.left.name not in _PROBLEM:
            continue
        expr = sp.expand(in_symbols(one.right.put(known)))
        rest = sp.expand(expr / notation.identity) if expr != 0 else expr
        value = sp.expand(expr.subs(notation.identity, 1))
        times = rest.is_commutative and not rest.has(notation.identity)
        if value.is_commutative and (times or single):
            known[one.left] = one.right
            yield one.left.name, from_sympy(tidy(sp.factor(value)))


def _says_what(one: Any, values: Mapping[str, Term]) -> bool:
    """Whether a hypothesis says what a matrix of the problem is."""
    named = isinstance(one.left, Letter) and one.left.name in values and one.left.name in _PROBLEM
    return one.relation == "=" and named


def _is_used(one: Any, values: Mapping[str, Term], single: bool) -> bool:
    """Whether a hypothesis says what is so in numbers anyway."""
    if _is_definite((one,)):
        return values.get("C", Letter("C")) == Letter("C")  # as a letter it is positive
    return single and _is_dimension(one.left)
