"""Files that other programs read: npz with metadata, and Parquet."""

from __future__ import annotations

import hashlib
import importlib
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.files.writing import whole
from sgtheory.reader import arrays as archives
from sgtheory.reader import schemas, syntax

Array = np.ndarray[Any, Any]

_MOST = 10**11  # numbers in a file of our own, which may be a long trace
_METADATA: dict[str, Any] = {"schema": str, "contents": str}


def needed(module: str, extra: str, title: str) -> Any:
    """A module that comes with an extra of this package."""
    try:
        with warnings.catch_warnings():
            # says at every import that a next version will differ; both versions are known here
            warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing", FutureWarning)
            return importlib.import_module(module)
    except ImportError:
        raise UnusableInput(
            f"{title} for this format", "an installation without it", f'pip install "sgtheory[{extra}]"'
        ) from None


def write_npz(
    path: str | Path, arrays: Mapping[str, Array], metadata: Mapping[str, Any], small: bool = False
) -> None:
    """Arrays by name, and ``metadata`` as a JSON string; compressed where they are ``small``."""
    save = np.savez_compressed if small else np.savez
    text = _json({**metadata, "contents": _contents(arrays)})
    with whole(path) as file:
        save(file, allow_pickle=False, metadata=np.array(text), **arrays)


def read_npz(path: str | Path, schema: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """What ``write_npz`` wrote, of a schema; a file that is another's, or damaged, is refused."""
    path = Path(path)
    if not path.exists():
        raise UnusableInput(f"a file of {schema}", f"no {path}", "give another")
    try:
        found = archives.archive(path, most=_MOST)
        metadata = syntax.parse(str(found.pop("metadata")), exact=False)
        schemas.check_fields(metadata, _METADATA, "metadata", "", _METADATA)
    except (KeyError, UnusableInput):
        raise damaged(path) from None
    kind, contents = metadata["schema"], metadata.pop("contents")
    if kind != schema:
        raise UnusableInput(f"a file of {schema}", f"{path.name} of {str(kind)[:40]}", "give another")
    if contents != _contents(found):
        raise damaged(path)
    return found, metadata


def _contents(arrays: Mapping[str, Array]) -> str:
    """A hash of arrays and of what they are called."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(array.data)
    return found.hexdigest()


def damaged(path: str | Path) -> UnusableInput:
    """What is said of a file that is not whole."""
    return UnusableInput(
        "a whole file that sgtheory wrote",
        f"{Path(path).name}, which is damaged or another's",
        "give another",
    )


def write_parquet(
    path: str | Path, schema: Any, batches: Iterable[Sequence[Any]], metadata: Mapping[str, Any]
) -> None:
    """A table in batches of columns; ``metadata`` is the JSON string ``sgtheory`` of its schema."""
    pyarrow = needed("pyarrow", "parquet", "PyArrow")
    parquet = needed("pyarrow.parquet", "parquet", "PyArrow")
    kinds = pyarrow.schema([(n, pyarrow.type_for_alias(k)) for n, k in schema.items()])
    described = kinds.with_metadata({"sgtheory": _json(metadata)})
    sums = {"write_page_checksum": True}  # a byte that changes on the disk is no other number
    with whole(path) as file, parquet.ParquetWriter(file, described, **sums) as writer:
        for columns in batches:
            writer.write_table(pyarrow.table(dict(zip(schema, columns, strict=True)), schema=described))


def _json(metadata: Mapping[str, Any]) -> str:
    return json.dumps(_finite(metadata), ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    """Numbers that are not finite become null: JSON has none."""
    if isinstance(value, Mapping):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return None if isinstance(value, float) and not isfinite(value) else value
