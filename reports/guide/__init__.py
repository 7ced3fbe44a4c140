"""The guide: pages whose every printed number is computed while they are built.

A module of this package is a page; it has a TITLE, a SUMMARY and ``blocks()``, and is found by scanning.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import partial

from reports.document import Link, Page
from reports.keeping import kept


def guide_pages() -> tuple[Page, ...]:
    """All pages of the guide, in the order of their files."""
    return tuple(make() for _, make in guide_tasks())


def guide_tasks() -> list[tuple[str, Callable[[], Page]]]:
    """Under which name each page is kept, and what makes or finds it."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    return [(f"guide {name}", partial(kept, f"guide {name}", partial(_page, name))) for name in names]


def _page(name: str) -> Page:
    module = importlib.import_module(f"{__name__}.{name}")
    return Page(
        slug=f"guide-{name.partition('_')[2].replace('_', '-')}",
        title=module.TITLE,
        blocks=module.blocks(),
        kind="guide",
        summary=module.SUMMARY,
        trail=(Link("All papers", "index"),),
    )
