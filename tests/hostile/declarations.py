"""Files of one's own samplers and claims in which some words are others."""

from __future__ import annotations

import io
import json
import tokenize
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.hostile import problems
from tests.hostile.trial import Case

_WORDS = (
    "None",
    "True",
    "...",
    "[]",
    "{}",
    "()",
    "''",
    "'x'",
    "'x' * 10_000",
    "b'x'",
    "'\\x1b[31m'",
    "'\\n' * 9",
    "float('nan')",
    "float('inf')",
    "1j",
    "10**400",
    "-1",
    "0",
    "1.5",
    "1e308",
    "object()",
    "print",
    "type",
    "lambda *a, **k: a",
    "Exception('x')",
    "range(10**9)",
    "__import__('sympy').oo",
    "__import__('math').pi",
    "__import__('sympy').nan",
    "__import__('sympy').zoo",
    "__import__('sympy').Symbol('theta')",
    "__import__('sympy').Function('f')(1)",
    "__import__('sympy').Matrix([[1, 2]])",
    "__import__('numpy').ones((2, 2))",
    "__import__('fractions').Fraction(1, 3)",
    "theta",
    "xi",
    "h",
    "mu",
    "gradient(gradient(theta))",
    "gradient",
    "theta**2",
    "1 / theta",
    "theta * v",
    "Sigma",
    "A",
    "eps",
    "eps**eps",
    "Sigma**-1",
    "A * 1e999",
    "[[A]]",
    "{'a': 1}",
    "('sgd', 'sgd')",
    "'sgd'",
    "'no_such'",
    "'discrete'",
    "(A, A)",
    "((), ())",
    "Equal",
    "Equal(A, A)",
    "Equal(1, 2)",
    "Compare(A, '<<', C)",
    "Compare(1, '<', 2)",
    "claim",
)
_LINES = (
    "raise ValueError('a\\nb')",
    "raise SystemExit(0)",
    "1 / 0",
    "import no_such_module",
    "x = x",
    "(",
    "\x00",
    "def f(): f()\nf()",
    "from verification.statements import *",
    "import sys; sys.exit('bye')",
    "raise type('E', (BaseException,), {'__str__': lambda self: 1 / 0})",
    "assert False",
    "return",
    "é = 1",
    "globals().clear()",
)
_PROBLEM = {**problems.VALID[0], "params": {"h": "1/100", "mu": "1/2"}, "start": {}}


def declared(draw: Random) -> Case:
    """A file with a sampler, asked for its law; or one with claims, which are read."""
    if draw.random() < 0.5:
        files = {"own.py": _text(draw, "SAMPLER"), "p.json": json.dumps(_PROBLEM).encode()}
        return Case("declared", ("law", "own.py", "--problem", "p.json"), files)
    return Case("declared", ("verify",), {"own.py": _text(draw, "CLAIM")}, _gathered)


def _gathered(folder: Path) -> None:
    from verification.library import select

    select((str(folder / "own.py"),))


@cache
def _valid(name: str) -> str:
    from reports.terminal import first

    return str(getattr(first, name)).format(name="own.py")


def _text(draw: Random, name: str) -> bytes:
    text = _valid(name)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        text = _other_word(draw, text) if draw.random() < 0.8 else _other_line(draw, text)
    return text.encode()


def _other_word(draw: Random, text: str) -> str:
    """One name, number or text behind the imports replaced by another expression."""
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    taken = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)
    words = [t for t in found if t.type in taken and "import" not in t.line and '"""' not in t.string]
    if not words:
        return text
    word: Any = draw.choice(words)
    lines = text.splitlines(True)
    (row, begin), (_, end) = word.start, word.end
    if word.start[0] == word.end[0]:
        line = lines[row - 1]
        lines[row - 1] = line[:begin] + draw.choice(_WORDS) + line[end:]
    return "".join(lines)


def _other_line(draw: Random, text: str) -> str:
    lines = text.splitlines(True)
    at = draw.randrange(len(lines))
    return "".join([*lines[:at], draw.choice(_LINES) + "\n", *lines[at + draw.randrange(2) :]])
