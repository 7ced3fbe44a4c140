"""Files appear whole or not at all, links and devices stay what they are, and there is one writer."""

import ast
import gc
import os
import re
import resource
import socket
import stat
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from sgtheory.errors import UnusableInput
from sgtheory.files.writing import (
    TemporaryFolder,
    _sweep,
    append,
    try_file,
    try_folder,
    whole,
    write,
    write_new,
)

ROOT = Path(__file__).parent.parent.parent
posix = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and links of POSIX")


@pytest.fixture
def limited():
    """No file may grow beyond four thousand bytes: a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o640)
    with whole(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["a"]


def test_what_is_broken_off_leaves_what_was(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")

    def broken_off():
        with whole(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


@posix
def test_a_full_disk_is_one_line_and_leaves_what_was(tmp_path, limited):
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(UnusableInput, match="ulimit"):
        write(path, "x" * 9_000)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


@posix
@pytest.mark.parametrize("name", ["", "folder", "a\0b", "x" * 300, "loop", "file/a"])
def test_what_cannot_be_written_is_one_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    before = names(tmp_path)
    with pytest.raises(UnusableInput) as told:
        write(name, "text")
    assert "\n" not in str(told.value)
    assert names(tmp_path) == before
    with pytest.raises(UnusableInput):
        try_file(name)


@posix
@pytest.mark.parametrize("name", ["no/such/a", "no/" + "x" * 300 + "/a", "no/file/../../file/a"])
def test_folders_are_made_with_the_file_and_a_trial_leaves_none(tmp_path, name):
    (tmp_path / "file").touch()
    if name == "no/such/a":
        try_file(tmp_path / name)
        assert names(tmp_path) == ["file"]
        write(tmp_path / name, "text")
        assert (tmp_path / name).read_text() == "text"
    else:
        with pytest.raises(UnusableInput):
            try_file(tmp_path / name)
        assert names(tmp_path) == ["file"]


@posix
def test_a_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link", tmp_path / "there" / "target"
    link.symlink_to(target)
    for text in ("first", "second"):  # to a file that is not there yet, and to one that is
        write(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert names(tmp_path / "there") == ["target"]


@posix
def test_nobody_can_wait_for_the_temporary_name(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in ("a.part", ".a.part"):  # names that were foreseen once
        (tmp_path / name).symlink_to(precious)
    write(tmp_path / "a", "text")
    assert precious.read_text() == "mine"


@posix
def test_devices_and_pipes_stay_what_they_are(tmp_path):
    write("/dev/null", "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UnusableInput, match="reader"):
        write(pipe, "text")
    with pytest.raises(UnusableInput, match="reader"):
        try_file(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, "text")
    assert os.read(reading, 100) == b"text"
    os.close(reading)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        with pytest.raises(UnusableInput):
            write(tmp_path / "socket", "text")


@posix
def test_a_pipe_that_is_tried_does_not_end_for_its_reader(tmp_path):
    """A program reads to the end; what it has is what was written, and not nothing."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    late = (
        "import sys, time; from sgtheory.files.writing import *; try_file(sys.argv[1]); time.sleep(0.3)"
    )
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        written = f"{late}; write(sys.argv[1], 'all')"
        for _ in range(100):  # until the reader has opened it
            if not subprocess.run(
                [sys.executable, "-c", written, str(pipe)], capture_output=True
            ).returncode:
                break
        assert reader.communicate(timeout=20)[0] == "all"


@posix
def test_what_goes_to_a_stream_stands_behind_what_is_there(tmp_path):
    code = (
        "from sgtheory.files.writing import write; print('before', flush=True);"
        "write('/dev/stdout', 'text\\n'); print('after')"
    )
    out = tmp_path / "out"
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True, cwd=ROOT)
    assert out.read_text() == "before\ntext\nafter\n"


def test_a_new_file_replaces_nothing(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    assert not write_new(tmp_path / "link", "text")
    assert write_new(tmp_path / "a", "text", 0o600)
    assert not write_new(tmp_path / "a", "more")
    assert (tmp_path / "a").read_text() == "text"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    assert names(tmp_path) == ["a", "link"]


def test_a_folder_is_tried(tmp_path):
    assert try_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    for name in ("", tmp_path / "file"):
        with pytest.raises(UnusableInput, match="folder"):
            try_folder(name)


def test_lines_are_added(tmp_path):
    append(tmp_path / "a", "one\n")
    append(tmp_path / "a", "two\n")
    assert (tmp_path / "a").read_text() == "one\ntwo\n"


# What else writes: the writer itself, and NumPy into a file or a buffer that the writer gave.
ELSEWHERE = {
    *(("sgtheory/files/writing.py", how) for how in ("fdopen", "replace", "open", "link")),
    *(("sgtheory/reader/files.py", how) for how in ("fdopen", "open")),  # which reads
    ("sgtheory/files/locking.py", "open"),  # to hold a lock
    ("reports/terminal/__init__.py", "open"),  # of /dev/null, when the reader has gone
    ("verification/checking/messages.py", "savez"),
    ("simulators/checkpoint.py", "savez"),
    ("verification/experiments/problems.py", "savez"),
    ("verification/experiments/shipped/make.py", "savez_compressed"),
    ("verification/checking/child.py", "write_bytes"),
    ("verification/checking/child.py", "rename"),
}  # fmt: skip
ALWAYS = {
    "write_text", "write_bytes", "savez", "savez_compressed", "savetxt", "tofile", "fdopen", "mkstemp",
    "NamedTemporaryFile", "copyfile", "copy2", "move", "rename", "symlink_to", "touch",
}  # fmt: skip
MODULES = {"os": {"open", "replace", "link"}, "np": {"save"}, "json": {"dump"}, "pickle": {"dump"}}
NAMED = re.compile("|".join({"open", *ALWAYS, *set().union(*MODULES.values())}))


def writes(tree):
    """The calls of a source that write files."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        of = getattr(node.func.value, "id", "") if isinstance(node.func, ast.Attribute) else ""
        given = [*node.args, *(k.value for k in node.keywords if k.arg == "mode")]
        modes = [a.value for a in given[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        opened = name == "open" and any(len(m) < 4 and set(m) & set("wax+") for m in modes)
        named = isinstance(node.func, ast.Attribute) and name in ALWAYS
        if opened or named or name in MODULES.get(of, ()):
            yield name


def test_there_is_one_writer():
    found = set()
    for room in ("sgtheory", "simulators", "verification", "reports"):
        for path in sorted((ROOT / room).rglob("*.py")):
            if "targets" in path.parts:  # foreign code that is checked
                continue
            where = path.relative_to(ROOT).as_posix()
            text = path.read_text("utf-8")
            if NAMED.search(text):  # else nothing in it can write, and it need not be parsed
                found |= {(where, name) for name in writes(ast.parse(text))}
    assert found == ELSEWHERE


@pytest.mark.parametrize(
    "code",
    ["open(p, 'w')", "Path(p).open('wb')", "p.write_text(t)", "np.savez(p, a=a)", "os.replace(a, b)",
     "open(p, mode='a')", "p.open(mode='r+b')", "pickle.dump(a, f)"],
)  # fmt: skip
def test_another_writer_would_be_seen(code):
    assert NAMED.search(code)
    assert list(writes(ast.parse(code)))
    assert not list(writes(ast.parse("p.open('rb'); open(p); text.replace('a', 'b'); open(p, 'r')")))


def test_a_folder_for_a_while_goes_silently_with_a_generator_that_was_left_half_way():
    """In a circle that is collected, Python ends the folder before the generator that would end it."""

    def steps():
        with TemporaryFolder("sgtheory-") as folder:
            yield folder

    class Holder:
        """Somebody who holds itself and a generator, as an error with its frames does."""

    holder = Holder()
    holder.itself, holder.steps = holder, steps()
    folder = next(holder.steps)
    assert os.path.isdir(folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del holder
        gc.collect()
    assert not os.path.exists(folder)
    assert [w.category for w in caught] == []


HOLDS = """
import sys, time
from sgtheory.files.writing import TemporaryFolder
folder = TemporaryFolder("sgtheory-")
print(folder.name, flush=True)
time.sleep(600)
"""


@posix
def test_what_a_killed_process_left_is_taken_away_by_the_next_and_nothing_else(tmp_path, monkeypatch):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    old = tmp_path / "sgtheory-mine"  # of somebody else's
    link = tmp_path / "sgtheory-link.held"
    precious = tmp_path / "precious.held"
    for one in (old, precious):
        one.mkdir()
    link.symlink_to(precious, target_is_directory=True)
    living, killed = (
        subprocess.Popen(
            [sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True, env=environment
        )
        for _ in range(2)
    )
    with living, killed:
        stays, left = (Path(process.stdout.readline().strip()) for process in (living, killed))
        (left / "file").write_text("half")
        killed.kill()
        killed.wait()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with TemporaryFolder("sgtheory-"):
            assert left.is_dir()  # it is new
        for folder in (stays, left, old, precious):
            os.utime(folder, (0, 0))
        _sweep.cache_clear()
        with TemporaryFolder("sgtheory-"):
            pass
        living.kill()
    assert not left.exists()
    assert all(one.is_dir() for one in (stays, old, link, precious))
