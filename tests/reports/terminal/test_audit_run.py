"""``audit-run``: a page, a document, exit statuses, one line for what is wrong."""

import json

import numpy as np
import pytest

from tests.reports.terminal.test_terminal import refused, run
from tests.verification.finished.runs import PROBLEM, sgld


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("runs")
    (found / "problem.json").write_text(json.dumps(PROBLEM))
    np.save(found / "right.npy", sgld(1))
    np.save(found / "hot.npy", sgld(2, temperature=1.5))
    np.save(found / "short.npy", sgld(3, draws=5, chains=1))
    return found


def audit(folder, name, *more):
    return run("audit-run", folder / name, "--problem", folder / "problem.json", "--like", "sgld", *more)


def test_a_right_run(folder, tmp_path):
    page = tmp_path / "page.html"
    done = audit(folder, "right.npy", "--page", page)
    assert done.returncode == 0, done.stderr
    for words in ("as foretold", "false-alarm", "Effective sizes", "variance", "temperature"):
        assert words in done.stdout
    assert "<svg" in page.read_text()


def test_a_hot_run_and_its_document(folder):
    done = audit(folder, "hot.npy", "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert (found["verdict"], found["because"][0]["name"]) == ("differs", "temperature")


def test_a_short_run(folder):
    done = audit(folder, "short.npy")
    assert done.returncode == 3, done.stderr
    assert "too short" in done.stdout


@pytest.mark.parametrize(
    "wrong",
    [("none.npy",), ("problem.json",), ("right.npy", "--like", "nothing"), ("right.npy", "--mode", "1"),
     ("right.npy", "--burn-in", "5000"), ("right.npy", "--page", "x.gif")],
)  # fmt: skip
def test_one_line_for_what_is_wrong(folder, wrong):
    refused(audit(folder, *wrong))
