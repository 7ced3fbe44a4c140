"""Long runs that survive Ctrl-C and kill -9: a folder with what is finished and what is under way.

Every file is written beside its place and moved there, so it is whole or absent; it begins with the
checksum of the rest. What has been lost is computed again, to the same bits.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from simulators.files import write_whole as _place
from simulators.reduce import Tree

Array = np.ndarray[Any, Any]

_SCHEMA = "sgtheory.checkpoint/1"
_MAGIC = b"sgtheory checkpoint 1\n"
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
        self._last = 0.0
        self.chunk = self._claim(chunk)

    def _claim(self, chunk: int) -> int:
        """Make the folder ours, or find that it is: how many blocks its chunks have."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            names = {p.name for p in self.folder.iterdir() if not p.name.endswith(".part")}
        except OSError as error:
            raise UnusableInput("a folder for the checkpoint", str(error), "choose another") from None
        if _MANIFEST in names:
            return self._recognise()
        if names:
            raise UnusableInput(
                "an empty folder, or one with a checkpoint",
                f"{self.folder} with {sorted(names)[0]}",
                "choose another folder",
            )
        manifest = {"schema": _SCHEMA, "chunk": chunk, "run": self._identity}
        _place(self.folder / _MANIFEST, json.dumps(manifest, indent=1).encode())
        return chunk

    def _recognise(self) -> int:
        path = self.folder / _MANIFEST
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
            schema, chunk, run = (manifest[key] for key in ("schema", "chunk", "run"))
        except (OSError, ValueError, KeyError, TypeError):
            raise self._damaged(path) from None
        if schema != _SCHEMA or not isinstance(chunk, int) or not isinstance(run, dict):
            raise UnusableInput(f"a checkpoint of version {_SCHEMA}", str(schema)[:40], "choose another")
        for key, value in self._identity.items():
            if run.get(key) != value:
                raise UnusableInput(
                    f"a checkpoint of this run, with {key} {value}",
                    f"one with {key} {run.get(key)} in {self.folder}",
                    "choose another folder, or the run's own numbers",
                )
        return chunk

    def finished(self) -> tuple[Tree, Array | None]:
        """The sums of all finished chunks, and the centre that they are about."""
        path = self.folder / _FINISHED
        if not path.exists():
            return Tree(), None
        found = self._read(path)
        return Tree.of({k: v for k, v in found.items() if k != "centre"}), found["centre"]

    def save_finished(self, tree: Tree, centre: Array, last: bool = False) -> None:
        """Called as chunks are finished, in their order; the last time whatever the clock says."""
        if not last and time.monotonic() - self._last < self._every:
            return
        self._last = time.monotonic()
        self._write(self.folder / _FINISHED, {**tree.arrays(), "centre": centre})
        for path in self.folder.glob("part-*.sgc"):
            if int(path.stem.partition("-")[2]) < tree.blocks:
                path.unlink(missing_ok=True)

    def part(self, first: int, blocks: int) -> Part | None:
        """The chunk of these blocks, if it was under way."""
        path = self._place_of(first)
        if not path.exists():
            return None
        found = self._read(path)
        if int(found["blocks"]) != blocks:  # it was cut otherwise, for another number of workers
            return None
        own = ("blocks", "step", "states")
        more = {name: array for name, array in found.items() if name not in own}
        return Part(first, blocks, int(found["step"]), found["states"], more)

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
        checksum = hashlib.sha256(payload).hexdigest().encode() + b"\n"
        _place(path, _MAGIC + checksum + payload)

    def _read(self, path: Path) -> dict[str, Array]:
        try:
            magic, checksum, payload = path.read_bytes().split(b"\n", 2)
            if magic + b"\n" != _MAGIC or hashlib.sha256(payload).hexdigest().encode() != checksum:
                raise ValueError("the checksum differs")
            with np.load(io.BytesIO(payload), allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        except (OSError, ValueError, KeyError):
            raise self._damaged(path) from None

    def _damaged(self, path: Path) -> UnusableInput:
        return UnusableInput(
            "a whole checkpoint",
            f"{path.name} in {self.folder}, which is damaged",
            "restore it, or begin again in another folder; nothing has been overwritten",
        )
