"""Code of the guide is run where it stands, and what it prints stands under it."""

from __future__ import annotations

import ast
import contextlib
import io
import tempfile
from collections.abc import Mapping
from typing import Any

from reports.document import Block, Code
from sgtheory.files.writing import write

PROBLEM = """\
{"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]],
 "N": 40, "S": 4, "params": {"eps": "1/100"}}
"""


def python(code: str, names: dict[str, Any]) -> list[Block]:
    """Python with what it prints; the value of a last expression is shown as a prompt shows it.

    >>> [block.text for block in python("x = 2\\nx + 1", {})]
    ['x = 2\\nx + 1', '3']
    """
    tree, printed = ast.parse(code), io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "guide", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "guide", "eval"), names)
            print("" if value is None else repr(value), end="\n" if value is not None else "")
    return [Code(code, "python"), *_output(printed.getvalue())]


def command(line: str, files: Mapping[str, str | bytes] | None = None) -> list[Block]:
    """A command with what it prints, run in an empty folder with some files."""
    from click.testing import CliRunner

    from reports.terminal import cli

    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in (files or {}).items():
            write(name, text, durable=False)
        done = runner.invoke(cli, line.split()[1:], catch_exceptions=False)
    return [Code(line, "sh"), *_output(_without_times(done.stdout))]


def _without_times(text: str) -> str:
    """What a command prints, but for the lines about this run: pages are the same bytes whenever made.

    >>> _without_times("proved  a\\nslowest: a 2.0 s\\n2 claims\\n")
    'proved  a\\n2 claims\\n'
    """
    of_this_run = ("slowest: ", "against the last run: ")
    return "".join(line for line in text.splitlines(True) if not line.startswith(of_this_run))


def _output(text: str) -> list[Block]:
    return [Code(text.rstrip("\n"))] if text.strip() else []
