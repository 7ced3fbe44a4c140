"""What a module offers, told by its docstrings; examples are run, and shown with what they print."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import re
import textwrap
import traceback
from pathlib import Path
from typing import Any

from reports.document import Block, Bullets, Code, Heading, Mono, Note, Paragraph, Table, Text
from reports.reference.installed import installs, is_ours
from reports.reference.names import first_sentence, words_of
from sgtheory.errors import UnusableInput
from verification.terms.words import Word

_WIDE = 76


def documented(module: str, offered: tuple[str, ...]) -> list[Block]:
    """What a module says of itself, and each thing that it offers.

    Where a package that it needs is not installed, its words stand here and nothing is run.
    """
    try:
        home = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if is_ours(error.name or ""):
            raise
        return _not_run(module, offered, error.name or "")
    blocks, plain = told(home, home), []
    for name in sorted(offered, key=str.lower):
        thing = getattr(home, name)
        own = inspect.getdoc(thing) if inspect.isroutine(thing) or inspect.isclass(thing) else None
        if own is None or ">>>" not in own:
            plain.append((Mono(name), _what(thing, own)))
        else:
            blocks += [
                Heading(3, name, f"{module}.{name}", typed=True),
                Code(signature(name, thing)),
                *told(thing, home),
            ]
    if plain:
        blocks.append(Table(("name", "what it is"), tuple(plain), align="ll"))
    return blocks


def _not_run(module: str, offered: tuple[str, ...], package: str) -> list[Block]:
    """What the source of a module says that cannot be imported here."""
    blocks: list[Block] = [
        Note(
            "note",
            (
                Paragraph(
                    (
                        "This needs ",
                        Mono(package),
                        ", which is not installed here: its examples are as the sources have them, and"
                        " were not run. To have it: ",
                        Mono(f"pip install {installs(package)}"),
                    )
                ),
            ),
        )
    ]
    for part in doctest.DocTestParser().parse(_docstring(module)):
        if isinstance(part, doctest.Example):
            blocks.append(Code("\n".join([_typed(part), part.want.rstrip("\n")]).rstrip(), "pycon"))
        else:
            blocks += [Paragraph(words_of(" ".join(p.split()))) for p in part.split("\n\n") if p.strip()]
    return [*blocks, Bullets(tuple(Mono(name) for name in sorted(offered, key=str.lower)))]


def _docstring(module: str) -> str:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return ast.get_docstring(ast.parse(Path(found.origin).read_text("utf-8"))) or ""


def _what(thing: Any, own: str | None) -> Text:
    if own is not None:
        return words_of(first_sentence(own))
    if inspect.ismodule(thing):
        return words_of(first_sentence(thing.__doc__))
    if isinstance(thing, Word):
        return words_of(thing.spoken.format(*"xyzuvw"))
    return f"a {type(thing).__name__}"


def signature(name: str, thing: Any) -> str:
    """How it is called, in lines of a page's width.

    >>> signature("signature", signature)
    'signature(name: str, thing: Any) -> str'
    """
    try:
        written = re.sub(r" at 0x[0-9a-f]+", "", f"{name}{inspect.signature(thing)}")
    except (TypeError, ValueError):
        return name
    written = re.sub(r"(: |-> )'([^']*)'", r"\1\2", written)  # types are kept as text
    return textwrap.fill(written, _WIDE, subsequent_indent="    ", break_long_words=False)


def told(thing: Any, home: Any) -> list[Block]:
    """The paragraphs of a docstring, and its examples with what they print.

    >>> [type(block).__name__ for block in told(signature, inspect.getmodule(signature))]
    ['Paragraph', 'Code']
    """
    blocks: list[Block] = []
    names: dict[str, Any] = dict(vars(inspect.getmodule(thing) or home))
    shown: list[str] = []
    for part in doctest.DocTestParser().parse(inspect.getdoc(thing) or ""):
        if isinstance(part, doctest.Example):
            shown.append(run(part, names))
            continue
        if part.strip():
            blocks += _code(shown)
            blocks += [Paragraph(words_of(" ".join(p.split()))) for p in part.split("\n\n") if p.strip()]
    return [*blocks, *_code(shown)]


def _code(shown: list[str]) -> list[Block]:
    text = "\n".join(shown)
    shown.clear()
    return [Code(text, "pycon")] if text else []


def run(example: doctest.Example, names: dict[str, Any]) -> str:
    """An example with what it prints; raises where that is not what its author says."""
    printed, want = io.StringIO(), example.exc_msg or example.want
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(example.source, "example", "single"), names)
        except Exception as error:
            printed.write(traceback.format_exception_only(error)[-1])
    got = printed.getvalue()
    flags = sum(flag for flag, on in example.options.items() if on)
    if not doctest.OutputChecker().check_output(want, got, flags):
        raise UnusableInput(f"{example.want!r} from {example.source!r}", repr(got), "mend the docstring")
    return "\n".join([_typed(example), *([got.rstrip("\n")] if got.strip() else [])])


def _typed(example: doctest.Example) -> str:
    lines = example.source.rstrip("\n").split("\n")
    return "\n".join(f"{'>>>' if k == 0 else '...'} {line}".rstrip() for k, line in enumerate(lines))
