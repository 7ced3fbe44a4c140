"""Where compiled kernels are kept between runs: a folder of generated modules beside Numba's files.

The name of a module is a hash of its text and of everything that compiles it, so a stale one is
never found. It is written to a temporary name and moved, so a half-written one is never seen.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

VARIABLE = "SGTHEORY_CACHE"


def folder() -> Path:
    """The cache folder: $SGTHEORY_CACHE, or ``sgtheory`` in the user's cache folder."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "sgtheory"


def key(text: str) -> str:
    """The name of a generated module."""
    import llvmlite
    import numba
    import numpy

    from simulators.cpu import primitives

    versions = (sys.version, numba.__version__, llvmlite.__version__, numpy.__version__)
    helpers = Path(primitives.__file__).read_text(encoding="utf-8")
    return hashlib.sha256("\0".join((*versions, helpers, text)).encode()).hexdigest()[:32]


@cache
def load(text: str) -> ModuleType:
    """The module of a text, compiled now or taken from the cache."""
    name = f"sgtheory_{key(text)}"
    spec = importlib.util.spec_from_file_location(name, _place(name, text))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Numba looks its functions' modules up by name
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _place(name: str, text: str) -> Path:
    try:
        return _write(folder(), name, text)
    except OSError:
        # a home that cannot be written to: compile for this process alone
        return _write(_private(), name, text)


@cache
def _private() -> Path:
    made = tempfile.mkdtemp(prefix="sgtheory-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def _write(where: Path, name: str, text: str) -> Path:
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = where / f"{name}.py"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return path
    handle, temporary = tempfile.mkstemp(dir=where, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path
