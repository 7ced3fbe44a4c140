"""The faults of a paper, the most consequential first: entries that fall together are one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verification.consequence.kinds import KINDS, Consequence

_STANDS = ("printed", "read", "common", "derived")


@dataclass(frozen=True)
class Item:
    """What ranking asks of an entry that does not hold as it stands."""

    id: str
    prominence: int  # 0 of a numbered result, 1 of a numbered equation, 2 of anything else
    stands: str
    consequence: Consequence


@dataclass(frozen=True)
class Fault:
    """Entries of which one and the same thing is wrong, the one that says most first: of what the source
    makes itself, where any is.

    ``weight`` is the measure of consequence: each entry that the source makes counts with the share of
    it that is wrong, and what is only derived from it with nothing.
    """

    kind: str
    items: tuple[Item, ...]

    @property
    def weight(self) -> float:
        """The sum of the shares that are wrong."""
        return sum(one.consequence.share for one in self.items if one.stands != "derived")

    @property
    def first(self) -> Item:
        """The entry that it is called after."""
        return self.items[0]


def ranked(items: Sequence[Item]) -> tuple[Fault, ...]:
    """Faults by kind, the gravest first; within a kind by weight, results first, then as they stand.

    >>> def item(key, kind, *faults, stands="printed"):
    ...     return Item(key, 2, stands, Consequence(kind, faults=faults))
    >>> found = ranked([item("a", "slip"), item("b", "condition", "x"), item("c", "condition", "x")])
    >>> [(f.kind, f.first.id, f.weight) for f in found]
    [('condition', 'b', 2.0), ('slip', 'a', 1.0)]
    """
    faults = [_fault(group) for group in _together(items)]
    order = {one.id: k for k, one in enumerate(items)}

    def rank(fault: Fault) -> tuple[int, float, int, int]:
        first = fault.first
        return KINDS.index(fault.kind), -fault.weight, first.prominence, order[first.id]

    return tuple(sorted(faults, key=rank))


def _together(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Entries in groups: those that share a fault, also by a third."""
    groups: list[tuple[set[str], list[Item]]] = []
    for one in items:
        names, own = set(one.consequence.faults), [one]
        for group in [g for g in groups if g[0] & names]:
            groups.remove(group)
            names, own = names | group[0], [*group[1], *own]
        groups.append((names, own))
    yield from (own for _, own in groups)


def _fault(group: list[Item]) -> Fault:
    def rank(one: Item) -> tuple[bool, int, int, int, float]:
        found = one.consequence
        more = KINDS.index(found.kind), one.prominence, _STANDS.index(one.stands), -found.share
        return one.stands == "derived", *more

    told = sorted(group, key=rank)
    return Fault(told[0].consequence.kind, tuple(told))
