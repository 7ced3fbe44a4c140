"""``InLaw``: rows with noise in them say the same in law, of a step, of a process or of noises alone.

A row is linear in states and in standard normal letters, so that its law given the states is a mean and
a covariance: the rows are written out in equations for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import B
from verification.relations.base import Relation
from verification.relations.equal import Equal
from verification.relations.joined import WrittenOut
from verification.terms.from_sympy import from_sympy
from verification.terms.stochastic import (
    After,
    Change,
    Difference,
    Forms,
    MatrixRoot,
    NoiseLetter,
    Row,
    mean_of,
    noise_of,
    rate_of_mean,
    read,
    theta,
    written,
)
from verification.terms.term import Applied, Term, number, total
from verification.theories.answers import Answer, Disproved, Silence, Silent
from verification.verdicts.verdict import Correction

_NAMES = {Change: ("dW", "dV", "dU"), After: ("W", "V", "U"), Difference: ("W", "V", "U")}


@dataclass(frozen=True, repr=False)
class Part(Equal):
    """What rows say of a drift, or of a noise."""

    part: str = ""

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """As an equation; where it is false, with its name."""
        answer = super().prove(theory, given)
        if not isinstance(answer, Disproved):
            return answer
        return replace(answer, lemma=f"The {self.part} is not that of the sampler.")


@dataclass(frozen=True, repr=False)
class OverAStep(Part):
    """What a process does in the time of a step, against a step; ``rate`` is what it does at first."""

    rate: Any = None
    states: tuple[str, ...] = ()  # that have a row

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """An exponential of a drift is no step of an algorithm but by chance."""
        return Silent(Silence.NO_FORMULA)

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """No other equation of the same terms."""
        return iter(())

    def gap(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """What the process has beside a step, relative to its drift."""
        return theory.beside_a_step(self.left, self.rate, self.states)


@dataclass(frozen=True)
class InLaw(WrittenOut):
    """Rows that begin with ``After`` or ``Difference`` are a step, with ``Change`` a process.

    A step ``lasts`` so long by the clock of the process. A row that begins with none of them says that
    its two sides are one noise.
    """

    rows: Any
    lasts: Any = 1
    over_a_step: bool = False  # a process over the time of a step, rather than in an instant

    def __post_init__(self) -> None:
        """One row is enough."""
        object.__setattr__(self, "rows", (self.rows,) if isinstance(self.rows, Row) else self.rows)

    @property
    def lines(self) -> tuple[Row, ...]:
        """As they are printed."""
        return self.rows

    def in_time(self, time: str) -> InLaw:
        """A process is held against the algorithm over the time of a step."""
        return replace(self, over_a_step=time == "discrete" and isinstance(self.rows[0].left, Change))

    @property
    def of_noises(self) -> bool:
        """Whether it is about noises alone."""
        return not isinstance(self.rows[0].left, tuple(_NAMES))

    @cached_property
    def forms(self) -> Forms:
        """What the rows add to each state, per unit of time or in a step."""
        found: list[Row] = []
        known: dict[Any, Any] = {}
        for row in self.rows:
            right = sp.sympify(row.right).subs(known)
            if isinstance(row.left, After):
                known[row.left] = right
                right -= row.left.args[0]
            found.append(replace(row, right=right))
        return read(tuple(found))

    @property
    def targets(self) -> tuple[str, ...]:
        """The states that have a row."""
        return tuple(row.left.args[0].name for row in self.rows)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """An equation for the mean of each state that changes, and for the noise of each pair."""
        if self.of_noises:
            ((left, right),) = ((_covariance(r, r.left), _covariance(r, r.right)) for r in self.rows)
            return (Equal(from_sympy(left), from_sympy(right), repeats=True),)
        forms, length = self.forms, sp.sympify(self.lasts)
        pairs = [(a, b) for k, a in enumerate(self.targets) for b in self.targets[k:]]
        names = [f"drift{self._of(a)}" for a in self.targets] + [f"noise{self._of(*p)}" for p in pairs]
        left = [rate_of_mean(a) for a in self.targets] + [noise_of(a, b) for a, b in pairs]
        found = [forms.mean(a) for a in self.targets] + [forms.covariance(a, b) for a, b in pairs]
        rates = [from_sympy(sp.expand(length * x)) for x in found]
        if not self.over_a_step:
            return tuple(Part(a, b, part=n) for a, b, n in zip(left, rates, names, strict=True))
        moved = [self._moved(a) for a in self.targets] + [self._spread(a, b) for a, b in pairs]
        return tuple(
            OverAStep(a, b, part=n, rate=rate, states=self.targets)
            for a, b, n, rate in zip(left, moved, names, rates, strict=True)
        )

    def _of(self, *states: str) -> str:
        """Which states something is of, where there are several."""
        return f" of {' and '.join(dict.fromkeys(states))}" if len(self.targets) > 1 else ""

    def _moved(self, a: str) -> Term:
        """What the process adds to the mean of a state in the time of a step."""
        row = number(self.targets.index(a))
        grown = (
            Applied("exp_block", (row, number(k), *self._drift)) * mean_of(s)
            for k, s in enumerate(self.targets)
        )
        beside = (
            from_sympy(sp.expand(self.lasts * x)) * mean_of(s)
            for (t, s), x in self.forms.drift.items()
            if t == a and s not in self.targets
        )
        return total((*grown, *beside)) - mean_of(a)

    def _spread(self, a: str, b: str) -> Term:
        """The covariance that its noise leaves in that time."""
        where = (number(self.targets.index(s)) for s in (a, b))
        noise = (self.forms.covariance(s, t) for s, t in product(self.targets, repeat=2))
        blocks = (from_sympy(sp.expand(self.lasts * x)) for x in noise)
        return Applied("spread_block", (*where, *self._drift, *blocks))

    @cached_property
    def _drift(self) -> tuple[Term, ...]:
        pairs = product(self.targets, repeat=2)
        drift = (self.forms.drift.get((a, b), sp.Integer(0)) for a, b in pairs)
        return tuple(from_sympy(sp.expand(self.lasts * x)) for x in drift)

    # -- as a statement ------------------------------------------------------------------------

    def instead(self, theory: Any) -> Iterator[InLaw | Correction]:
        """The rows of the sampler itself; of noises, the root of the covariance before one of them.

        Where a process is right at first, but not over a step: the process that a step is a sample of.
        """
        if self.of_noises:
            (row,) = self.rows
            left, right = (_noises(side) for side in (row.left, row.right))
            noise = right[0] if len(right) == 1 else left[0]
            root = MatrixRoot(_covariance(row, row.left))
            yield replace(self, rows=(replace(row, right=root * noise),))
            return
        if self.over_a_step and None not in [r.gap(theory) for r in self.relations]:
            first = self.relations[0]
            assert isinstance(first, OverAStep)
            sampled = theory.sampled(first.left, first.rate, self.targets)
            yield from (sampled,) if sampled is not None else ()
            return
        forms = theory.added
        kept = {z.name: Y.has(B) for (t, z), (Y, _) in forms.noise.items() if t in self.targets}
        drawn = sorted(kept, key=lambda z: not kept[z])  # the gradient's first
        names = dict(zip(drawn, _NAMES[type(self.rows[0].left)], strict=False))
        rows = tuple(self._row(row, forms, names) for row in self.rows)
        yield replace(self, rows=rows, over_a_step=False)

    def _row(self, row: Row, forms: Forms, names: Mapping[str, str]) -> Row:
        """A row with the drift and the noise of a sampler, per unit of time."""
        (state,), length = row.left.args, sp.sympify(self.lasts)
        noise = {
            key: (_bright(sp.expand(Y / sp.sqrt(length))), M) for key, (Y, M) in forms.noise.items()
        }
        drift = {key: sp.expand(x / length) for key, x in forms.drift.items()}
        clock = {} if isinstance(row.left, Change) else {"clock": sp.Integer(1)}
        letters = {z: NoiseLetter(name, commutative=False) for z, name in names.items()}
        right = written(Forms(drift, noise), state.name, letters, **clock)
        return replace(row, right=right + state if isinstance(row.left, After) else right)


def _noises(side: Any) -> list[Any]:
    return sorted(sp.sympify(side).atoms(NoiseLetter), key=str)


def _covariance(row: Row, side: Any) -> Any:
    """Of a noise."""
    forms = read((Row(Change(theta), side),))
    if row.plainly:
        forms = replace(forms, symmetric=())
    return forms.covariance(theta.name, theta.name)


def _bright(factor: Any) -> Any:
    """A noise's factor with a plus sign in front: its sign is nothing."""
    first = sp.Add.make_args(factor)[0]
    return -factor if first.could_extract_minus_sign() else factor
