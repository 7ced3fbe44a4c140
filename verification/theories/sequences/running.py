"""Moments of a linear chain at a place: the rules run for so many steps, in balls and in scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import ctx

from verification.refuter.script import identifier
from verification.terms.arithmetics.balls import balls
from verification.terms.arithmetics.decimals import DECIMALS
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter
from verification.terms.walking import walk
from verification.terms.ways import Way
from verification.theories.sequences.moments import STEP, Rule
from verification.verdicts.both import Both

STEPS_AT = {1: 32, 2: 1024}  # the two points of a way: numbers of steps


class Along(dict[str, Any]):
    """The letters of a place; on the way to a limit also moments after so many steps, in balls."""

    points = tuple(STEPS_AT)
    digits = 60

    def __init__(
        self, values: Mapping[str, Any], rules: Mapping[Letter, Rule], count: str, steps: int = 0
    ):
        super().__init__(values)
        self.rules, self.count, self.steps, self.start = rules, count, steps, dict(values)
        if steps:
            self[count] = Fraction(steps)
            given = tuple(self.start.items())
            self.update({a.name: _Run(rule, given, steps) for a, rule in rules.items()})

    @property
    def told_at(self) -> Any:
        """Which values a counterexample shows."""
        ends = " and ".join(map(str, STEPS_AT.values()))
        return Both(after=f" after {ends} steps")

    def further(self, way: Way, k: int) -> Along:
        """After as many steps as a point has."""
        return Along(self.start, self.rules, self.count, STEPS_AT[k])

    def lines(self) -> list[str]:
        """The same in a script, which runs the rules in decimals."""
        found = [
            f"{identifier(a)} = d({x.numerator}) / d({x.denominator})" for a, x in self.start.items()
        ]
        found.append(f"{identifier(self.count)} = d({max(self.steps, 1)})")
        for a, rule in self.rules.items() if self.steps else ():
            found += list(_loop(rule, identifier(a.name), self.steps))
        return found


def _loop(rule: Rule, name: str, steps: int) -> Iterator[str]:
    begin, start = rule.begins[-1]
    yield f"{name} = {_text(start)} + d(0)"
    yield f"for {identifier(STEP.name)} in map(d, range({begin + 1}, {steps + 1})):"
    yield f"    {name} = {_text(rule.share)} * {name} + {_text(rule.beside)}"


def _text(expr: Any) -> str:
    side = from_sympy(expr)
    return str(walk(side, DECIMALS, {a.name: identifier(a.name) for a in side.letters}))


@dataclass(frozen=True)
class _Run:
    """A moment after so many steps, as accurately as it is asked for."""

    rule: Rule
    start: tuple[tuple[str, Fraction], ...]
    steps: int

    def ball(self, digits: int) -> Any:
        """By the rule, step by step."""
        return _ran(self, digits)


@lru_cache(maxsize=2_000)
def _ran(run: _Run, digits: int) -> Any:
    arithmetic = balls(digits)
    known = {a: arithmetic.number(x) for a, x in run.start}
    (begin, start), rule = run.rule.begins[-1], run.rule
    first, share, beside = map(from_sympy, (start, rule.share, rule.beside))
    with ctx.workdps(digits):
        y = walk(first, arithmetic, known)
        for k in range(begin + 1, run.steps + 1):
            here = {**known, STEP.name: arithmetic.number(k)}
            y = walk(share, arithmetic, here) * y + walk(beside, arithmetic, here)
    return y
