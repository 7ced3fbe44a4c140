"""Verdict documents are the same whatever the hash seed, the locale, the time zone and the jobs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

CLAIMS = (
    "mandt2017.alg1.window_of_one_pass",
    *(f"mandt2016poster.{k}" for k in ("introduction.estimate", "introduction.update", "limit.noise")),
    *(f"mandt2016poster.limit.{k}" for k in ("quadratic", "factor", "difference")),
    "mandt2017.eq13",
    "mandt2017.appD.eq43",
)
ONE = {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"}
OTHER = {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Auckland"}


def written(folder, where, jobs):
    folder.mkdir()
    env = os.environ | where | {"SGTHEORY_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    words = ["verify", *CLAIMS, "--jobs", str(jobs), "--json", "out.json"]
    done = subprocess.run(
        [sys.executable, "-m", "reports.terminal", *words],
        cwd=folder, env=env, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1, 3), done.stderr
    document = json.loads((folder / "out.json").read_text("utf-8"))
    del document["run"]["seconds"]
    for claim in document["claims"]:
        del claim["provenance"]["seconds"]
    return json.dumps(document).splitlines()


@pytest.mark.strong
def test_a_document_has_the_same_bytes_everywhere(tmp_path):
    assert written(tmp_path / "one", ONE, 1) == written(tmp_path / "other", OTHER, 2)


@pytest.mark.strong
def test_letters_come_in_an_order():
    """Numbers are drawn letter by letter: the order of a set would decide which is drawn first."""
    code = (
        "from verification.library import select;"
        "print(list(select(('mandt2017.alg1.window_of_one_pass',))[0].space().scalars))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(2)
    }
    assert len(told) == 1
