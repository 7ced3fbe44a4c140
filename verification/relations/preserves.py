"""``Preserves``: a density is left as it is by a diffusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.notation.printing import latex, plain
from verification.relations.base import Relation
from verification.relations.equal import Equal
from verification.relations.joined import All, Form
from verification.terms.dynamics import partial
from verification.terms.printing import Line
from verification.terms.term import Applied, term, total
from verification.verdicts.both import Both

_BETWEEN = Both("what the drift takes away of the density", "what the noise brings")


def Preserves(
    stated: tuple[tuple[Diffusion, Any], ...],
    approached: Any = None,
    limit_of: str = "",
    then: tuple[tuple[str, Any], ...] = (),
) -> All:
    """Processes with logarithms of densities, each of which its process keeps.

    Where there are several, functions of the same name are others. ``limit_of`` names a sampler whose
    limit the processes are: then they are as they are, and it is the density that may be another;
    ``then`` has the letters that go to values after the step has vanished.
    """
    return All(form=Kept(stated, approached, limit_of, then))


@dataclass(frozen=True)
class Kept(Form):
    """Processes, each with a density that it keeps."""

    stated: tuple[tuple[Diffusion, Any], ...]
    approached: Any = None  # the way on which the source says that it becomes true
    limit_of: str = ""
    then: tuple[tuple[str, Any], ...] = ()
    words: str = field(default="", compare=False)  # how it differs from the statement that it corrects

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """An equation for each process."""
        return tuple(self._flux(k, *one) for k, one in enumerate(self.stated))

    def _flux(self, k: int, process: Diffusion, log_density: Any) -> Equal:
        if k and not self.limit_of:
            process, log_density = _renamed(process, log_density)
        rho = Applied("density", (term(-log_density),))
        states = list(enumerate(process.state))
        pairs = zip(process.ito_drift, process.state, strict=True)
        taken = [partial(term(b) * rho, y) for b, y in pairs if b != 0]
        brought = [
            partial(term(a if i != j else a / 2) * rho, z, y)
            for i, y in states
            for j, z in states[: i + 1]
            if (a := process.covariance[i][j]) != 0
        ]
        sides = total(taken or [0]), total(brought or [0])
        return Equal(*sides, approached=self.approached, between=_BETWEEN)

    def _lines(self, process: Diffusion, log_density: Any) -> tuple[Line, ...]:
        density = Line(
            rf"\pi \propto \exp\left({latex(sp.sympify(log_density))}\right)",
            f"pi ~ exp({plain(sp.sympify(log_density))})",
        )
        if not self.limit_of:
            return (*process_lines(process), density)
        goes = [(sp.Symbol(name), value) for name, value in self.then]
        limits = "".join(rf"\lim_{{{latex(a)} \to {value}}} " for a, value in goes)
        limit = rf"\text{{{self.limit_of}}}: \quad {limits}\lim_{{\epsilon \to 0}} \pi_\epsilon"
        told = ", then ".join(["eps -> 0", *(f"{a} -> {value}" for a, value in goes)])
        return (
            Line(
                density.as_latex.replace(r"\pi", limit, 1),
                f"{self.limit_of}, as {told}: {density.text()}",
            ),
        )

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every process and density; where it corrects another statement, what is changed."""
        process, log_density = self.stated[0]
        if self.words:
            return self._lines(process, log_density) if self.limit_of else process_lines(process)
        systems = dict.fromkeys(self._lines(*one) for one in self.stated)  # two may share a line
        return tuple(line for system in systems for line in system)

    @property
    def states(self) -> tuple[Any, ...]:  # type: ignore[override]
        """What it is stated for whatever it is: states, and functions left open."""
        sides = (side for one in self.relations for side in one.sides)
        open_ = (a for side in sides for a in side.letters if "function" in a.kind)
        return (*(s for process, _ in self.stated for s in process.state), *dict.fromkeys(open_))

    def instead(self, theory: Any) -> Iterator[All]:
        """A process near the first that has the density; of a limit, the density that it has."""
        process, log_density = self.stated[0]
        if self.limit_of:
            true = theory.density_of(process)
            if true is not None:
                stated = tuple((p, true) for p, _ in self.stated)
                yield All(form=replace(self, stated=stated, words="the density that its limit keeps"))
            return
        for words, other in theory.processes_with(process, log_density):
            kept = ((other, log_density),)
            yield All(form=replace(self, stated=kept, approached=None, words=words))


def _renamed(process: Diffusion, log_density: Any) -> tuple[Diffusion, Any]:
    """With functions under names of their own."""

    def other(e: Any) -> Any:
        return sp.sympify(e).replace(
            lambda f: isinstance(f, AppliedUndef),
            lambda f: sp.Function(f"{f.func.__name__}{process.dimension}d", positive=f.is_positive)(
                *f.args
            ),
        )

    noise = tuple(tuple(map(other, row)) for row in process.noise)
    return replace(process, drift=tuple(map(other, process.drift)), noise=noise), other(log_density)


def process_lines(process: Diffusion) -> tuple[Line, ...]:
    """dX = b dt + sigma dW, a line to each state."""
    lines = []
    mark, circle = (r"\circ ", "o ") if process.reading == "Stratonovich" else ("", "")
    for s, b, row in zip(process.state, process.drift, process.noise, strict=True):
        driven = [(k, e) for k, e in enumerate(row, start=1) if e != 0]
        as_latex = rf"d{latex(s)} = \left({latex(b)}\right) dt"
        as_text = f"d{s} = ({plain(b)}) dt"
        for k, e in driven:
            which = f"_{{{k}}}" if len(row) > 1 else ""
            as_latex += rf" + \left({latex(e)}\right) {mark}dW{which}"
            as_text += f" + ({plain(e)}) {circle}dW{k if len(row) > 1 else ''}"
        lines.append(Line(as_latex, as_text))
    return tuple(lines)
