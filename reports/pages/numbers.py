"""A counterexample as it is shown: its exact numbers, both sides there, and a script that decides."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from reports.document import Block, Code, Details, Equation, Heading, Math, Mono, Paragraph, Table, Text
from reports.math.writing import formula
from reports.pages.words import exact_latex, letter_latex, matrix_latex, problem_latex, typeset
from sgtheory.notation.sentence import opening

_INLINE = 90  # letters of exact numbers that fit into one displayed formula


def counterexample(finding: Any) -> list[Block]:
    """The numbers at which a statement fails."""
    shown = finding.counterexample
    if shown is None:
        return []
    return [
        Heading(2, "The smallest numbers that show it"),
        *numbers_of(finding),
        *_as_file(shown.problem),
        *_script(shown.script),
    ]


def numbers_of(finding: Any) -> list[Block]:
    """The problem and both sides there, where there is a counterexample."""
    shown = finding.counterexample
    if shown is None:
        return []
    problem = _problem(shown.problem)
    if shown.in_words and str(shown.words) == str(shown.told_at):
        return [*problem, Paragraph((*typeset(opening(shown.in_words)), "."))]
    return [*problem, Paragraph((*typeset(opening(shown.words)), ":")), Equation(_sides(shown))]


def _script(script: str) -> list[Block]:
    return [Details("As a script that decides it", (Code(script, "python"),))] if script else []


def _problem(problem: Mapping[str, Any]) -> list[Block]:
    if not problem:
        return []
    written = [f"{k} {v}" for k, v in problem.items()]
    wordy = any(isinstance(v, str) and not _is_number(v) for v in problem.values())
    if "hessian" in problem or not (wordy or len("".join(written)) > _INLINE):
        return [Equation(problem_latex(problem))]
    rows = tuple((Math(letter_latex(k), k), _value(v)) for k, v in problem.items())
    return [Table(("letter", "value"), rows, align="ll")]


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(/\d+)?", text) is not None


def _value(value: Any) -> Text:
    if isinstance(value, list):
        return Math(matrix_latex(value))
    latex = formula(str(value))
    return str(value) if latex is None else Math(latex, str(value))


def _as_file(problem: Mapping[str, Any]) -> list[Block]:
    if "model" not in problem:
        return []
    words = ("The numbers of the problem are exact. As a problem file, for ", Mono("sgtheory law"), ":")
    return [Paragraph(words), Code(json.dumps(dict(problem)), "json")]


def _sides(shown: Any) -> str:
    if isinstance(shown.left, Mapping):
        parts = [
            rf"\partial_{{{_index(name)}}} \mathrm{{KL}} = {exact_latex(str(value))}"
            for name, value in shown.left.items()
        ]
        return r", \quad ".join(parts) + r" \quad \text{instead of } 0"
    return rf"{_side(shown.left)} \quad \text{{and}} \quad {_side(shown.right)}"


def _side(side: Any) -> str:
    if isinstance(side, list) and side and isinstance(side[0], list):
        alone = len(side) == len(side[0]) == 1
        return exact_latex(str(side[0][0])) if alone else matrix_latex(side)
    if isinstance(side, list | tuple):
        return rf"\left({', '.join(exact_latex(str(x)) for x in side)}\right)"
    return exact_latex(str(side))


def _index(name: str) -> str:
    if "[" not in name:
        return {"eps": r"\epsilon"}.get(name, name)
    letter, _, rest = name.partition("[")
    i, j = rest.rstrip("]").split("][")
    return f"{letter}_{{{int(i) + 1}{int(j) + 1}}}"
