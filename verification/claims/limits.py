"""What claims about a limit share: a letter that vanishes or grows, and quantities on the way."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.declare import Parameter
from sgtheory.language import STEP
from sgtheory.printing import plain
from sgtheory.setting import Setting
from sgtheory.stability import stability
from verification.along import Path
from verification.asymptotics import Term, Undecided, first_terms, sign
from verification.claims.few import FewPlaces
from verification.miner.conditions import Condition, conditions
from verification.miner.scalars import (
    ONE,
    OnScalars,
    read_back,
    scalar_conditions,
    written_under,
)
from verification.permode import General, general, spelt
from verification.quantities import FUNCTIONALS, space_of, times_of
from verification.rational import problem_space
from verification.refuter.alongscript import along_script
from verification.refuter.places import Place, Space
from verification.refuter.script import run
from verification.refuter.search import Failure
from verification.verdict import Finding

STEP_CHOICES = ((2, 3), (4, 6), (4, 64))  # points 16^-k of a script, the near ones if they show it
SHOWN = (1, 2, 3)  # and those at which values are written out


@dataclass(frozen=True)
class Limiting(FewPlaces):
    """A statement about what happens as ``variable`` tends to 0 (or to infinity: ``limit="oo"``).

    ``where`` sets other letters as formulas of it, such as the step at its best; ``kinds`` names the
    kind of a letter where it is not seen from the letter itself, such as a damping in (0, 1).
    """

    variable: Any = STEP
    limit: str = "0"
    where: tuple[tuple[Any, Any], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> Path:
        """How the limit is approached."""
        kinds = problem_space(self.law_of).scalars if self.law_of else {}
        halved = kinds.get(self.variable.name) == "half square"
        return Path(self.variable, self.limit, self.where, Fraction(1, 2 if halved else 1))

    @property
    def necessity_looks(self) -> int:
        """Fewer, because each takes several laws."""
        return 40

    @property
    def law_of(self) -> Setting | None:
        """The sampler whose law is looked at, if there is one."""
        return self.setting if self.of else None

    def quantities(self) -> tuple[Any, ...]:
        """What is looked at on the way."""
        return tuple(side for p in self.printed for side in (p.left, p.right))

    def space(self) -> Space:
        """All letters but those that the path sets."""
        named = {
            n for c in self.conditions for p in c.parts if isinstance(p, OnScalars) for n in p.letters
        }
        held = tuple(sp.Symbol(n, positive=True) for n in sorted(named - {ONE}))
        exprs = (*self.quantities(), *(v for _, v in self.where), *held)
        return space_of(exprs, self.law_of, dict(self.kinds), self.path.set_here)

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Of matrices where there are some, else of scalars."""
        space = self.space()
        if space.matrices:
            return conditions(self.letters())
        return tuple(scalar_conditions(tuple(n for n, k in space.scalars.items() if k == "positive")))

    def random_place(
        self, source: random.Random, under: Condition | None = None, size: int | None = None
    ) -> Place | None:
        """None also where scalars do not meet what is given of them."""
        place = super().random_place(source, under, size)
        given = [c for c in self.conditions if isinstance(c, OnScalars)]
        return place if place is not None and all(c.holds(place) for c in given) else None

    def script_along(
        self,
        failure: Failure,
        time: str,
        ratio: str | Callable[[str], str],
        decide: str,
        choices: tuple[tuple[int, ...], ...],
    ) -> str:
        """The script with the fewest and nearest points that sees the failure; else the last one."""
        text = ""
        for steps in choices:
            text = along_script(
                self.heading,
                self.quantities(),
                self.law_of,
                failure.place,
                self.path,
                time,
                steps,
                (lambda _: ratio) if isinstance(ratio, str) else ratio,
                decide,
            )
            if not run(text):
                return text
        return text

    def in_symbols(self, expr: Any, time: str) -> General | None:
        """A quantity at a generic mode, under what is given of scalars."""
        found = general(expr, self.law_of, time, self.conditions)
        if found is None:
            return None
        parts = tuple(spelt(p, self.variable) for p in found.parts)
        for letter, value in self.where:
            written = self._constant(value, time)
            parts = tuple(spelt(p, letter).subs(letter, written) for p in parts)
        return replace(found, parts=tuple(written_under(p, self.conditions) for p in parts))

    def _constant(self, value: Any, time: str) -> Any:
        """What a letter is set to: in one dimension a formula, else its traces are letters."""
        whole = general(value, None, time, self.conditions)
        if whole is not None and whole.form == "formula":
            return whole.parts[0]
        pieces = sorted(sp.sympify(value).atoms(*FUNCTIONALS), key=str)
        return sp.sympify(value).subs({p: sp.Symbol(plain(p), positive=True) for p in pieces})

    def written(self, term: Term) -> Any:
        """A first term as it is shown."""
        return read_back(term.written(self.variable), self.conditions)

    def has_discrete_reading(self) -> bool:
        """Only where a law in the claim's own time is meant."""
        return self.time == "continuous" and "" in times_of(self.quantities(), self.time)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """A limit is not measured: every ensemble is at one value of the letter."""
        return finding, None

    def candidates(self) -> tuple[Any, ...]:
        """Letters that a careless writer might have meant instead of the variable."""
        exprs = self.quantities()
        seen = {s for e in exprs for s in sp.sympify(e).free_symbols if isinstance(s, Parameter)}
        return tuple(sorted(seen - {self.variable}, key=str))


def joint(found: General, x: Any, limit: str, positive: tuple[Any, ...]) -> tuple[Term, Any] | None:
    """The first term that the parts have together, and how surely its coefficient is not zero.

    The sure sign is 1 or -1; None where the coefficient may vanish at some place, or a denominator.
    """

    def small(t: Term) -> Any:
        return -t.power if limit == "oo" else t.power

    try:
        generic = [first_terms(p, x, limit, 1)[0] for p in found.parts]
        one = found.at_equal_modes
        equal = generic if one == found.parts else [first_terms(p, x, limit, 1)[0] for p in one]
    except (Undecided, ZeroDivisionError, NotImplementedError):
        return None
    if not generic:
        return Term(Fraction(0), sp.Integer(0)), None
    best = min(generic, key=lambda t: (small(t), -t.logs))
    if best.power == float("inf") or best.power == -float("inf"):
        return best, 1
    first = [t for t in equal if (t.power, t.logs) == (best.power, best.logs)]
    signs = {sign(known_signs(t.coefficient, positive)) for t in first}
    finite = all(sign(known_signs(t.divisor, positive)) is not None for t in (*generic, *equal))
    return best, signs.pop() if len(signs) == 1 and finite else None


def known_signs(expr: Any, positive: tuple[Any, ...]) -> Any:
    """A formula with factors that are known to be positive (2 - mu) as positive letters."""
    for k, known in enumerate(positive):
        letter = sp.Symbol(f"_known_{k}", positive=True)
        symbols = sorted(known.free_symbols, key=str)
        if len(symbols) == 1 and sp.degree(known, symbols[0]) == 1:
            factors = []
            for factor in sp.Mul.make_args(sp.factor(expr)):
                base, power = factor.as_base_exp()
                ratio = sp.cancel(base / known)
                factors.append((ratio * letter if ratio.is_number else base) ** power)
            expr = sp.Mul(*factors)
    return expr


def stable_factors(setting: Setting | None, exprs: tuple[Any, ...], time: str) -> tuple[Any, ...]:
    """What has to be positive for the discrete law to exist at all, such as 2 - mu."""
    from sgtheory.affine import mode_form

    if setting is None or "discrete" not in times_of(exprs, time).values():
        return ()
    limit = stability(mode_form(setting, "discrete")).limit
    if limit is None:
        return ()
    return tuple(f for f in sp.Mul.make_args(sp.fraction(sp.factor(limit))[0]) if f.is_Add)
