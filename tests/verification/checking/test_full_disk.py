"""A disk that is full under a check is one line, and no finding about the target."""

import os
import resource
import sys
import tempfile

import pytest

from sgtheory.errors import UnusableInput
from verification.checking import check
from verification.judging import processes


def step(state, gradient, rng, eps):
    """SGD."""
    return state - eps * gradient(state)


def ends(state, gradient, rng, eps):
    """A process, with a file begun."""
    open("unfinished", "wb").close()
    os._exit(1)


@pytest.fixture
def most(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # nor halves of compiled files of our own
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [500, 2_500])  # nothing is handed over, and no answer comes back
def test_a_full_disk_is_no_crash_of_the_target(most, size):
    most(size)
    with pytest.raises(UnusableInput, match="expected a file that can be written"):
        check(f"{__file__}:step", like="sgd", dimensions=(1,))


def test_a_target_that_ends_its_process_is_told_where_there_is_room(most, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    most(100_000)
    assert check(f"{__file__}:ends", like="sgd", dimensions=(1,)).verdict == "crashed"


def test_no_compiled_file_is_left_beside_a_target(tmp_path, monkeypatch):
    """Python keeps half a compiled file where a disk is full, and every later import of it fails."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    (tmp_path / "beside.py").write_text(
        "def along(state, slope, eps):\n    return state - eps * slope\n"
    )
    (tmp_path / "mine.py").write_text(
        "from beside import along\n\n\n"
        "def step(state, gradient, rng, eps):\n    return along(state, gradient(state), eps)\n"
    )
    assert check(f"{tmp_path}/mine.py:step", like="sgd", dimensions=(1,)).verdict != "crashed"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["beside.py", "mine.py"]


def test_where_no_temporary_file_can_be_made_it_is_one_line(tmp_path, monkeypatch):
    def none(*_, **__):
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "mkdtemp", none)
    for asked in (
        lambda: check(f"{__file__}:step", like="sgd", dimensions=(1,)),
        lambda: list(processes.each(pow, [(2, 3), (3, 2)], 2)),
    ):
        with pytest.raises(UnusableInput, match="a folder for temporary files; got No usable"):
            asked()
