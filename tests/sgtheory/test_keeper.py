"""What is kept is ours, whole and in its place, or is made again; others' folders are not used."""

import json
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from reports.terminal import cli
from sgtheory.files import keeper

posix = pytest.mark.skipif(os.name != "posix", reason="owners and permissions of POSIX")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv(keeper.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "cache"


def test_what_is_kept_is_found(cache):
    assert keeper.kept("kernels", "a") is None
    keeper.keep("kernels", "a", b"code")
    assert keeper.kept("kernels", "a") == b"code"
    assert keeper.holds("kernels", "a")
    keeper.forget("kernels", "a")
    assert keeper.kept("kernels", "a") is None


def test_a_record_is_made_once(cache):
    asked = []
    for _ in range(2):
        assert keeper.made("pages", "a", lambda: asked.append(1) or {"one": 1}) == {"one": 1}
    assert asked == [1]


@pytest.mark.parametrize(
    "damage",
    [lambda b: b"", lambda b: b[:-1], lambda b: b[:30], lambda b: b + b"x",
     lambda b: b[:20] + bytes([b[20] ^ 1]) + b[21:],
     lambda b: b[:-1] + bytes([b[-1] ^ 1])],
)  # fmt: skip
def test_what_is_damaged_is_made_again(cache, damage):
    keeper.made("pages", "a", lambda: "whole")
    path = keeper.path("pages", "a")
    path.write_bytes(damage(path.read_bytes()))
    assert keeper.made("pages", "a", lambda: "made again") == "made again"
    assert keeper.made("pages", "a", lambda: "not asked") == "made again"


class Crafted:
    def __reduce__(self):
        return os.mkdir, (os.environ["CRAFTED"],)


def test_what_another_put_there_does_not_run(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CRAFTED", str(tmp_path / "it ran"))
    keeper.made("pages", "a", lambda: "ours")
    content = pickle.dumps(Crafted())
    foreign = keeper._MAGIC + keeper._signature(b"another's key", "pages", "a", content) + content
    keeper.path("pages", "a").write_bytes(foreign)
    assert keeper.made("pages", "a", lambda: "made again") == "made again"
    assert not (tmp_path / "it ran").exists()


def test_a_file_in_another_place_is_not_read(cache):
    keeper.keep("pages", "a", b"of a")
    keeper.path("pages", "b").write_bytes(keeper.path("pages", "a").read_bytes())
    assert keeper.kept("pages", "b") is None


@posix
def test_folders_and_key_are_the_users_alone(cache, tmp_path):
    keeper.keep("pages", "a", b"x")
    for place in (cache, cache / "pages", tmp_path / "state" / "sgtheory"):
        assert place.stat().st_mode & 0o077 == 0
    assert (tmp_path / "state" / "sgtheory" / "key").stat().st_mode & 0o777 == 0o600


@posix
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o1777])
def test_a_folder_that_others_can_write_to_is_not_used(cache, tmp_path, mode):
    cache.mkdir()
    cache.chmod(mode)
    with pytest.warns(keeper.Unsafe, match="others can write"):
        keeper.keep("pages", "a", b"x")
    assert not list(cache.iterdir())
    assert keeper.kept("pages", "a") == b"x"  # in a fresh one
    assert tmp_path / "state" in keeper.path("pages", "a").parents
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keeper.keep("pages", "b", b"x")  # said once


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="gives a folder away")
def test_a_folder_of_another_user_is_not_used(cache):
    cache.mkdir()
    os.chown(cache, 12_345, 12_345)
    with pytest.warns(keeper.Unsafe, match="another user"):
        keeper.keep("pages", "a", b"x")
    assert not list(cache.iterdir())


@posix
def test_a_key_that_others_can_read_is_no_key(cache, tmp_path):
    (tmp_path / "state" / "sgtheory").mkdir(parents=True, mode=0o700)
    key = tmp_path / "state" / "sgtheory" / "key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o644)
    keeper.keep("pages", "a", b"x")
    assert not cache.exists()
    assert keeper.made("pages", "a", lambda: "made") == "made"


def test_the_oldest_go(cache):
    for k in range(5):
        keeper.keep("pages", f"{k}", bytes(1_000))
        os.utime(keeper.path("pages", f"{k}"), (1_000 + k, 1_000 + k))
    keeper.kept("pages", "0")  # used: now it is the youngest
    assert keeper.sweep(limit=3_500) == 2
    assert [k for k in range(5) if keeper.holds("pages", f"{k}")] == [0, 3, 4]


def test_emptying_removes_ours_and_nothing_else(cache):
    keeper.keep("pages", "a", b"x")
    keeper.keep("kernels", "b", b"x")
    for name in ("thesis.json", "pages/notes.txt", f"{'a' * 32}.kernel"):
        (cache / name).write_text("x")
    said = json.loads(CliRunner().invoke(cli, ["cache", "--json"]).stdout)
    assert said["kinds"]["pages"]["files"] == said["kinds"]["kernels"]["files"] == 1
    assert said["kinds"]["older versions"]["files"] == 1
    assert said["folder"] == str(cache)
    assert "2 files" not in CliRunner().invoke(cli, ["cache"]).stdout
    assert "3 files removed" in CliRunner().invoke(cli, ["cache", "--empty"]).stdout
    left = sorted(p.relative_to(cache).as_posix() for p in cache.rglob("*") if p.is_file())
    assert left == ["pages/notes.txt", "thesis.json"]


@posix
def test_a_home_that_cannot_be_written_keeps_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv(keeper.VARIABLE, str(tmp_path / "cache"))
    assert keeper.made("pages", "a", lambda: 1) == 1
    assert not (tmp_path / "cache").exists()


def test_two_processes_have_one_key(cache):
    code = "from sgtheory import keeper; print(keeper.key().hex())"
    root = Path(__file__).parent.parent.parent
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=root)
        for _ in range(4)
    ]
    assert len({p.communicate()[0] for p in both}) == 1
