"""Generated modules on disk: found again by another process, never half-written, never stale."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulators.cpu import store

PROGRAM = """
import sys
from sgtheory import Problem, registry
from sgtheory.setting import Setting
from simulators.ensemble import simulate
problem = Problem.of({"model": "quadratic", "hessian": [[2]], "noise": [[1]], "S": 4,
                      "params": {"eps": "1/4"}})
sgd = registry.sampler("sgd")
run = simulate(Setting(sgd, problem.model), problem.values(sgd), chains=64, steps=3, device="cpu")
print(run.digest, run.source)
"""


def process(folder, seed):
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"SGTHEORY_CACHE": str(folder), "PYTHONHASHSEED": seed, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def files(folder):
    return {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


def test_a_second_process_compiles_nothing(tmp_path):
    first = process(tmp_path, "1")
    before = files(tmp_path)
    assert process(tmp_path, "2") == first  # under another hash seed
    # Python itself may have written the module's byte code; nothing of Numba's has changed
    kept = {p: at for p, at in files(tmp_path).items() if p.suffix in (".nbi", ".nbc", ".py")}
    assert kept == {p: at for p, at in before.items() if p in kept}
    assert {p.suffix for p in kept} == {".nbi", ".nbc", ".py"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


TEXT = "answer = 42\n"


def test_a_damaged_module_is_written_again(folder):
    name = f"sgtheory_{store.key(TEXT)}"
    folder.mkdir()
    (folder / f"{name}.py").write_text("answer = ", encoding="utf-8")
    assert store.load.__wrapped__(TEXT).answer == 42
    assert (folder / f"{name}.py").read_text(encoding="utf-8") == TEXT
    assert not list(folder.glob("*.part"))


def test_another_text_or_another_version_is_another_module(folder, monkeypatch):
    import numba

    name = store.key(TEXT)
    assert store.key(TEXT + "\n") != name
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert store.key(TEXT) != name


def test_a_folder_that_cannot_be_written_is_done_without(folder):
    folder.write_text("a file where the folder should be", encoding="utf-8")
    assert store.load.__wrapped__(TEXT).answer == 42
    assert folder.is_file()


def test_the_folder_is_the_users_alone(folder):
    store.load.__wrapped__(TEXT)
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0
