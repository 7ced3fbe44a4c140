"""Commands that are interrupted lose nothing, and what is damaged is no other answer."""

import json
import os
import random

import pytest

from benchmarks import damaged, interrupted
from benchmarks.damaged import Kind
from benchmarks.interrupted import Ended

CONTENT = b"a file with some words"


def kind(read, checked=True):
    return Kind("some.file", checked, read, CONTENT)


@pytest.mark.parametrize("seed", range(4))
def test_a_reader_that_takes_what_is_damaged_is_found_out(tmp_path, seed):
    def told(read, checked=True):
        return damaged.damaged(random.Random(seed), kind(read, checked), tmp_path / "some.file")

    assert told(lambda path: path.read_bytes()) == "WRONG: another answer"
    assert told(lambda path: path.read_bytes(), False) == "what the file says now"
    assert told(lambda _: 1) == "the right answer"
    assert "ValueError" in told(lambda path: [0].index(path.read_bytes() != CONTENT))
    assert "ended with 7" in told(lambda path: path.read_bytes() == CONTENT or os._exit(7))


def test_an_answer_is_the_same_whatever_time_it_took():
    one = Ended(0, "done in 3.2 s, 4 s", "", b'{"seconds": 3.25, "n": 1}')
    assert one.answer == Ended(0, "done in 10 s, 5.5 s", "", b'{"seconds": 4, "n": 1}').answer
    assert one.answer != Ended(0, "done in 3.2 s, 4 s", "", b'{"seconds": 3.25, "n": 2}').answer


def test_an_answer_is_the_same_whatever_is_said_of_the_run_before():
    said = "1 proved\nagainst the last run: {}\n2 claims\n"
    first, then = (Ended(0, said.format(w), "", None) for w in ("there was none", "nothing changed"))
    assert first.answer == then.answer
    assert first.answer != Ended(0, said.format("1 changed, 0 new"), "", None).answer


@pytest.mark.strong
def test_damaged_files_of_every_kind(tmp_path):
    source = random.Random(1)
    files = {name: content for door in interrupted.doors() for name, content in door.files.items()}
    for one in damaged.kinds(files):
        for _ in range(5):
            assert "WRONG" not in damaged.damaged(source, one, tmp_path / one.name), one.name


@pytest.mark.long
@pytest.mark.parametrize("fault", interrupted.COUNTS)
def test_commands_that_are_interrupted(tmp_path, fault):
    source = random.Random(2)
    for door in interrupted.doors():
        trial = interrupted.Trial(door, tmp_path / "kept")
        for k in range(2):
            folder = tmp_path / f"{door.words[0]}{k}"
            folder.mkdir()
            assert "WRONG" not in fault(source, trial, trial.prepared(str(folder))), door.name


def test_the_table_has_nothing_wrong():
    table = json.loads(interrupted.RESULT.read_text("utf-8"))["table"]
    files = {name: content for door in interrupted.doors() for name, content in door.files.items()}
    assert {name for name in table if name.startswith("damaged")} == {
        f"damaged {kind.name}" for kind in damaged.kinds(files)
    }
    for name, row in table.items():
        assert sum(row["outcomes"].values()) == row["tried"] > 0, name
        assert not [outcome for outcome in row["outcomes"] if "WRONG" in outcome], name
