"""What is known of a sampler's letters and places, whatever form its law has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from sgtheory.declare import MatrixName
from sgtheory.modepairs.stability import stability
from sgtheory.notation.printing import plain
from sgtheory.onestep.affine import mode_form
from sgtheory.setting import Setting
from verification import notation
from verification.laws.fixed import Fixed
from verification.laws.quantities import FUNCTIONALS, space_of, times_of
from verification.refuter.conditions import Condition
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Letter, Term
from verification.theories.matrices import elsewhere, increments, reader, solving
from verification.theories.matrices.relaxation import RELAXATION
from verification.theories.subject import About, Subject


@dataclass(frozen=True)
class Sampled(Subject):
    """A sampler on the quadratic model in one reading of time; without one, letters alone."""

    setting: Setting | None = None
    time: str = "continuous"
    kinds: tuple[tuple[str, str], ...] = ()
    sets: tuple[tuple[Letter, Term], ...] = ()  # letters of the problem that are set as formulas
    given: tuple[Condition, ...] = ()  # of matrices
    runs: Setting | None = field(default=None, kw_only=True)  # what adds to moments that are letters
    gain: bool = field(default=False, kw_only=True)  # whether that sampler has one
    small: tuple[str, ...] = field(default=(), kw_only=True)  # letters that are taken to zero in words
    told: tuple[Any, ...] = field(default=(), kw_only=True)  # relations that are given
    bounds: tuple[Any, ...] = field(default=(), kw_only=True)  # inequalities that are given
    _letters: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False, kw_only=True)

    solves = True
    letters_taken = frozenset({"matrix", "dimension"})

    @property
    def fixed(self) -> tuple[Fixed, ...]:
        """The matrices that what is given fixes."""
        return ()

    def symbols(self, side: Term) -> Any:
        """A term in the symbols in which laws are derived."""
        known = {s.name: s for s in vars(notation).values() if isinstance(s, sp.Symbol)}
        if self.setting is not None:
            own = [p for p in self.setting.sampler.parameters if not isinstance(p, MatrixName)]
            own += [a for a, _ in self.setting.sampler.where]
            known |= {s.name: s for s in own if s.name not in known or known[s.name].is_commutative}
        expr = in_symbols(self.spelt(side))
        return expr.xreplace({s: known[s.name] for s in expr.free_symbols if s.name in known})

    def letters(self, sides: Iterable[Term]) -> tuple[Any, ...]:
        """The symbols of all letters, also of those that cancel."""
        if (every := tuple(sides)) not in self._letters:
            found = dict.fromkeys(a for side in every for a in side.letters)
            self._letters[every] = tuple(dict.fromkeys(map(self.symbols, found)))
        return self._letters[every]

    def times(self, sides: Iterable[Term]) -> dict[str, str]:
        """Whose laws some terms look at."""
        exprs = self.letters(sides)
        own = {"": self.time} if self.runs is not None or RELAXATION in exprs else {}
        return {**own, **times_of(exprs, self.time)}

    def space(
        self, sides: Iterable[Term], without: Iterable[Letter] = (), held: Iterable[str] = ()
    ) -> Space:
        """Small problems of the sampler, the letters of some terms, and those of conditions."""
        beside = tuple(sp.Symbol(n, positive=True) for n in sorted(held))
        outside = {RELAXATION.name, *(a.name for a in without), *(a.name for a, _ in self.sets)}
        exprs = (*self.letters((*sides, *(value for _, value in self.sets))), *beside)
        if self.runs is not None:
            return increments.space(self.runs, exprs, dict(self.kinds), tuple(outside), self.gain)
        found = space_of(exprs, self.setting, dict(self.kinds), tuple(outside))
        matrices = dict(found.matrices)
        own = {s.name for s in exprs if not s.is_commutative and not times_of((s,), self.time)}
        free = own - {"I", "C", "H", "EE^T", *matrices}
        matrices |= dict.fromkeys(sorted(free), "positive definite")
        matrices |= {n: kind for n, kind in self.kinds if kind in MATRIX_KINDS}
        return replace(found, matrices={n: k for n, k in matrices.items() if n not in outside})

    def places(self, about: About) -> Space:
        """Those that its terms and what is given need."""
        return self.space((*about.terms, *about.letters), about.set_here, about.held)

    opened = solving.opened  # the letters of a place, before any law is solved
    solved = solving.solved  # the letters of a place and the moments there; None without a law

    def problem(self, place: Place) -> dict[str, Any]:
        """A place as it is shown, without second values."""
        return solving.shown(self, place).to_json()

    @property
    def abbreviations(self) -> tuple[tuple[Any, Any], ...]:
        """What its sampler writes c for, such as exp(-gamma eps): it moves with the step."""
        return () if self.setting is None else tuple(self.setting.sampler.where)

    def spelt(self, side: Term) -> Term:
        """A term in which quantities of other laws are written out in those laws' moments."""
        return elsewhere.spelt(side)

    def constant(self, side: Term, given: tuple[Condition, ...] = ()) -> Any:
        """What a letter is set to: in one dimension a formula, else its traces are letters."""
        whole, expr = reader.general(self.symbols(side), None, self.time, given), self.symbols(side)
        if whole is not None and whole.form == "formula":
            return whole.parts[0]
        pieces = sorted(expr.atoms(*FUNCTIONALS), key=str)
        return expr.subs({p: sp.Symbol(plain(p), positive=True) for p in pieces})

    def positive(self, sides: tuple[Term, ...]) -> tuple[Any, ...]:
        """What has to be positive for the discrete law to exist at all, such as 2 - mu."""
        if self.setting is None or "discrete" not in self.times(sides).values():
            return ()
        limit = stability(mode_form(self.setting, "discrete")).limit
        factors = () if limit is None else sp.Mul.make_args(sp.fraction(sp.factor(limit))[0])
        return tuple(f for f in factors if f.is_Add)
