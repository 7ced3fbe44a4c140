"""Faults of each kind leave the right answer or one line; the table says nothing went wrong."""

import json
import random

import pytest

from benchmarks import faults


@pytest.mark.parametrize("fault", [faults.full, faults.damaged, faults.exported, faults.held])
def test_a_few_faults(fault, tmp_path):
    source = random.Random(3)
    for k in range(3):
        folder = tmp_path / str(k)
        folder.mkdir()
        assert "WRONG" not in fault(source, folder)


@pytest.mark.long
@pytest.mark.parametrize("fault", [faults.killed, faults.double])
def test_kills_and_second_runs(fault, tmp_path):
    source = random.Random(4)
    for k in range(20):
        folder = tmp_path / str(k)
        folder.mkdir()
        assert "WRONG" not in fault(source, folder)


def test_the_table_has_nothing_wrong():
    table = json.loads(faults.RESULT.read_text("utf-8"))["table"]
    for name, row in table.items():
        assert sum(row["outcomes"].values()) == row["tried"] > 0, name
        assert not any("WRONG" in outcome for outcome in row["outcomes"]), name
