"""Derivations as records: named steps that print as text, LaTeX, Markdown and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sgtheory.notation.display import Shown
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import Formula as Formula
from sgtheory.notation.sentence import sentence


@dataclass(frozen=True)
class Equation:
    """``left relation right``; each side a SymPy expression or a Formula.

    >>> import sympy as sp
    >>> Equation(sp.Symbol("x"), sp.Rational(1, 2)).text
    'x = 1/2'
    """

    left: Any
    right: Any
    relation: str = "="

    @property
    def latex(self) -> str:
        """The equation in LaTeX."""
        return f"{_latex(self.left)} {_RELATIONS[self.relation]} {_latex(self.right)}"

    @property
    def text(self) -> str:
        """The equation on one line of text."""
        return f"{_text(self.left)} {self.relation} {_text(self.right)}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


_RELATIONS = {
    "=": "=",
    "<": "<",
    ">": ">",
    "->": r"\to",
    "<-": r"\leftarrow",
    "<=": r"\le",
    ">=": r"\ge",
    "~": r"\sim",
    ":": ":",
}


def _latex(side: Any) -> str:
    return side.latex if isinstance(side, Formula) else latex(side)


def _text(side: Any) -> str:
    return side.text if isinstance(side, Formula) else plain(side)


@dataclass(frozen=True)
class Step:
    """One named step: what is done, in words, and what comes out."""

    title: str
    words: str
    equations: tuple[Equation, ...] = ()

    def __post_init__(self) -> None:
        """Formulas stand between dollar signs in the words."""
        object.__setattr__(self, "title", sentence(self.title))
        object.__setattr__(self, "words", sentence(self.words))


@dataclass(frozen=True)
class Result:
    """A formula that a derivation ends in, with a name that scripts can look up."""

    name: str
    equation: Equation
    words: str = ""  # what it is, where the name does not say so

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", sentence(self.words))


@dataclass(repr=False, frozen=True)
class Derivation(Shown):
    """Named steps that lead from a declaration to its results."""

    title: str
    steps: tuple[Step, ...]
    results: tuple[Result, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", sentence(self.title))

    def to_text(self) -> str:
        """For a terminal."""
        lines = [self.title, "=" * len(self.title), ""]
        for number, step in enumerate(self.steps, start=1):
            lines += [f"{number}. {step.title}", f"   {step.words}"]
            lines += [f"       {equation.text}" for equation in step.equations] + [""]
        lines += ["Result"] + [f"    {result.equation.text}" for result in self.results]
        return "\n".join(lines)

    def to_latex(self) -> str:
        """For a paper: needs amsmath."""
        lines = [rf"\paragraph{{{_escaped(self.title)}}}", r"\begin{enumerate}"]
        for step in self.steps:
            lines.append(rf"\item \textbf{{{_escaped(step.title)}.}} {_escaped(step.words)}")
            lines += [rf"\begin{{equation*}} {e.latex} \end{{equation*}}" for e in step.equations]
        lines.append(r"\end{enumerate}")
        for result in self.results:
            label = rf"\label{{eq:{result.name}}}"
            lines += [rf"\begin{{equation}}{label} {result.equation.latex} \end{{equation}}"]
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """For GitHub."""
        lines = [f"## {self.title}", ""]
        for number, step in enumerate(self.steps, start=1):
            lines += [f"{number}. **{step.title}.** {step.words}", ""]
            for equation in step.equations:
                lines += ["   ```math", f"   {equation.latex}", "   ```", ""]
        lines += ["**Result**", ""]
        for result in self.results:
            lines += ["```math", result.equation.latex, "```", ""]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """For scripts: schema sgtheory.notation.derivation/1."""
        return {
            "schema": "sgtheory.notation.derivation/1",
            "title": self.title,
            "results": {r.name: _json(r.equation) for r in self.results},
            "steps": [
                {
                    "title": step.title,
                    "words": step.words,
                    "equations": [_json(e) for e in step.equations],
                }
                for step in self.steps
            ],
        }


def _json(equation: Equation) -> dict[str, str]:
    return {"latex": equation.latex, "text": equation.text}


def _escaped(words: str) -> str:
    for mark in "%#&_":
        words = words.replace(mark, rf"\{mark}")
    for mark, name in (("^", "asciicircum"), ("<", "less"), (">", "greater"), ("|", "bar")):
        words = words.replace(mark, rf"\text{name}{{}}")
    return words
