"""Sentences in which formulas stand as formulas: written once, shown as text or typeset."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter
from typing import Any


@dataclass(frozen=True)
class Formula:
    """A general formula that is no single SymPy expression, in LaTeX and in plain text.

    Without LaTeX it is a formula as programs print them, which pages typeset.
    """

    latex: str
    text: str

    def __post_init__(self) -> None:
        """Words that stand in the LaTeX may have any characters."""
        object.__setattr__(self, "latex", _WORDS.sub(_typed, self.latex))


_WORDS = re.compile(r"\\text\{([^{}]*)\}")
_MARKED = re.compile(r"\$([^$]+)\$")


def _typed(found: re.Match[str]) -> str:
    r"""Underscores and powers among words as they are typed.

    >>> print(Formula(r"\text{W_2^2 from below}", "").latex)
    \text{W\_2² from below}
    """
    words = re.sub(r"(?<!\\)_", r"\_", found[1])
    return rf"\text{{{words.replace('^2', '²').replace('^', ' to the power ')}}}"


class Sentence(str):
    """Words for people: a plain text, which also knows which of its pieces are formulas."""

    pieces: tuple[str | Formula, ...]

    def __new__(cls, *pieces: str | Formula) -> Sentence:
        """The pieces one after the other."""
        made = super().__new__(cls, "".join(p if isinstance(p, str) else p.text for p in pieces))
        made.pieces = pieces
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.pieces


def sentence(words: str) -> Sentence:
    """Words in which formulas stand between dollar signs, as programs print them.

    >>> told = sentence("As $h -> 0$ it vanishes.")
    >>> str(told), told.pieces[1]
    ('As h -> 0 it vanishes.', Formula(latex='', text='h -> 0'))
    """
    return words if isinstance(words, Sentence) else Sentence(*_pieces(words))


def say(pattern: str, *values: Any, **named: Any) -> Sentence:
    """A sentence by its pattern: in braces stands what was found, words or anything with a LaTeX form.

    >>> from sympy.abc import x
    >>> told = say("The sides differ by {} as $h -> 0$.", x / 2)
    >>> str(told), told.pieces[1].latex
    ('The sides differ by x/2 as h -> 0.', '\\\\frac{x}{2}')
    """
    pieces: list[str | Formula] = []
    place = 0
    for words, name, _, _ in Formatter().parse(pattern):
        pieces += _pieces(words)
        if name is not None:
            value = named[name] if name else values[place]
            place += not name
            pieces += _said(value)
    return Sentence(*pieces)


def joined(*sentences: str, by: str = " ") -> Sentence:
    """Sentences one after the other; empty ones are left out.

    >>> str(joined("One.", "", say("{}.", 2)))
    'One. 2.'
    """
    pieces: list[str | Formula] = []
    for words in filter(None, sentences):
        pieces += [by] if pieces else []
        pieces += sentence(words).pieces
    return Sentence(*pieces)


def _pieces(words: str) -> list[str | Formula]:
    between = enumerate(_MARKED.split(words))
    return [Formula("", part) if k % 2 else part for k, part in between if part]


def _said(value: Any) -> list[str | Formula]:
    if isinstance(value, Sentence):
        return list(value.pieces)
    if isinstance(value, str | int):
        return [str(value)]
    return [formula_of(value)]


def formula_of(value: Any) -> Formula:
    """Anything that can be written in LaTeX and as text: an equation, a relation, an expression."""
    from sgtheory.notation.printing import latex, plain  # which knows declarations, which have sentences

    if isinstance(value, Formula):
        return value
    if hasattr(value, "latex") and hasattr(value, "text"):
        forms = (form() if callable(form) else form for form in (value.latex, value.text))
        return Formula(*forms)
    return Formula(latex(value), plain(value))
