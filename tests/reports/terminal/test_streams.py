"""Streams that are closed or full: the status is that of the answer, or 2 where the answer was lost."""

import os
import subprocess
import sys

import pytest

COMMAND = f'"{sys.executable}" -c "from sgtheory.command import main; main()"'
pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


def run(said, redirected):
    return subprocess.run(
        f"{COMMAND} {said} {redirected}", shell=True, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full", ">&- 2>&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize(("said", "status"), [("derive sgd", 0), ("list models", 0), ("nonsense", 2)])
def test_an_answer_has_its_status_where_no_one_hears_the_rest(said, status, redirected):
    """Status 1 came of a closed stream for errors, as if a claim had failed; 120 of a full one."""
    found = run(said, redirected)
    assert (found.returncode, found.stderr) == (status, "")
    assert bool(found.stdout) == (status == 0 and not redirected.startswith(">"))


@pytest.mark.parametrize("said", ["derive sgd", "list samplers", "--version", "--help"])
def test_an_answer_that_cannot_be_written_is_one_line(said):
    found = run(said, ">/dev/full")
    assert found.returncode == 2
    assert "No space left on device" in found.stderr
    assert found.stderr.count("\n") == 1


def test_a_refusal_is_said_though_the_other_stream_is_full():
    found = run("nonsense", ">/dev/full")
    assert found.returncode == 2
    assert "No such command" in found.stderr
    assert found.stderr.count("\n") == 1


def test_where_both_are_full_the_status_is_left():
    assert run("derive sgd", ">/dev/full 2>/dev/full").returncode == 2
