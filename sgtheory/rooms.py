"""Our own packages by their names, also where a folder of somebody's project is called like one of them.

``simulators``, ``verification`` and ``reports`` are names that projects use too. What starts inside
somebody's project, the pytest plugin and the types for Hypothesis, asks ``ours`` for a module when it is
used, and not before. A process that is ours, the command and its workers, has our packages: ``pin``.
"""

from __future__ import annotations

import importlib
import importlib.util
import runpy
import sys
import traceback
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from sgtheory.errors import UnusableInput

ROOMS = ("simulators", "verification", "reports")
_HOUSE = Path(__file__).resolve().parent.parent


class _Ours:
    """Finds our packages beside this one, wherever else Python would look first."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in ROOMS:
            return None
        home = _HOUSE / name
        return importlib.util.spec_from_file_location(
            name, home / "__init__.py", submodule_search_locations=[str(home)]
        )


def pin() -> None:
    """From now on these names are our packages in this process."""
    if not pinned():
        sys.meta_path.insert(0, _Ours)


def pinned() -> bool:
    """Whether they are."""
    return _Ours in sys.meta_path


def ours(module: str) -> Any:
    """A module of ours; where another project's folder has the name, one line that says so.

    >>> ours("simulators.philox").__name__
    'simulators.philox'
    """
    room = module.partition(".")[0]
    loaded = sys.modules.get(room)
    spec = importlib.util.find_spec(room) if loaded is None else loaded.__spec__
    places = list((spec and spec.submodule_search_locations) or [])
    if not any(Path(place).resolve() == _HOUSE / room for place in places):
        found = places[0] if places else (spec and spec.origin) or "nothing"
        raise UnusableInput(
            f"sgtheory's own package {room}",
            f"{found}, which has its name",
            "rename that, or keep its folder off Python's path (pytest --import-mode=importlib)",
        )
    return importlib.import_module(module)


def half_compiled(error: EOFError) -> UnusableInput | None:
    """What to say of an import that met half a compiled file; none of any other end of a file.

    Python renames such a file into its place though a full disk took only half of it.
    """
    frames = (frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__))
    path = next((str(names["bytecode_path"]) for names in frames if names.get("bytecode_path")), None)
    remedy = "remove it: Python leaves half of one where a disk is full, and reads it ever after"
    return None if path is None else UnusableInput("a whole compiled file", path, remedy)


def run(module: str) -> None:
    """Run a module of ours as a program, with our packages pinned."""
    pin()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__mp_main__":  # what a worker of a process with our packages runs first
    pin()
