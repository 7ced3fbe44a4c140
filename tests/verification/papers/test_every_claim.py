"""Every claim of every paper: the verdict that the machine finds, and its wrong twins."""

import ast
import importlib
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from verification.claims.base import Claim
from verification.library import all_claims, claims, paper_keys
from verification.verdict import WORDS

CLAIMS = {c.id: c for c in all_claims()}
TABLES = sorted((Path(__file__).parent / "expected").glob("*/*.txt"))


def table(path):
    """What is expected of one file of a paper: key, verdict, and that on the discrete algorithm."""
    rows = [line.split() for line in path.read_text().splitlines()]
    return {f"{path.parent.name}.{key}": (a, None if b == "-" else b) for key, a, b in rows}


# those that take longest; they are judged with -m long
ALWAYS = {id_ for id_ in CLAIMS if re.fullmatch(r"\w+\.(thm|cor|lem|alg|eq)\d+", id_)}
SLOW = set((Path(__file__).parent / "expected" / "slow.txt").read_text().split())
EXPECTED = {id_: words for path in TABLES for id_, words in table(path).items()}


@pytest.mark.parametrize("path", TABLES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_each_table_lists_its_file(path):
    module = importlib.import_module(f"verification.papers.{path.parent.name}.{path.stem}")
    own = [f"{path.parent.name}.{c.key}" for c in vars(module).values() if isinstance(c, Claim)]
    assert own == list(table(path))


def test_every_claim_is_in_a_table():
    assert set(EXPECTED) == set(CLAIMS)
    assert set(CLAIMS) > SLOW
    assert len(SLOW) < len(CLAIMS) / 20


@pytest.mark.parametrize("key", paper_keys())
def test_no_two_claims_of_a_paper_have_one_id(key):
    ids = [c.id for c in claims(key)]
    assert len(ids) == len(set(ids))


def marked(id_):
    """What is numbered and an eighth of the rest is judged in every run; all of it with -m long."""
    later = id_ in SLOW or (id_ not in ALWAYS and zlib.crc32(id_.encode()) % 8)
    return pytest.param(id_, marks=[pytest.mark.long] if later else [])


@pytest.mark.parametrize("id_", [marked(id_) for id_ in CLAIMS])
def test_the_verdict_is_what_is_expected(id_):
    claim = CLAIMS[id_]
    finding = claim.find()
    discrete = claim.find("discrete") if claim.has_discrete_reading() else None
    assert finding.verdict in WORDS
    assert (finding.verdict, discrete and discrete.verdict) == EXPECTED[id_]
    twins = claim.twins(finding, most=2)  # all of them cost as much as the verdict: with -m long
    assert twins.survivors == ()
    if finding.verdict in ("refuted", "proved-if"):
        # the judge has run it already: its answer is False
        assert imported(finding.counterexample.script) <= STANDARD


@pytest.mark.long
@pytest.mark.parametrize("id_", CLAIMS)
def test_wrong_twins_are_rejected(id_):
    finding = CLAIMS[id_].find()
    twins = CLAIMS[id_].twins(finding)
    assert twins.survivors == ()
    if finding.verdict in ("proved", "proved-if", "limit-only"):
        assert twins.tried >= 1


STANDARD = {"numpy", "fractions", "decimal", "math", "itertools", "functools", "random"}


def imported(script):
    """What a script imports: with NumPy and Python alone it must run anywhere."""
    found = set()
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add(node.module.split(".")[0])
    assert found, "it computes something"
    return found


ALONE = """
import contextlib, importlib.abc, io, json, sys
class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sympy", "scipy", "mpmath", "sgtheory", "simulators", "verification"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
answers = {}
for id_, script in json.load(sys.stdin).items():
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(script, id_, "exec"), {})
    answers[id_] = shown.getvalue().strip().splitlines()[-1]
print(json.dumps(answers))
"""


@pytest.mark.long
def test_scripts_of_counterexamples_decide_in_a_process_with_numpy_alone():
    shown = {
        id_: CLAIMS[id_].find().counterexample
        for id_, (word, _) in EXPECTED.items()
        if word in ("refuted", "proved-if")
    }
    scripts = {id_: c.script for id_, c in shown.items()}
    told = subprocess.run(
        [sys.executable, "-I", "-c", ALONE], input=json.dumps(scripts), text=True, capture_output=True
    )
    assert told.returncode == 0, told.stderr
    assert set(json.loads(told.stdout).values()) == {"False"}
