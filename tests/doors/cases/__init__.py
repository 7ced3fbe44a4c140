"""The cases: each module has a tuple ``CASES``."""

from __future__ import annotations

import importlib
import pkgutil

from tests.doors.case import Case


def every() -> tuple[Case, ...]:
    """All cases, in the order of their modules."""
    found: list[Case] = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        found += importlib.import_module(f"{__name__}.{module.name}").CASES
    names = [case.id for case in found]
    assert len(set(names)) == len(names), "two cases have one id"
    return tuple(found)
