"""Public names, read off the sources without running them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from reports.document import Mono, Span
from reports.results import kept

_LONGEST = 60  # letters of a signature in a table


@dataclass(frozen=True)
class Name:
    """A public function or class: its signature, where it is, and the first sentence on it."""

    module: str
    name: str
    summary: str


@cache
def names_of(room: str) -> tuple[Name, ...]:
    """All of a room, in the order of its files; while no source changes they are not parsed again.

    >>> next(n for n in names_of("sgtheory") if n.name.startswith("name_latex")).module
    'sgtheory.notation.naming'
    """
    return kept(f"names of {room}", lambda: _names(room))


def _names(room: str) -> tuple[Name, ...]:
    return tuple(found for module, tree in _trees(room) for found in _public(module, tree))


def offering(room: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Packages and modules that say what they offer, with that."""
    for module, tree in _trees(room):
        offered = _all(tree)
        if offered and module.count(".") <= 1:
            yield module, offered


def first_sentence(docstring: str | None) -> str:
    """The first paragraph of a docstring on one line, and of that the first sentence.

    >>> first_sentence("One of them.\\n\\nMore words.")
    'One of them.'
    """
    line = " ".join((docstring or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.?]) (?=[A-Z])", line)[0]


def words_of(text: str) -> tuple[Span, ...]:
    """Words with typed names in double backticks.

    >>> words_of("A ``step``.")
    ('A ', Mono(text='step'), '.')
    """
    parts = re.split(r"``(.+?)``", text)
    return tuple(Mono(p) if k % 2 else p for k, p in enumerate(parts) if p) or ("",)


def _trees(room: str) -> Iterator[tuple[str, ast.Module]]:
    root = Path(str(resources.files(room)))
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root.parent).with_suffix("").parts
        module = ".".join(inside[:-1] if inside[-1] == "__init__" else inside)
        if not any(part.startswith("_") for part in inside[:-1]) and inside[-1] != "__main__":
            yield module, ast.parse(path.read_text("utf-8"))


def _public(module: str, tree: ast.Module) -> Iterator[Name]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            given = _arguments(node) if isinstance(node, ast.FunctionDef) else ""
            yield Name(module, node.name + given, first_sentence(ast.get_docstring(node)))


def _arguments(node: ast.FunctionDef) -> str:
    """What it takes, without types; cut where it is long."""
    for given in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        given.annotation = None
    for rest in (node.args.vararg, node.args.kwarg):
        if rest is not None:
            rest.annotation = None
    written = ast.unparse(node.args)
    return (
        f"({written})" if len(written) <= _LONGEST else f"({written[:_LONGEST].rpartition(',')[0]}, …)"
    )


def _all(tree: ast.Module) -> tuple[str, ...]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets
        ):
            return tuple(ast.literal_eval(node.value))
    return ()
