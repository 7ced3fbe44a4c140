"""Verdict documents are the same whatever the hash seed, the locale, the time zone and the jobs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
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


# Another Python with all that sgtheory needs: a test cannot install one.
OTHER_PYTHON = os.environ.get("SGTHEORY_OTHER_PYTHON")


def written(folder, where, jobs, python=sys.executable):
    folder.mkdir()
    env = os.environ | where | {"SGTHEORY_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    words = ["verify", *CLAIMS, "--jobs", str(jobs), "--json", "out.json"]
    done = subprocess.run(
        [python, "-m", "reports.terminal", *words],
        cwd=folder, env=env, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1, 3), done.stderr
    document = json.loads((folder / "out.json").read_text("utf-8"))
    del document["run"]["seconds"]
    if python != sys.executable:
        assert document["run"].pop("versions")["python"] != sys.version.split()[0]
    for claim in document["claims"]:
        del claim["provenance"]["seconds"]
    return json.dumps(document).splitlines()


@pytest.mark.strong
def test_a_document_has_the_same_bytes_everywhere(tmp_path):
    assert written(tmp_path / "one", ONE, 1) == written(tmp_path / "other", OTHER, 2)


@pytest.mark.strong
@pytest.mark.skipif(not OTHER_PYTHON, reason="SGTHEORY_OTHER_PYTHON names no other Python")
def test_a_document_has_the_same_bytes_in_another_python(tmp_path):
    here = json.loads("".join(written(tmp_path / "here", ONE, 1)))
    there = json.loads("".join(written(tmp_path / "there", ONE, 1, OTHER_PYTHON)))
    del here["run"]["versions"]
    assert json.dumps(here) == json.dumps(there)


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


NOTES = """\
| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |

Sampler: sgd, in discrete time.

**Claim 1** (Eq. 1, "σ²"). The chain is stable if and only if h < 2/lambda_max(A).

**Claim 2** (Eq. 2). $h A \\Sigma = \\Sigma A h$.
"""
PROBLEM = {
    "hessian": [[2, 1], [1, 3]],
    "noise": [[1, 0], [0, 2]],
    "N": 50,
    "S": 5,
    "params": {"eps": "1/20"},
}
ASKED = (
    ("law", "sgd", "--problem", "p.json", "--coefficient", "50", "--json"),
    (
        "advise",
        "--problem",
        "p.json",
        "--passes",
        "9",
        "--samplers",
        "sgd,sgld",
        "--json",
        "--page",
        "a.html",
    ),
    ("audit-run", "run.npy", "--problem", "p.json", "--like", "sgd", "--json", "--page", "r.md"),
    ("verify", "notes.md", "--json", "v.json"),
    ("check", "own.py:step", "--json", "--page", "c.md"),
)
OWN = """\
def step(theta, gradient, rng, eps=0.1):
    return theta - eps * gradient(theta)
"""


def answers(folder, where, jobs):
    """Everything that the newer doors write, but for seconds."""
    folder.mkdir()
    run = np.cumsum(np.random.default_rng(1).normal(size=(400, 2)), axis=0) / 30
    np.save(folder / "run.npy", run)
    (folder / "p.json").write_text(json.dumps(PROBLEM), "utf-8")
    (folder / "notes.md").write_text(NOTES, "utf-8")
    (folder / "own.py").write_text(OWN, "utf-8")
    env = os.environ | where | {"SGTHEORY_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    for k, words in enumerate(ASKED):
        more = ("--jobs", str(jobs)) if words[0] == "verify" else ()
        done = subprocess.run(
            [sys.executable, "-m", "reports.terminal", *words, *more],
            cwd=folder, env=env, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1, 3), done.stderr
        (folder / f"{k}.out").write_bytes(done.stdout)
    found = {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    return {
        name: re.sub(rb'"seconds": [\d.e-]+|[\d.]+ s\b|\d+ ms\b', b"", content)
        for name, content in found.items()
        if "cache" not in name and not (folder / "cache" / name).exists() and name.endswith(SHOWN)
    }


SHOWN = (".out", ".json", ".html", ".md", ".svg", ".tex", ".txt")


@pytest.mark.strong
def test_what_the_newer_doors_write_is_the_same_everywhere(tmp_path):
    one, other = answers(tmp_path / "one", ONE, 1), answers(tmp_path / "öther", OTHER, 2)
    assert list(one) == list(other)
    assert [name for name in one if one[name] != other[name]] == []
    assert len(one) > len(ASKED)
