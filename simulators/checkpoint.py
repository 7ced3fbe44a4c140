"""Long runs that survive Ctrl-C and kill -9: a folder with what is finished and what is under way.

Every file is written beside its place and moved there, so it is whole or absent. It begins with a
checksum of the run that it belongs to, of its name and of the rest: a file of another run, or of
another place, is damaged here. What has been lost is computed again, to the same bits.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.files.locking import Alone
from sgtheory.files.writing import PART
from sgtheory.files.writing import write as _place
from sgtheory.reader import arrays, files, schemas, syntax
from simulators.reduce import Tree

Array = np.ndarray[Any, Any]

_SCHEMA = "sgtheory.checkpoint/2"
_FIELDS: dict[str, Any] = {"schema": str, "chunk": int, "run": dict[str, Any], "checksum": str}
_MOST = 10**11  # numbers in a file: sums, or the states of a chunk
_MAGIC = b"sgtheory checkpoint 2\n"
_MANIFEST, _FINISHED = "manifest.json", "finished.sgc"


@dataclass(frozen=True)
class Part:
    """A chunk of chains under way: its first block, how many, the steps done, the states."""

    first: int
    blocks: int
    step: int
    states: Array
    more: Mapping[str, Array] = field(default_factory=dict)  # what was recorded


class Checkpoint:
    """A folder that belongs to one run, named by all that its bits depend on."""

    def __init__(
        self, folder: str | Path, identity: Mapping[str, Any], chunk: int, every: float = 10.0
    ) -> None:
        self.folder, self._every = Path(folder), every  # seconds between two saves of the same thing
        self._identity = dict(identity)
        self._last, self._run = 0.0, b""  # the checksum of the manifest
        self._lock = self._alone()
        try:
            self.chunk = self._claim(chunk)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Another run may use the folder."""
        self._lock.close()

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def _alone(self) -> Alone:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnusableInput("a folder for the checkpoint", str(error), "choose another") from None
        return Alone(self.folder, "a checkpoint")

    def _claim(self, chunk: int) -> int:
        """Make the folder ours, or find that it is: how many blocks its chunks have."""
        try:
            names = {p.name for p in self.folder.iterdir() if not p.name.endswith(PART)}
        except OSError as error:
            raise UnusableInput("a folder for the checkpoint", str(error), "choose another") from None
        if _MANIFEST in names:
            chunk = self._recognise()
            for path in self.folder.glob(f".*.sgc.*{PART}"):  # what a run that was killed was writing
                path.unlink(missing_ok=True)
            return chunk
        if names:
            raise UnusableInput(
                "an empty folder, or one with a checkpoint",
                f"{self.folder} with {sorted(names)[0]}",
                "choose another folder",
            )
        manifest = {"schema": _SCHEMA, "chunk": chunk, "run": self._identity}
        self._run = _checksum(manifest)
        signed = {**manifest, "checksum": self._run.decode()}
        _place(self.folder / _MANIFEST, json.dumps(signed, indent=1).encode())
        return chunk

    def _recognise(self) -> int:
        path = self.folder / _MANIFEST
        try:
            manifest = syntax.parse(files.text(path, "a manifest"), exact=False)
            schemas.check_fields(manifest, _FIELDS, "a manifest", "", ("schema", "chunk", "run"))
        except UnusableInput:
            raise self._damaged(path) from None
        schema, chunk, run = (manifest[key] for key in ("schema", "chunk", "run"))
        if schema != _SCHEMA:
            raise UnusableInput(f"a checkpoint of version {_SCHEMA}", str(schema)[:40], "choose another")
        self._run = _checksum({"schema": schema, "chunk": chunk, "run": run})
        if manifest.get("checksum") != self._run.decode() or chunk < 1:
            raise self._damaged(path)
        for key, value in self._identity.items():
            if run.get(key) != value:
                raise UnusableInput(
                    f"a checkpoint of this run, with {key} {value}",
                    f"one with {key} {run.get(key)} in {self.folder}",
                    "choose another folder, or the run's own numbers",
                )
        return chunk

    def finished(self, size: int, columns: int, blocks: int, single: bool) -> tuple[Tree, Array | None]:
        """The sums of all finished chunks, and the centre that they are about, as of a run like that."""
        path = self.folder / _FINISHED
        if not path.exists():
            return Tree(), None
        found = self._read(path)
        try:
            tree, centre = Tree.of({k: v for k, v in found.items() if k != "centre"}), found["centre"]
        except (LookupError, TypeError, ValueError, OverflowError):
            raise self._damaged(path) from None
        if not tree.fits(columns, blocks, single) or (centre.shape, centre.dtype) != ((size,), float):
            raise self._damaged(path)
        return tree, centre

    def save_finished(self, tree: Tree, centre: Array, last: bool = False) -> None:
        """Called as chunks are finished, in their order; the last time whatever the clock says."""
        if not last and time.monotonic() - self._last < self._every:
            return
        self._last = time.monotonic()
        self._write(self.folder / _FINISHED, {**tree.arrays(), "centre": centre})
        for path in self.folder.glob("part-*.sgc"):
            if int(path.stem.partition("-")[2]) < tree.blocks:
                path.unlink(missing_ok=True)

    def part(self, first: int, blocks: int, steps: int) -> Part | None:
        """The chunk of these blocks, if it was under way to so many steps."""
        path = self._place_of(first)
        if not path.exists():
            return None
        found = self._read(path)
        own = ("blocks", "step", "states")
        try:
            cut, step, states = int(found["blocks"]), int(found["step"]), found["states"]
        except (LookupError, TypeError, ValueError, OverflowError):
            raise self._damaged(path) from None
        if cut != blocks:  # for another number of workers
            return None
        if not 0 <= step < steps:
            raise self._damaged(path)
        more = {name: array for name, array in found.items() if name not in own}
        return Part(first, blocks, step, states, more)

    def check_part(self, part: Part, fresh: Mapping[str, Array]) -> None:
        """Refuse a chunk whose arrays are not like those of one that has just begun.

        What has no rows then may have got some.
        """
        found = {"states": part.states, **part.more}
        for name, one in fresh.items():
            have, grows = found.get(name), one.ndim and not len(one)
            shape = None if have is None else (0, *have.shape[1:]) if grows and have.ndim else have.shape
            if have is None or (shape, have.dtype) != (one.shape, one.dtype):
                raise self._damaged(self._place_of(part.first))

    def save_part(self, part: Part) -> None:
        """Called by the worker that has a chunk under way."""
        content = {"blocks": np.array(part.blocks), "step": np.array(part.step), "states": part.states}
        self._write(self._place_of(part.first), content | dict(part.more))

    def due(self, since: float) -> bool:
        """Whether a worker that saved then should save again."""
        return time.monotonic() - since > self._every

    def _place_of(self, first: int) -> Path:
        return self.folder / f"part-{first:012d}.sgc"

    def _write(self, path: Path, arrays: Mapping[str, Array]) -> None:
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        payload = buffer.getvalue()
        _place(path, _MAGIC + self._seal(path, payload) + b"\n" + payload)

    def _seal(self, path: Path, payload: bytes) -> bytes:
        """A checksum of a file's content, in its place in this run."""
        return hashlib.sha256(self._run + path.name.encode() + b"\n" + payload).hexdigest().encode()

    def _read(self, path: Path) -> dict[str, Array]:
        try:
            magic, checksum, payload = files.content(path, "a checkpoint", most=2**40).split(b"\n", 2)
            if magic + b"\n" != _MAGIC or self._seal(path, payload) != checksum:
                raise ValueError("the checksum differs")
            return arrays.unpacked(io.BytesIO(payload), path.name, None, "arrays", "", _MOST)
        except (OSError, ValueError):  # what cannot be used is a ValueError too
            raise self._damaged(path) from None

    def _damaged(self, path: Path) -> UnusableInput:
        return UnusableInput(
            "a whole checkpoint",
            f"{path.name} in {self.folder}, which is damaged",
            "restore it, or begin again in another folder; nothing has been overwritten",
        )


def _checksum(manifest: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest().encode()
