"""The guide: pages whose every printed number is computed while they are built.

A module of this package is a page; it has a TITLE, a SUMMARY and ``blocks()``, and is found by scanning.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import partial

from reports.document import Link, Page
from reports.making import Task, announced
from reports.results import is_kept, kept

_TRAIL = (Link("All papers", "index"),)


def guide_tasks() -> list[Task]:
    """The pages of the guide, in the order of their files."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    return [_task(name) for name in names]


def _task(name: str) -> Task:
    module = importlib.import_module(f"{__name__}.{name}")
    page = announced(_slug(name), module.TITLE, "guide", module.SUMMARY, _TRAIL)
    called = f"guide {name}"
    return Task(page, partial(kept, called, partial(_page, name)), "sgtheory report", is_kept(called))


def _page(name: str) -> Page:
    """A page."""
    module = importlib.import_module(f"{__name__}.{name}")
    return Page(
        slug=_slug(name),
        title=module.TITLE,
        blocks=tuple(module.blocks()),
        kind="guide",
        summary=module.SUMMARY,
        trail=_TRAIL,
    )


def _slug(name: str) -> str:
    return f"guide-{name.partition('_')[2].replace('_', '-')}"
