"""An environment in which only what sgtheory needs at run time can be imported.

``python -m tests.bare CODE`` runs code in it; ``refuse()`` makes this process one.
"""

import importlib.metadata
import re
import sys
from functools import cache
from pathlib import Path

ROOMS = ("sgtheory", "simulators", "verification", "reports", "tests")


def declared():
    """The runtime dependencies in pyproject.toml, by name."""
    import tomllib

    told = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    return [name_of(line) for line in told["project"]["dependencies"]]


def name_of(line):
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", line)[0]).lower()


@cache
def needed():
    """What these need in turn."""
    found, left = set(), declared()
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            try:
                told = importlib.metadata.requires(name) or ()
            except importlib.metadata.PackageNotFoundError:
                continue
            left += [name_of(line) for line in told if "extra ==" not in line]
    return found


@cache
def refused():
    """Modules of what is installed and is not needed, by their first name."""
    modules = importlib.metadata.packages_distributions()
    others = {m for m, names in modules.items() if not needed() & {name_of(n) for n in names}}
    return others - set(ROOMS) - set(sys.stdlib_module_names)


class Refusing:
    """Says of every other module that there is none."""

    def find_spec(self, name, path=None, target=None):
        if not is_allowed(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def refuse():
    """From now on nothing else can be imported."""
    for name in [n for n in list(sys.modules) if not is_allowed(n)]:
        del sys.modules[name]
    sys.meta_path.insert(0, Refusing())


def is_allowed(name):
    return name.partition(".")[0] not in refused()


if __name__ == "__main__":
    code = sys.argv[1]
    refuse()
    exec(compile(code, "bare", "exec"), {"__name__": "__main__"})
