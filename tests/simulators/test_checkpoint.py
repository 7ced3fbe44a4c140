"""Runs that are broken off go on to the same bits; checkpoints that are not theirs are refused."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators.checkpoint import Checkpoint, Part
from simulators.ensemble import run
from simulators.reduce import Tree

PROGRAM = """
import sys
from sgtheory import Problem, registry
from sgtheory.setting import Setting
from simulators.ensemble import simulate
problem = Problem.of({"model": "quadratic", "hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 2]],
                      "N": 10, "S": 4, "params": {"eps": "1/20", "mu": "1/10"}})
momentum = registry.sampler("momentum")
print("ready", flush=True)
found = simulate(Setting(momentum, problem.model), problem.values(momentum), chains=20_000,
                 steps=int(sys.argv[2]), seed=5, device="cpu", threads=2, chunk=3_000,
                 checkpoint=sys.argv[1] or None, save_every=0.0)
print(found.digest)
"""


def begin(folder, steps):
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), str(steps)],
        env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def digest(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return out.split()[-1]


def saved(folder):
    """What a checkpoint holds: its files and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*") if path.exists()}


def killed_and_resumed(tmp_path, kills, steps):
    """The digest after so many kills at random moments, and how often the run was really under way.

    A kill comes after the run has saved something of its own: how fast the machine is does not
    decide whether it is broken off.
    """
    source, broken = random.Random(kills), 0
    for _ in range(kills):
        before = saved(tmp_path / "run")
        process = begin(tmp_path / "run", steps)
        assert process.stdout.readline().strip() == "ready"
        while saved(tmp_path / "run") == before and process.poll() is None:
            time.sleep(0.002)
        time.sleep(source.uniform(0, 0.1))
        broken += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
    return digest(begin(tmp_path / "run", steps)), broken


@pytest.mark.strong
def test_killing_and_resuming_gives_the_same_bits(tmp_path):
    whole = digest(begin("", 10_000))
    found, broken = killed_and_resumed(tmp_path, 2, 10_000)
    assert found == whole
    assert broken


@pytest.mark.long
def test_ten_kills_give_the_same_bits_ten_times(tmp_path):
    whole = digest(begin("", 400_000))
    for k in range(10):
        folder = tmp_path / str(k)
        folder.mkdir()
        found, broken = killed_and_resumed(folder, 1 + k % 3, 400_000)
        assert found == whole
        assert broken


@pytest.fixture
def engine(tools, cpu_engine):
    bound = tools.bound("sgd", 2, "float64")
    return bound, cpu_engine(bound)


class Enough(Exception):
    """Raised where a run is to be broken off."""


def broken_off(engine, folder, after, **options):
    """A run that stops at its n-th save, as if it had been killed there."""
    import simulators.checkpoint as room

    saves, honest = [], room._place

    def place(path, content):
        honest(path, content)
        saves.append(path.name)
        if len(saves) == after:
            raise Enough

    room._place = place
    try:
        run(*engine, 1_000, 50_000, 3, 128, checkpoint=folder, save_every=0.0, **options)
    except Enough:
        pass
    finally:
        room._place = honest
    return saves


@pytest.mark.parametrize("after", [1, 2, 3, 5, 8])
def test_wherever_it_stops_it_goes_on_to_the_same_bits(tmp_path, engine, after):
    whole = run(*engine, 1_000, 50_000, 3, 128)
    saves = broken_off(engine, tmp_path, after)
    assert len(saves) >= min(after, 2)
    again = run(*engine, 1_000, 50_000, 3, 128, checkpoint=tmp_path, save_every=0.0)
    assert again.digest == whole.digest
    assert not list(tmp_path.glob("part-*"))  # nothing is left under way


def test_a_chunk_of_another_size_does_not_matter(tmp_path, engine):
    whole = run(*engine, 1_000, 50_000, 3, 128)
    broken_off(engine, tmp_path, 4)
    again = run(*engine, 1_000, 50_000, 3, 512, checkpoint=tmp_path, save_every=0.0)
    assert again.digest == whole.digest


def test_a_given_centre_is_kept(tmp_path, engine):
    whole = run(*engine, 1_000, 50_000, 3, 128, [1.0, 2.0])
    broken_off(engine, tmp_path, 4, centre=[1.0, 2.0])
    again = run(*engine, 1_000, 50_000, 3, 128, [1.0, 2.0], checkpoint=tmp_path)
    assert again.digest == whole.digest
    with pytest.raises(UnusableInput, match="centre"):
        run(*engine, 1_000, 50_000, 3, 128, [1.0, 3.0], checkpoint=tmp_path)


def contents(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


@pytest.mark.parametrize("name", ["manifest.json", "finished.sgc"])
def test_a_damaged_checkpoint_is_refused_and_left_alone(tmp_path, engine, name):
    broken_off(engine, tmp_path, 6)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    before = contents(tmp_path)
    with pytest.raises(UnusableInput, match="damaged"):
        run(*engine, 1_000, 50_000, 3, 128, checkpoint=tmp_path)
    assert contents(tmp_path) == before


def test_every_flipped_byte_of_a_part_is_seen(tmp_path):
    saved = Checkpoint(tmp_path, {"seed": 1}, 2)
    saved.save_part(Part(0, 2, 7, np.arange(4.0)))
    path = tmp_path / "part-000000000000.sgc"
    whole = path.read_bytes()
    assert (saved.part(0, 2, 8).states == np.arange(4.0)).all()
    for at in range(0, len(whole), 17):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(UnusableInput, match="damaged"):
            saved.part(0, 2, 8)


def test_a_second_run_on_one_checkpoint_is_told_so(tmp_path, engine):
    with Checkpoint(tmp_path, {"seed": 1}, 2), pytest.raises(UnusableInput, match="no other run"):
        Checkpoint(tmp_path, {"seed": 1}, 2)
    Checkpoint(tmp_path, {"seed": 1}, 2).close()


@pytest.mark.parametrize("chunk", [-5, 0, 1, 64, 10**30, "2", None, [[[]]], 2.0])
def test_a_changed_manifest_is_refused(tmp_path, engine, chunk):
    broken_off(engine, tmp_path, 6)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "chunk": chunk}))
    before = contents(tmp_path)
    with pytest.raises(UnusableInput, match="damaged"):
        run(*engine, 1_000, 50_000, 3, 128, checkpoint=tmp_path)
    assert contents(tmp_path) == before


def test_files_of_another_run_are_refused(tmp_path, engine):
    mine, other = tmp_path / "mine", tmp_path / "other"
    broken_off(engine, mine, 6)
    run(*engine, 1_000, 50_000, 4, 128, checkpoint=other, save_every=0.0)
    (mine / "finished.sgc").write_bytes((other / "finished.sgc").read_bytes())
    with pytest.raises(UnusableInput, match="damaged"):
        run(*engine, 1_000, 50_000, 3, 128, checkpoint=mine)


def test_a_part_in_another_place_is_refused(tmp_path):
    with Checkpoint(tmp_path, {"seed": 1}, 2) as saved:
        saved.save_part(Part(0, 2, 7, np.arange(4.0)))
        (tmp_path / "part-000000000000.sgc").rename(tmp_path / "part-000000000002.sgc")
        with pytest.raises(UnusableInput, match="damaged"):
            saved.part(2, 2, 8)


def test_what_a_killed_run_was_writing_is_removed(tmp_path):
    Checkpoint(tmp_path, {"seed": 1}, 2).close()
    half = tmp_path / ".finished.sgc.0123456789abcdef.part"
    half.write_bytes(b"half")
    Checkpoint(tmp_path, {"seed": 1}, 2).close()
    assert not half.exists()


def test_another_run_is_refused_by_name(tmp_path, engine, tools, cpu_engine):
    run(*engine, 1_000, 100, 3, checkpoint=tmp_path)
    before = contents(tmp_path)
    with pytest.raises(UnusableInput, match="seed 4"):
        run(*engine, 1_000, 100, 4, checkpoint=tmp_path)
    with pytest.raises(UnusableInput, match="steps 101"):
        run(*engine, 1_000, 101, 3, checkpoint=tmp_path)
    other = tools.bound("sgd", 2, "float64", eps="1/30")
    with pytest.raises(UnusableInput, match="numbers"):
        run(other, cpu_engine(other), 1_000, 100, 3, checkpoint=tmp_path)
    assert contents(tmp_path) == before


def test_a_folder_with_something_else_is_refused(tmp_path, engine):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UnusableInput, match="empty folder"):
        run(*engine, 1_000, 100, 3, checkpoint=tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_a_checkpoint_of_another_version_is_refused(tmp_path, engine):
    run(*engine, 1_000, 100, 3, checkpoint=tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"schema": "sgtheory.checkpoint/9"}))
    with pytest.raises(UnusableInput, match="version"):
        run(*engine, 1_000, 100, 3, checkpoint=tmp_path)


@pytest.mark.parametrize("count", range(9))
def test_a_tree_goes_on_from_its_arrays(count):
    rows = np.random.default_rng(count).standard_normal((8, 3))
    whole, first = Tree(), Tree()
    whole.add(rows)
    first.add(rows[:count])
    second = Tree.of(first.arrays())
    second.add(rows[count:])
    assert second.total().tobytes() == whole.total().tobytes()


def test_the_device_path_packs_its_states_too(tmp_path, tools, host_engine):
    bound = tools.bound("sgd", 2, "float64")
    engine = (bound, host_engine(bound))
    whole = run(*engine, 300, 200, 3, 128)
    x = engine[1].start(0, 2, 3)
    same = engine[1].unpacked(engine[1].packed(x))
    assert engine[1].packed(same).tobytes() == engine[1].packed(x).tobytes()
    again = run(*engine, 300, 200, 3, 128, checkpoint=tmp_path, save_every=0.0)
    assert again.digest == whole.digest
