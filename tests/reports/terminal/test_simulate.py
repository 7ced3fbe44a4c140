"""``sgtheory simulate``: files by their suffix, traces, limits, clusters, and the progress display."""

import json
import os
import pty
import re
import subprocess
import sys
import time

import numpy as np
import pytest

from reports.terminal import main
from simulators.export import read_ensemble
from simulators.trace import read_trace
from tests.reports.terminal.test_terminal import problem, refused, run

__all__ = ["problem"]  # a fixture

FEW = ("--chains", 200, "--steps", 20)


def simulate(problem, *arguments):
    return run("simulate", "momentum", "--problem", problem, *arguments)


def test_the_suffix_decides_what_is_written(problem, tmp_path):
    document = json.loads(simulate(problem, *FEW, "--out", tmp_path / "run.npz", "--json").stdout)
    assert read_ensemble(tmp_path / "run.npz").to_json() == document
    parquet = pytest.importorskip("pyarrow.parquet")
    told = simulate(problem, *FEW, "--out", tmp_path / "run.parquet")
    assert document["digest"] in told.stdout
    table = parquet.read_table(tmp_path / "run.parquet")
    assert json.loads(table.schema.metadata[b"sgtheory"])["digest"] == document["digest"]


def test_another_suffix_is_refused_before_the_run(problem, tmp_path):
    before = time.monotonic()
    hours = ("--steps", 10**9, "--out", tmp_path / "run.csv")
    assert ".json, .npz or .parquet" in refused(simulate(problem, *hours))
    assert ".npz or .parquet" in refused(simulate(problem, *hours, "--trace", 3))
    assert time.monotonic() - before < 60
    (tmp_path / "file").write_text("")
    assert "can be written" in refused(simulate(problem, "--out", tmp_path / "file" / "run.npz"))


def test_a_file_that_cannot_be_written_after_all_costs_no_result(problem, tmp_path):
    (tmp_path / "run.npz").symlink_to("/dev/full")
    done = simulate(problem, *FEW, "--out", tmp_path / "run.npz", "--json")
    assert done.returncode == 2
    assert len(json.loads(done.stdout)["digest"]) == 64
    assert "can be written" in done.stderr


def test_a_trace_is_of_the_first_chains(problem, tmp_path):
    out = tmp_path / "t.npz"
    how = ("--steps", 20, "--seed", 7, "--trace", 3, "--every", 10, "--out", out)
    document = json.loads(simulate(problem, *how, "--json").stdout)
    found = read_trace(out)
    assert (document["schema"], document["digest"]) == ("sgtheory.trace/1", found.digest)
    assert found.steps.tolist() == [0, 10, 20]
    assert found.states["theta"].shape == (3, 3, 2)
    all_of_them = json.loads(
        simulate(problem, "--steps", 20, "--seed", 7, "--chains", 3, "--json").stdout
    )
    last = found.states["theta"][:, -1].mean(axis=0)
    assert np.allclose(last, all_of_them["mean"]["theta"], rtol=1e-12)
    assert not np.allclose(found.states["theta"][:, 1].mean(axis=0), last, rtol=1e-3)
    told = simulate(problem, *how, "--chains", 3)
    assert "theta [3, 3, 2]" in told.stdout
    assert document["digest"] in told.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--trace", 3), "--out with --trace"),
        (("--every", 3), "--trace with --every"),
        (("--trace", 3, "--out", "t.npz", "--time-limit", "1m"), "without --time-limit"),
        (("--trace", 3, "--out", "t.npz", "--checkpoint", "c"), "without --checkpoint"),
        (("--trace", 3, "--out", "t.npz", "--chains", 2), "at most as many"),
        (("--trace", 0, "--out", "t.npz"), "0"),
        (("--time-limit", "10q"), "10m"),
        (("--time-limit", "0s"), "10m"),
        (("--time-limit", "m"), "10m"),
    ],
)
def test_options_that_do_not_go_together_get_one_line(problem, capsys, arguments, words):
    with pytest.raises(SystemExit) as left:
        main(["simulate", "momentum", "--problem", str(problem), *map(str, arguments)])
    shown = capsys.readouterr()
    assert (left.value.code, shown.out, shown.err.count("\n")) == (2, "", 1)
    assert words in shown.err


def test_a_run_that_takes_too_long_is_refused_with_what_would_fit(problem):
    long = ("--chains", 10**8, "--steps", 10**5)
    line = refused(simulate(problem, *long, "--time-limit", "1m30s"))
    assert "a run of at most 1.5 min" in line
    # on a slow machine not even one step of so many chains fits, and only chains are named
    assert re.search(r"about [\d,]+ chains( or [\d,]+ steps)? would fit", line)
    assert simulate(problem, *FEW, "--time-limit", "10m").returncode == 0


@pytest.mark.strong
def test_a_cluster_that_does_not_answer_gets_one_line(problem):
    pytest.importorskip("distributed")
    before = time.monotonic()
    line = refused(simulate(problem, "--cluster", "tcp://127.0.0.1:1"))
    assert "a Dask scheduler at tcp://127.0.0.1:1; got nothing that answers" in line
    assert time.monotonic() - before < 30


def shown_in_a_terminal(*arguments):
    """Standard output, and what goes to standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "reports.terminal", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=theirs, env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return out.decode(), re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())


@pytest.mark.strong
def test_progress_shows_rate_and_time_left(problem):
    """Long enough that several frames are drawn."""
    long = ("--chains", 100_000, "--steps", 3_000, "--json")
    out, shown = shown_in_a_terminal("simulate", "momentum", "--problem", problem, *long)
    told = json.loads(out)["chain_steps_per_second"]
    rates = [float(r) for r in re.findall(r"(\d\.\d\de\+\d\d) chain-steps/s", shown)]
    assert told / 2 < rates[-1] < 2 * told
    assert not told / 2 < 64 * rates[-1] < 2 * told  # chains, not blocks
    assert re.search(r"\d:\d\d:\d\d", shown)  # time left
    assert "100,000 chains" in shown
