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

from sgtheory.notation.matrixwords import A, B
from verification.relations.base import Relation
from verification.relations.equal import Equal
from verification.relations.joined import All, Form
from verification.terms.from_sympy import from_sympy
from verification.terms.stochastic import (
    GRADIENT,
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
from verification.verdicts.both import Both

_NAMES = {Change: ("dW", "dV", "dU"), After: ("W", "V", "U"), Difference: ("W", "V", "U")}


def InLaw(rows: Row | tuple[Row, ...], lasts: Any = 1) -> All:
    """Rows that begin with ``After`` or ``Difference`` are a step, with ``Change`` a process.

    A step ``lasts`` so long by the clock of the process. A row that begins with none of them says that
    its two sides are one noise.
    """
    return All(form=Rows((rows,) if isinstance(rows, Row) else rows, lasts))


@dataclass(frozen=True)
class Rows(Form):
    """Rows with noise in them, and how long a step lasts."""

    rows: tuple[Row, ...]
    lasts: Any = 1
    over_a_step: bool = False  # a process over the time of a step, rather than in an instant

    @property
    def lines(self) -> tuple[Row, ...]:
        """As they are printed."""
        return self.rows

    def in_time(self, time: str) -> Rows:
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
        stated, at_first = rates, [tuple[Any, ...]()] * len(rates)
        if self.over_a_step:
            stated = [*map(self._moved, self.targets), *(self._spread(a, b) for a, b in pairs)]
            at_first = [(rate, self.targets) for rate in rates]
        return tuple(
            Equal(a, b, between=Both(f"the {name} of the sampler", "what is stated"), at_first=first)
            for a, b, name, first in zip(left, stated, names, at_first, strict=True)
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

    def instead(self, theory: Any) -> Iterator[All]:
        """The rows of the sampler itself; of noises, the root of the covariance before one of them.

        Over a step: the step itself, which is exact in every dimension.
        """
        if self.of_noises:
            (row,) = self.rows
            left, right = (_noises(side) for side in (row.left, row.right))
            noise = right[0] if len(right) == 1 else left[0]
            root = MatrixRoot(_covariance(row, row.left))
            yield All(form=replace(self, rows=(replace(row, right=root * noise),)))
            return
        yield All(form=(self._as_a_step if self.over_a_step else self)._mended(theory))

    @property
    def _as_a_step(self) -> Rows:
        """Rows for what the states are after a step."""
        rows = tuple(replace(row, left=After(*row.left.args)) for row in self.rows)
        return replace(self, rows=rows, lasts=1, over_a_step=False)

    def _mended(self, theory: Any) -> Rows:
        """The rows of the sampler itself, also of states that these read and have no row."""
        forms, (kind, *_) = theory.added, (type(row.left) for row in self.rows)
        read_too = (s for t, s in forms.drift if t in self.targets and s not in self.targets)
        more = (sp.Symbol(s, commutative=False) for s in dict.fromkeys(read_too))
        if others := tuple(Row(kind(s), sp.Integer(0)) for s in more):
            return replace(self, rows=(*self.rows, *others))._mended(theory)
        kept = {z.name: Y.has(B) for (t, z), (Y, _) in forms.noise.items() if t in self.targets}
        drawn = sorted(kept, key=lambda z: not kept[z])  # the gradient's first
        names = dict(zip(drawn, _NAMES[type(self.rows[0].left)], strict=False))
        rows = tuple(self._row(row, forms, names) for row in self.rows)
        return replace(self, rows=rows)

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
        if sp.sympify(row.right).has(GRADIENT):
            right = right.subs(A * state, GRADIENT)
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
