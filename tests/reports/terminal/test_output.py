"""Where the output cannot go is told before the work; a run that fails there loses nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from reports.terminal import cli
from verification.judging import keeping

ROOT = Path(__file__).parent.parent.parent.parent
CLAIM = "mandt2017.appD.eq43"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SGTHEORY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run(*words, **more):
    return subprocess.run(
        [sys.executable, "-m", "reports.terminal", *map(str, words)],
        capture_output=True, text=True, cwd=ROOT, check=False, **more,
    )  # fmt: skip


def refused(words, monkeypatch):
    """What is said in one line, when no claim may be judged."""

    def no(*_):
        raise AssertionError("work was done first")

    monkeypatch.setattr(keeping, "judge", no)
    from sgtheory.errors import UnusableInput

    result = CliRunner().invoke(cli, [str(w) for w in words])
    assert isinstance(result.exception, UnusableInput), result.output
    assert "\n" not in str(result.exception)
    return str(result.exception)


@pytest.mark.parametrize("name", ["", "folder", "file/a.json"])
def test_an_output_is_tried_first(cache, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert "file" in refused(["verify", CLAIM, "--json", name], monkeypatch)
    if name != "folder":
        refused(["report", CLAIM, "--out", name], monkeypatch)


def test_a_pipe_without_a_reader_is_refused_first(cache, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("verification.checking.check", None)
    os.mkfifo("pipe")
    assert "start its reader first" in refused(["verify", CLAIM, "--json", "pipe"], monkeypatch)
    for option in ("--junit", "--sarif"):
        words = ["check", "t.py:step", "--like", "sgd", option, "pipe"]
        assert "start its reader first" in refused(words, monkeypatch)


def test_two_outputs_in_one_file_are_refused_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("verification.checking.check", None)
    Path("b.svg").symlink_to("a.svg")
    for other in ("a.svg", "b.svg", "./a.svg"):
        words = ["check", "t.py:step", "--like", "sgd", "--badge", "a.svg", "--junit", other]
        assert "one twice" in refused(words, monkeypatch)


@pytest.mark.strong
def test_devices_and_links_stay(cache, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "real.json")
    assert run("verify", CLAIM, "--json", link).returncode == 0
    assert link.is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["claims"]
    done = run("verify", CLAIM, "--json", "/dev/null")
    assert done.returncode == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.strong
def test_a_run_that_cannot_be_written_is_kept(cache, tmp_path):
    done = run("verify", CLAIM, "--json", "/dev/full")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr
    assert len(list((cache / "verdicts").iterdir())) == 1  # not made again
    out = tmp_path / "out.json"
    assert run("verify", CLAIM, "--json", out).returncode == 0
    assert not list((cache / "verdicts").iterdir())


@pytest.mark.strong
def test_a_reader_that_leaves_loses_nothing(cache, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    out = tmp_path / "out.json"
    words = [sys.executable, "-m", "reports.terminal", "verify", CLAIM, "--json", str(out)]
    subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    os.close(writing)
    assert json.loads(out.read_text())["claims"]
