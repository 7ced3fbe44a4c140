"""Sentences in which formulas stand as formulas: written once, shown as text or typeset."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from string import Formatter
from typing import Any, Self


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


_FORMATTER = Formatter()
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

    def __new__(cls, *pieces: str | Formula) -> Self:
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

    Between dollar signs it is a part of the formula there.

    >>> from sympy.abc import x
    >>> told = say("The sides differ by {} as ${} -> 0$.", x / 2, x)
    >>> str(told), told.pieces[1].latex, told.pieces[3].text
    ('The sides differ by x/2 as x -> 0.', '\\\\frac{x}{2}', 'x -> 0')
    """
    pieces: list[str | Formula] = []
    place = 0
    for inside, part in enumerate(_MARKED.split(pattern)):
        formula = ""
        for words, name, how, _ in _FORMATTER.parse(part):
            pieces += [] if inside % 2 else _pieces(words)
            formula += words if inside % 2 else ""
            if name is None:
                continue
            value, _ = _FORMATTER.get_field(name or str(place), values, named)
            place += not name
            if inside % 2:
                formula += format(value, how) if how else _text(value)
            else:
                pieces += [format(value, how)] if how else _said(value)
        pieces += [Formula("", formula)] if formula else []
    return Sentence(*pieces)


def listed(values: Iterable[Any], by: str = ", ") -> Sentence:
    """Several things one after the other, words or anything with a LaTeX form.

    >>> from sympy.abc import x, y
    >>> listed([x, y / 2], by=" and ").pieces[2]
    Formula(latex='\\\\frac{y}{2}', text='y/2')
    """
    pieces: list[str | Formula] = []
    for value in values:
        pieces += [by] if pieces else []
        pieces += _said(value)
    return Sentence(*pieces)


def inside(words: str) -> Sentence:
    """The same inside of another sentence: it begins with a small letter.

    >>> print(inside(sentence("The step is $h$.")))
    the step is h.
    """
    first, *rest = sentence(words).pieces
    return Sentence(f"{first[:1].lower()}{first[1:]}" if isinstance(first, str) else first, *rest)


def unstopped(words: str) -> Sentence:
    """The same as a part of a list: without its full stop.

    >>> print(unstopped("The step is $h$."))
    The step is h
    """
    *first, last = sentence(words).pieces or ("",)
    return Sentence(*first, last.removesuffix(".") if isinstance(last, str) else last)


def opening(words: str) -> Sentence:
    """The same at the beginning: it begins with a capital letter.

    >>> print(opening(sentence("the step is $h$.")))
    The step is h.
    """
    first, *rest = sentence(words).pieces
    return Sentence(f"{first[:1].upper()}{first[1:]}" if isinstance(first, str) else first, *rest)


def joined(*sentences: str, by: str = " ") -> Sentence:
    """Sentences one after the other; empty ones are left out.

    >>> str(joined("One.", "", say("{}.", 2)))
    'One. 2.'
    """
    return listed(filter(None, sentences), by)


def _pieces(words: str) -> list[str | Formula]:
    between = enumerate(_MARKED.split(words))
    return [Formula("", part) if k % 2 else part for k, part in between if part]


def _said(value: Any) -> list[str | Formula]:
    if isinstance(value, str):
        return list(sentence(value).pieces)
    if isinstance(value, int):
        return [str(value)]
    return [formula_of(value)]


def _text(value: Any) -> str:
    """On one line, where no LaTeX is needed."""
    if isinstance(value, str | int):
        return str(value)
    if hasattr(value, "text"):
        return str(value.text() if callable(value.text) else value.text)
    from sgtheory.notation.printing import plain

    return plain(value)


def formula_of(value: Any) -> Formula:
    """Anything that can be written in LaTeX and as text: an equation, a relation, an expression."""
    from sgtheory.notation.printing import latex, plain  # which knows declarations, which have sentences

    if isinstance(value, Formula):
        return value
    if hasattr(value, "latex") and hasattr(value, "text"):
        forms = (form() if callable(form) else form for form in (value.latex, value.text))
        return Formula(*forms)
    return Formula(latex(value), plain(value))
