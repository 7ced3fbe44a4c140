"""The guide: pages whose every printed number is computed while they are built.

A module of this package is a page; it has a TITLE, a SUMMARY and ``blocks()``, and is found by scanning.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import partial
from itertools import zip_longest

from reports.document import Link, Page, Paragraph
from reports.keeping import kept


def guide_pages() -> tuple[Page, ...]:
    """All pages of the guide, in the order of their files."""
    return tuple(make() for _, make in guide_tasks())


def guide_tasks() -> list[tuple[str, Callable[[], Page]]]:
    """Under which name each page is kept, and what makes or finds it."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    return [
        (f"guide {name}", partial(kept, f"guide {name}", partial(_page, name, after)))
        for name, after in zip_longest(names, names[1:], fillvalue="")
    ]


def _page(name: str, after: str = "") -> Page:
    """A page; with the name of the one after it, the way there."""
    module = importlib.import_module(f"{__name__}.{name}")
    return Page(
        slug=_slug(name),
        title=module.TITLE,
        blocks=(*module.blocks(), *([_next(after)] if after else [])),
        kind="guide",
        summary=module.SUMMARY,
        trail=(Link("All papers", "index"),),
    )


def _slug(name: str) -> str:
    return f"guide-{name.partition('_')[2].replace('_', '-')}"


def _next(name: str) -> Paragraph:
    return Paragraph(("Next: ", Link(importlib.import_module(f"{__name__}.{name}").TITLE, _slug(name))))
