"""``WeakOrder``: a step follows the equation that it is meant for, up to a power of its size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.notation.printing import latex, plain
from verification.relations.joined import All, Form
from verification.relations.limits import Order, vanishing
from verification.relations.preserves import process_lines
from verification.terms.dynamics import error_of_step
from verification.terms.printing import Line
from verification.terms.term import Term, term

_POINTS = (12, 24)  # where polynomials of high degree have come to their first terms


def WeakOrder(
    process: Diffusion,
    steps: Step | tuple[tuple[Any, Step], ...],
    size: Any,
    order: int,
    written_out: bool = False,
) -> All:
    """The mean of any smooth function after a step is that of the process, up to the step's power.

    ``size`` is the symbol of the step's size. Several steps with probabilities are one drawn at random.
    ``written_out`` shows the terms of the exponential that count, which is another statement where a
    function has few derivatives.
    """
    steps = ((sp.Integer(1), steps),) if isinstance(steps, Step) else steps
    shown = (*process_lines(process), *_updates(steps))
    return All(form=Follows(process, steps, size, order, shown, written_out=written_out))


@dataclass(frozen=True)
class Follows(Form):
    """A process, steps with their probabilities, and the order to which they follow it."""

    process: Diffusion
    steps: tuple[tuple[Any, Step], ...]
    size: Any
    order: int
    shown: tuple[Line, ...]  # before the last line
    words: str = ""  # how it differs from the statement that it corrects
    power: Term | None = None  # of the step's size, where it is not that of the order
    written_out: bool = False

    @cached_property
    def relations(self) -> tuple[Order]:
        """An order of what is left over on any function."""
        left = error_of_step(self.process, self.steps, self.size, self.order)
        right = self.power or term(self.size) ** (self.order + 1)
        return (Order(left, "O", right, vanishing(self.size), _POINTS),)

    @property
    def states(self) -> tuple[Any, ...]:  # type: ignore[override]
        """What it is stated for whatever it is: states, and functions left open."""
        open_ = (a for a in self.relations[0].left.letters if "function" in a.kind)
        return (*self.process.state, *dict.fromkeys(open_))

    @property
    def lines(self) -> tuple[Line, ...]:
        """The equation, the updates, the order."""
        left = Line(r"\mathbb{E} f(X_h) - e^{hL} f", "E f(X_h) - exp(h L) f")
        if self.written_out:
            terms = [r"\frac{h^k L^k}{k!}".replace("k", str(k)) for k in range(2, self.order + 1)]
            texts = [f"h**{k} L**{k}/{k}!" for k in range(2, self.order + 1)]
            left = Line(
                rf"\mathbb{{E}} f(X_h) - \left({' + '.join(['1 + h L', *terms])}\right) f",
                f"E f(X_h) - ({' + '.join(['1 + h L', *texts])}) f",
            )
        right, h = self.relations[0].right, self.relations[0].way.letter
        power = "h" if right == h else right.text().replace(h.text(), "h", 1)
        as_latex = right.latex().replace(h.latex(), "h", 1)
        last = Line(rf"{left.as_latex} = O({as_latex})", f"{left.text()} = O({power})")
        return (*self.shown, last)

    def instead(self, theory: Any) -> Iterator[All]:
        """The true order; of a step for another equation, the noise it lacks, or that equation."""
        (relation,) = self.relations
        power = theory.orders.first_term(theory, relation.left, relation.way)[1]
        h = sp.Symbol(relation.way.letter.name, positive=True)
        if power in (None, term(h)) or not power.letters:
            for words, process, step, changed in theory.steps_near(self.process, self.steps, h):
                own = (*process_lines(process), *_updates(((1, step),)))
                shown = own if changed is None else tuple(_updates(((1, changed),)))
                for order in range(self.order, 0, -1):
                    yield All(form=Follows(process, ((sp.Integer(1), step),), h, order, shown, words))
        elif power is not None:
            words = "the order that it has"
            yield All(form=replace(self, power=power, shown=(), words=words))


def _updates(steps: Any) -> Iterator[Line]:
    for weight, step in steps:
        chance = "" if weight == 1 else f" with probability {weight}"
        in_words = rf" \quad \text{{{chance}}}" if chance else ""
        for target, expr in getattr(step, "updates", step):
            yield Line(
                rf"{latex(target)} \leftarrow {latex(expr)}{in_words}",
                f"{target} <- {plain(expr)}{chance}",
            )
