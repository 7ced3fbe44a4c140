"""What sides are worth on small data, over all minibatches, and the same data in a script."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb

from verification.refuter.places import Place
from verification.refuter.script import identifier
from verification.terms.comparing import Compared
from verification.terms.term import Letter, Term
from verification.terms.walking import Unable, Undefined
from verification.terms.ways import Way
from verification.theories.minibatches import words
from verification.theories.minibatches.arrays import added, fraction
from verification.theories.minibatches.drawing import WITH, WITHOUT
from verification.theories.minibatches.places import TIMES, Data
from verification.theories.named import Numbers
from verification.verdicts.both import Both

if TYPE_CHECKING:
    from verification.theories.minibatches.laws import Draws

_TAKEN = ("N", "S", "D", "b", "n", "batches", "d", "np", "F", "rows", "power", "pi", "I", "left",
          "right", "same", "holds", "drawn")  # fmt: skip

# numbers and weights with the moments of standard normal numbers, up to the third and seventh
_NODES = (
    "drawn = [(_d(x), _d(1) / 2) for x in (1, -1)]",
    "drawn = [(_d(x), _d(w) / 180) for x, w in zip(range(-3, 4), (1, 9, 45, 70, 45, 9, 1))]",
)


class Drawn(Numbers):
    """The numbers of a place, and the data that they are."""

    points = (0, 1)  # on the way to a limit: so many times as large as the data, as powers of TIMES

    def __init__(self, law: Draws, sides: tuple[Term, ...], place: Place, data: Data | None = None):
        super().__init__(place.scalars, place, law)
        self.sides = sides
        self.data = law.samples.data(place) if data is None else data

    @property
    def told_at(self) -> Both:
        """What a counterexample shows."""
        larger = f", at first and with {TIMES} times the size" if self.law.limiting else ""
        drawn = WITH if self.data.repeats else WITHOUT
        return Both(before=f"over all minibatches, drawn {drawn}, ", after=larger)

    def compared(self, left: Term, right: Term) -> Compared | None:
        """Both sides for the first minibatch and example at which they differ, else for the last."""
        try:
            at, a, b, rest = self._where(left, right)
        except (Undefined, Unable):
            return None
        if rest.ndim == 4:
            return Compared(a, b, int(at is not None))
        x = rest[-1, -1] if at is None else rest[at]
        return Compared(a, b, (x > 0) - (x < 0))

    def _where(self, left: Term, right: Term) -> tuple[tuple[int, int] | None, Any, Any, Any]:
        """The first minibatch and example at which two sides differ, both there, and the difference."""
        a, b = map(self.data.value, (left, right))
        rest = added(a, -b)
        found = np.argwhere(rest != 0)
        at = (int(found[0][0]), int(found[0][1])) if len(found) else None
        both = (np.broadcast_to(x, (*rest.shape[:2], *x.shape[2:]))[at or (-1, -1)] for x in (a, b))
        return at, *map(_shown, both), rest

    def _first(self) -> tuple[int, int]:
        """The first minibatch and example at which sides of a relation differ."""
        try:
            places = (
                self._where(*pair)[0] for pair in zip(self.sides[::2], self.sides[1::2], strict=False)
            )
            return next((at for at in places if at is not None), (0, 0))
        except Unable:
            return 0, 0

    def size(self, side: Term) -> Any:
        """The largest entry of a side as a ball; None where it is not one value."""
        try:
            value = self.data.value(side)
        except (Undefined, Unable):
            return None
        return arb(max(map(abs, value.flat))) if value.shape[:2] == (1, 1) else None

    def further(self, way: Way, k: int) -> Drawn | None:
        """The same with a size that is larger."""
        if way.to != "oo" or way.letter.name not in ("N", "S"):
            return None
        return Drawn(self.law, self.sides, self.place, self.data.grown(way.letter.name, TIMES**k))

    # -- scripts -------------------------------------------------------------------------------------

    def called(self, letters: Iterable[Letter]) -> dict[str, str]:
        """How a script has each letter."""
        found = {}
        for one in letters:
            name = _name(one.name)
            if one.kind in (words.COLUMNS, words.NUMBERS):
                found[one.name] = f"{name}[n]"
            elif one.name in ("N", "S", "D"):
                found[one.name] = f"_d({one.name})"
            else:
                found[one.name] = one.name if one.kind == "matrix" else name
        return found

    def lines(self) -> list[str]:
        """The data in a script, all minibatches, and where sides of a relation differ first."""
        data, lines = self.data, ["from itertools import permutations, product"]
        for name, x in data.letters.items():
            rows = x.reshape(len(x) if x.ndim else 1, -1)
            text = "; ".join(" ".join(map(str, row)) for row in rows)
            made = {
                3: f"[_dec(row.reshape(-1, 1)) for row in rows('{text}')]",
                2: f"_dec(rows('{text}'))",
                1: f"[_dec(F(x)) for x in '{text.replace(';', '')}'.split()]",
                0: f"_dec(F('{text}'))",
            }
            lines.append(f"{_name(name)} = {made[x.ndim]}")
        lines += [f"N, S, D = {data.N}, {data.S}, {data.D}", "I = _eye(D)"]
        draw = "product(range(N), repeat=S)" if data.repeats else "permutations(range(N), S)"
        lines.append(f"batches = list({draw})")
        batch, here = self._first()
        shapes = {words.COLUMNS: (data.N, data.D, 1)}  # of what is drawn
        lines += [f"{_name(a.name)} = np.full({shapes.get(a.kind, data.N)}, _d(0))" for a in data.drawn]
        lines += [_NODES[data.highest > 3]] if data.drawn else []
        return [*lines, f"b, n = {data.batches[batch]}, {here}"]


def _shown(x: Any) -> Any:
    """A number, or rows, as Python has them."""
    return [list(map(fraction, row)) for row in x] if isinstance(x, np.ndarray) else fraction(x)


def _name(name: str) -> str:
    found = identifier(name)
    return f"{found}_" if found in _TAKEN else found
