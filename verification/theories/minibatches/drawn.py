"""What sides are worth on small data, over all minibatches, and the same data in a script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from verification.refuter.places import Place
from verification.refuter.script import identifier
from verification.terms.comparing import Compared
from verification.terms.term import Letter, Term
from verification.terms.walking import Unable, Undefined, walk
from verification.terms.ways import Way
from verification.theories.minibatches import words
from verification.theories.minibatches.drawing import WITH, WITHOUT
from verification.theories.minibatches.places import TIMES
from verification.theories.minibatches.sampled import (
    SAMPLED,
    Data,
    Sampled,
    added,
    is_matrix,
    letter,
    scaled,
)

if TYPE_CHECKING:
    from verification.theories.minibatches.laws import Draws

_TAKEN = ("N", "S", "D", "b", "n", "batches", "d", "np", "F", "rows", "power", "pi", "I", "left",
          "right", "same", "holds")  # fmt: skip


class Drawn(dict[str, Any]):
    """The numbers of a place, and the data that they are."""

    points = (0, 1)  # on the way to a limit: so many times as large as the data, as powers of TIMES

    def __init__(self, law: Draws, sides: tuple[Term, ...], place: Place, data: Data | None = None):
        super().__init__(place.scalars)
        self.law, self.sides, self.place = law, sides, place
        self.data = law.space().data(place) if data is None else data

    @property
    def told_at(self) -> str:
        """What a counterexample shows."""
        drawn = WITH if self.data.repeats else WITHOUT
        where = f"left and right side, and with {TIMES} times the size" if self.law.limiting else (
            "left and right side")  # fmt: skip
        return f"over all minibatches, drawn {drawn}, {where}"

    # -- values --------------------------------------------------------------------------------------

    def compared(self, left: Term, right: Term) -> Compared | None:
        """Both sides for the first minibatch and example at which they differ, else for the last."""
        sides = _sampled(left), _sampled(right)
        found = None
        try:
            for data in self._instances(*sides):
                found = _compared(*(x.at(data, data.batch, data.here) for x in sides))
                if found.sign:
                    break
        except (Undefined, Unable):
            return None
        return found

    def _instances(self, *sides: Sampled) -> Iterator[Data]:
        """The minibatches and examples that a relation is about, where it has no average over them."""
        return self.data.each(any(x.of_batch for x in sides), any(x.of_example for x in sides))

    def size(self, side: Term) -> Any:
        """The largest entry of a side as a ball; None where it is not one value."""
        value = _sampled(side)
        if value.of_batch or value.of_example:
            return None
        try:
            found = value.at(self.data, (), -1)
        except (Undefined, Unable):
            return None
        largest = max(map(abs, _entries(found)))
        return arb(fmpq(largest.numerator, largest.denominator))

    def further(self, way: Way, k: int) -> Drawn | None:
        """The same with a size that is larger."""
        if way.to != "oo" or way.letter.name not in ("N", "S"):
            return None
        data = _grown(self.data, way.letter.name, TIMES**k)
        return Drawn(self.law, self.sides, self.place, data)

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
        """The data in a script, and what minibatches there are."""
        data = self._where_it_differs()
        lines = ["from itertools import permutations, product"]
        for name, columns in data.columns.items():
            text = _rows([[x for (x,) in one] for one in columns])
            lines.append(f"{_name(name)} = [_dec(row.reshape(-1, 1)) for row in rows('{text}')]")
        for name, numbers in data.numbers.items():
            text = " ".join(map(str, numbers))
            lines.append(f"{_name(name)} = [_dec(F(x)) for x in '{text}'.split()]")
        lines += [f"{_name(name)} = _dec(rows('{_rows(v)}'))" for name, v in data.fixed.items()]
        lines += [f"{_name(name)} = _dec(F('{x}'))" for name, x in data.scalars.items()]
        lines += [f"N, S, D = {data.N}, {data.S}, {data.D}", "I = _eye(D)"]
        draw = "product(range(N), repeat=S)" if data.repeats else "permutations(range(N), S)"
        lines.append(f"batches = list({draw})")
        return [*lines, f"b, n = {data.batch or data.batches()[0]}, {max(data.here, 0)}"]

    def _where_it_differs(self) -> Data:
        """The data with the minibatch and example at which the sides of a relation differ first."""
        for left, right in zip(self.sides[::2], self.sides[1::2], strict=False):
            sides = _sampled(left), _sampled(right)
            for data in self._instances(*sides):
                if _compared(*(x.at(data, data.batch, data.here) for x in sides)).sign:
                    return data
        return self.data


def _sampled(side: Term) -> Sampled:
    values: Mapping[str, Any] = {a.name: letter(a) for a in side.letters}
    found: Sampled = walk(side, SAMPLED, values)
    return found


def _compared(left: Any, right: Any) -> Compared:
    rest = added(left, scaled(right, Fraction(-1)))
    if is_matrix(rest):
        return Compared(left, right, int(any(x != 0 for row in rest for x in row)))
    return Compared(left, right, (rest > 0) - (rest < 0))


def _entries(x: Any) -> list[Fraction]:
    return [y for row in x for y in row] if is_matrix(x) else [x]


def _grown(data: Data, size: str, times: int) -> Data:
    """More examples of the same kinds; or larger minibatches, of more examples where each comes once."""
    if size == "S" and data.repeats:
        return replace(data, S=data.S * times)
    columns = {k: list(v) * times for k, v in data.columns.items()}
    numbers = {k: list(v) * times for k, v in data.numbers.items()}
    more = data.S * times if size == "S" else data.S
    return replace(data, columns=columns, numbers=numbers, N=data.N * times, S=more)


def _name(name: str) -> str:
    found = identifier(name)
    return f"{found}_" if found in _TAKEN else found


def _rows(rows: Any) -> str:
    return "; ".join(" ".join(str(x) for x in row) for row in rows)
