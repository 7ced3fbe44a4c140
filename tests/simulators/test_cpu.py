"""Machine code on disk: found again by another process, never half-written, never stale."""

import ctypes
import dataclasses
import gc
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import pytest

from sgtheory.files import keeper
from simulators.cpu import native

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


@pytest.mark.strong
def test_a_second_process_compiles_nothing(tmp_path):
    first = process(tmp_path, "1")
    (kernel,) = (tmp_path / "kernels").iterdir()
    before = kernel.stat().st_mtime_ns
    assert process(tmp_path, "2") == first  # under another hash seed
    assert [(p, p.stat().st_mtime_ns) for p in (tmp_path / "kernels").iterdir()] == [(kernel, before)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(keeper.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


TEXT = "define void @answer(ptr %to) {\n  store i64 42, ptr %to\n  ret void\n}\n"
SIGNATURES = (("answer", (ctypes.c_void_p,)),)


def answer(text=TEXT):
    library = native._loaded.__wrapped__(text, SIGNATURES)
    found = ctypes.c_int64()
    library["answer"](ctypes.addressof(found))
    return found.value


def kept(folder):
    return folder / "kernels" / f"{native.key(TEXT, native.machine())}{keeper.SUFFIX}"


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:40] + b"?" + b[41:]])
def test_damaged_code_is_made_again(folder, damage):
    assert answer() == 42
    whole = kept(folder).read_bytes()
    kept(folder).write_bytes(damage(whole))
    assert answer() == 42
    assert kept(folder).read_bytes() == whole
    assert list(folder.rglob("*.*")) == [kept(folder)]


def test_what_is_kept_is_used(folder):
    answer()
    other = native.assemble(TEXT.replace("42", "43"), native.machine())
    keeper.keep("kernels", native.key(TEXT, native.machine()), other)
    assert answer() == 43


def test_another_text_version_or_processor_is_other_code(monkeypatch):
    import llvmlite

    on = native.machine()
    name = native.key(TEXT, on)
    assert native.key(TEXT + "\n", on) != name
    assert native.key(TEXT, dataclasses.replace(on, cpu="another")) != name
    assert native.key(TEXT, dataclasses.replace(on, features=on.features + ",-fma")) != name
    monkeypatch.setattr(llvmlite, "__version__", "0.0")
    assert native.key(TEXT, on) != name


def test_a_folder_that_cannot_be_written_is_done_without(folder):
    folder.write_text("a file where the folder should be", encoding="utf-8")
    assert answer() == 42
    assert folder.is_file()


def test_the_folder_is_the_users_alone(folder):
    answer()
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0


def test_whoever_holds_a_function_holds_its_code(folder):
    """A function whose code is gone is a jump into nothing, which ended a process."""
    library = native._loaded.__wrapped__(TEXT, SIGNATURES)
    seen, answer = weakref.ref(library), library["answer"]
    del library
    gc.collect()
    assert seen() is not None
    found = ctypes.c_int64()
    answer(ctypes.addressof(found))
    assert found.value == 42
    del answer
    gc.collect()
    assert seen() is None


def test_threads_that_ask_at_once_have_one_library(folder, monkeypatch):
    """Without the lock each of them loads it, which is the twin: the last would replace the others."""

    def asked(load):
        began, found = threading.Barrier(4), []
        found_there = native.kept

        def kept(kind, name):
            threading.Event().wait(0.05)  # so that the others come meanwhile
            return found_there(kind, name)

        def ask():
            began.wait()
            found.append(load(TEXT, SIGNATURES))

        with monkeypatch.context() as patch:
            patch.setattr(native, "kept", kept)
            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return len({id(library) for library in found})

    native._loaded.cache_clear()
    assert asked(native.load) == 1
    native._loaded.cache_clear()
    assert asked(native._loaded) > 1
