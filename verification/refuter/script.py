"""A counterexample as a short script that needs NumPy only, and its answer.

The script is written from the same declaration and the same printed relation, and decides for itself:
its last line prints whether the printed relation holds at the numbers shown. It shares no arithmetic
with the toolkit, so running it is one more check of the counterexample.
"""

from __future__ import annotations

import contextlib
import io
import keyword
import re
from functools import lru_cache
from typing import Any

from verification.terms.walking import Unable

_OF_SCRIPTS = "F I M P Q R d np rows left right print bool int abs all"
_TAKEN = frozenset(_OF_SCRIPTS.split())


def identifier(letter: str, taken: frozenset[str] = _TAKEN) -> str:
    """A letter of a formula as a name that Python has no other use for, the one for every script.

    >>> identifier("lambda"), identifier("in"), identifier("F"), identifier("x'"), identifier("T")
    ('lambda_', 'in_', 'F_', 'x_', 'T')
    >>> identifier("M"), identifier("M_")  # two letters are two names
    ('M_', 'M__')
    """
    name = re.sub(r"\W", "_", letter)
    bare = name.rstrip("_")
    return f"{name}_" if keyword.iskeyword(bare) or bare in taken else name


def array(rows: Any) -> str:
    """A matrix of fractions as text for the script.

    >>> from fractions import Fraction
    >>> array([[1, 0], [0, Fraction(1, 2)]])
    "rows('1 0; 0 1/2')"
    """
    return "rows('" + "; ".join(" ".join(str(x) for x in row) for row in rows) + "')"


def run(script: str) -> bool:
    """What the script prints last."""
    shown, _ = _ran(script)
    return shown.strip().splitlines()[-1] == "True"


def values_of(script: str) -> tuple[Any, Any]:
    """What both sides come to in the script: decimals, or arrays of them.

    >>> values_of("left, right = 1, 2")
    (1, 2)
    """
    _, names = _ran(script)
    return names["left"], names["right"]


def _ran(script: str) -> tuple[str, dict[str, Any]]:
    """What a script prints, and the names that it leaves."""
    shown, names = io.StringIO(), dict[str, Any]()
    with contextlib.redirect_stdout(shown):
        try:
            for code in _compiled(script):
                exec(code, names)
        except NameError as error:
            raise Unable(f"a script has no value of {error.name}") from error
    return shown.getvalue(), names


def _compiled(script: str) -> tuple[Any, ...]:
    """Each statement by itself: scripts at many places differ in their numbers, and share the rest."""
    try:
        return tuple(map(_code, re.split(r"\n(?=[^\s)\]}])", script)))
    except SyntaxError:  # a statement goes on at the margin
        return (compile(script, "counterexample", "exec"),)


@lru_cache(maxsize=2_000)
def _code(statement: str) -> Any:
    return compile(statement, "counterexample", "exec")
