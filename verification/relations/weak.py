"""``WeakOrder``: a step follows the equation that it is meant for, up to a power of its size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.notation.printing import latex, plain
from verification.relations.base import Relation
from verification.relations.limits import Order, vanishing
from verification.relations.preserves import process_lines
from verification.terms.dynamics import error_of_step
from verification.terms.printing import Line
from verification.terms.term import Term, term
from verification.theories.answers import Answer, Proved

_FURTHER = 2  # powers of the step beyond what is claimed that the first error is looked for


@dataclass(frozen=True, init=False, repr=False)
class WeakOrder(Order):
    """The mean of any smooth function after a step is that of the process, up to the step's power.

    Several steps with probabilities are a step drawn at random. ``shown`` are lines before the last.
    """

    process: Any = None
    steps: Any = ()
    order: int = 1
    shown: tuple[Line, ...] = ()
    words: str = ""  # how it differs from the statement that it corrects
    points = (12, 24)  # where polynomials of high degree have come to their first terms

    def __init__(
        self,
        process: Diffusion,
        steps: Step | tuple[tuple[Any, Step], ...],
        way: Any,
        order: int,
        shown: tuple[Line, ...] | None = None,
        words: str = "",
        **sides: Any,
    ) -> None:
        """By the symbol of the step's size, or the way on which it vanishes."""
        steps = ((sp.Integer(1), steps),) if isinstance(steps, Step) else steps
        h = sp.Symbol(way.letter.name, positive=True) if hasattr(way, "letter") else way
        if shown is None:
            shown = (*process_lines(process), *_updates(steps))
        for name, value in (("process", process), ("steps", steps), ("order", order)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "shown", shown)
        object.__setattr__(self, "words", words)
        sides = sides or {
            "left": error_of_step(process, steps, h, order),
            "right": term(h) ** (order + 1),
        }
        super().__init__(sides["left"], sides.get("relation", "O"), sides["right"], vanishing(h))

    @property
    def states(self) -> tuple[Any, ...]:
        """What it is stated for whatever it is: states, and functions left open."""
        open_ = (a for a in self.left.letters if "function" in a.kind)
        return (*self.process.state, *dict.fromkeys(open_))

    @property
    def lines(self) -> tuple[Line, ...]:
        """The equation, the updates, the order."""
        left = Line(r"\mathbb{E} f(X_h) - e^{hL} f", "E f(X_h) - exp(h L) f")
        h = self.way.letter
        power = "h" if self.right == h else self.right.text().replace(h.text(), "h", 1)
        as_latex = self.right.latex().replace(h.latex(), "h", 1)
        word = self.relation
        last = Line(rf"{left.as_latex} = {word}({as_latex})", f"{left.text()} = {word}({power})")
        return (*self.shown, last)

    def latex(self) -> str:
        """As it is typeset."""
        return r" \qquad ".join(line.latex() for line in self.lines)

    def text(self) -> str:
        """On one line."""
        return "; ".join(line.text() for line in self.lines)

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """By series; where it is true, with the first error of one step."""
        answer = super().prove(theory, given)
        if not isinstance(answer, Proved) or self.left != self._error(0):
            return answer
        tried = (
            theory.orders.first(theory, self._error(k), self.way, 2 * (self.order + k) + 2)
            for k in range(1, _FURTHER + 1)
        )
        found = next((one for one in tried if one is not None), None)
        if found is None:
            return answer
        told, text = theory.orders.told_of(*found, self.way)
        more = f" It is in fact of order {found[0] // 2 - 1}." if found[0] > 2 * self.order + 2 else ""
        return Proved(f"The first error of one step is {text}.{more}", told)

    def _error(self, more: int) -> Term:
        h = sp.Symbol(self.way.letter.name, positive=True)
        return error_of_step(self.process, self.steps, h, self.order + more)

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """The true order; of a step for another equation, the noise it lacks, or that equation."""
        power = theory.orders.first_term(theory, self.left, self.way)[1]
        one = sp.Symbol(self.way.letter.name, positive=True)
        if power in (None, term(one)) or not power.letters:
            for words, process, step, changed in theory.steps_near(self.process, self.steps, one):
                shown = process_lines(process) if changed is None else tuple(_updates(((1, changed),)))
                for order in range(self.order, 0, -1):
                    yield WeakOrder(process, step, one, order, shown, words)
        elif power is not None:
            words = "the order that it has"
            yield replace(self, right=power, shown=(), words=words)


def _updates(steps: Any) -> Iterator[Line]:
    for weight, step in steps:
        chance = "" if weight == 1 else f" with probability {weight}"
        in_words = rf" \quad \text{{{chance}}}" if chance else ""
        for target, expr in getattr(step, "updates", step):
            yield Line(
                rf"{latex(target)} \leftarrow {latex(expr)}{in_words}",
                f"{target} <- {plain(expr)}{chance}",
            )
