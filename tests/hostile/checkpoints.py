"""Checkpoints in which something is wrong: bytes, names, numbers, even checksums."""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.hostile import problems
from tests.hostile.trial import Case

_FOLDER, _MANIFEST = "run", "manifest.json"


def checkpoint(draw: Random) -> Case:
    """A folder of a run that was broken off or is complete, spoilt; or one that somebody forged.

    A run that goes on from what was spoilt says what it would have said; of what was forged with care
    it can only be asked that it is refused, or taken without a fault.
    """
    files = dict(_saved(draw.choice((1, 2, 3, 4, 6, 9, 99))))
    forged = draw.random() < 0.5
    spoil = _forged if forged else _spoilt
    for _ in range(draw.choice((1, 1, 2))):
        files = spoil(draw, files)
    placed = {f"{_FOLDER}/{name}": content for name, content in files.items()}

    def go_on(folder: Path) -> None:
        found = _run(folder / _FOLDER)
        assert forged or found == _whole(), "another answer"

    return Case("checkpoint", ("simulate",), placed, go_on)


class _Enough(Exception):
    """Raised where a run is to be broken off."""


def _run(folder: Path | None) -> str:
    from sgtheory import Problem, registry
    from sgtheory.setting import Setting
    from simulators.ensemble import simulate

    problem, sgd = Problem.of(problems.VALID[1]), registry.sampler("sgd")
    return simulate(
        Setting(sgd, problem.model), problem.values(sgd), chains=1_000, steps=40, seed=3, device="cpu",
        threads=1, chunk=512, checkpoint=folder, save_every=0.0,
    ).digest  # fmt: skip


@cache
def _whole() -> str:
    """The digest of the run that nothing happened to."""
    return _run(None)


@cache
def _saved(after: int) -> tuple[tuple[str, bytes], ...]:
    """The files of the run, broken off at a save."""
    import simulators.checkpoint as room

    honest, saves = room._place, 0

    def place(path: Any, content: Any) -> Any:
        nonlocal saves
        honest(path, content)
        saves += 1
        if saves == after:
            raise _Enough

    with tempfile.TemporaryDirectory() as name:
        room._place = place
        try:
            _run(Path(name))
        except _Enough:
            pass
        finally:
            room._place = honest
        return tuple((p.name, p.read_bytes()) for p in sorted(Path(name).iterdir()))


def _spoilt(draw: Random, files: dict[str, bytes]) -> dict[str, bytes]:
    """Bytes that changed, were lost, came to another place or are there twice."""
    name = draw.choice(sorted(files))
    content, kind = files[name], draw.random()
    at = draw.randrange(len(content)) if content else 0
    if kind < 0.45 and content:
        flipped = bytes([content[at] ^ 1 << draw.randrange(8)])
        return {**files, name: content[:at] + flipped + content[at + 1 :]}
    if kind < 0.6:
        return {**files, name: content[:at]}
    if kind < 0.7:
        return {**files, name: content + draw.randbytes(draw.choice((1, 100)))}
    if kind < 0.8:
        return {**files, draw.choice(("part-000000000000.sgc", "part-000000000009.sgc", "x")): content}
    if kind < 0.9:
        return {**files, name: draw.choice([*files.values(), b"", b"sgtheory checkpoint 2\n"])}
    return {other: c for other, c in files.items() if other != name or len(files) == 1}


def _forged(draw: Random, files: dict[str, bytes]) -> dict[str, bytes]:
    """Something else in a file, under a checksum that is right."""
    try:
        manifest = json.loads(files[_MANIFEST])
    except (ValueError, KeyError):
        return files
    parts = [name for name in files if name.endswith(".sgc")]
    if draw.random() < 0.5 or not parts or not isinstance(manifest, dict):
        return {**files, _MANIFEST: _signed(draw, manifest)}
    name = draw.choice(parts)
    return {**files, name: _sealed(draw, name, files[name], str(manifest.get("checksum")).encode())}


def _signed(draw: Random, manifest: Any) -> bytes:
    changed = problems.changed(draw, manifest)
    if isinstance(changed, dict):
        known = {k: changed.get(k) for k in ("schema", "chunk", "run")}
        changed["checksum"] = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
    return json.dumps(changed).encode("utf-8", "surrogatepass")


def _sealed(draw: Random, name: str, content: bytes, run: bytes) -> bytes:
    magic, _, payload = content.split(b"\n", 2)
    with np.load(io.BytesIO(payload)) as file:
        arrays = dict(file)
    buffer = io.BytesIO()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        np.savez(buffer, **_other(draw, arrays))  # type: ignore[arg-type]
    payload = buffer.getvalue()
    seal = hashlib.sha256(run + name.encode() + b"\n" + payload).hexdigest().encode()
    return magic + b"\n" + seal + b"\n" + payload


def _other(draw: Random, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays with one of another shape, kind, size or name."""
    name, kind = draw.choice(sorted(arrays)), draw.randrange(6)
    one, rest = arrays[name], {n: a for n, a in arrays.items() if n != name}
    if kind == 0:
        return rest
    if kind == 1:
        return {**rest, draw.choice(("x", "../x", "states", "centre", "row0", "")) or "_": one}
    if kind == 2:
        return {**rest, name: one.astype(draw.choice(("f4", "i8", "c16", "U5", "?", "f8")))}
    if kind == 3:
        return {**rest, name: one.ravel()[: draw.randrange(one.size + 1)]}
    if kind == 4:
        odd = draw.choice((-1, 0, 10**18, 1.5, float("nan"), float("inf"), 1e300, "x", True))
        return {**rest, name: np.full(one.shape, odd)}
    return {**rest, name: np.stack([one, one])}
