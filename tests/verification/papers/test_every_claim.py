"""Every claim of every paper: the verdict that the machine finds, and its wrong twins."""

import ast
import importlib
import json
import pickle
import re
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
import sympy as sp

from sgtheory.files import keeper
from sgtheory.notation.sentence import say
from tests.verification.papers.patterns import READ, patterns
from verification.judging import judge
from verification.judging.keeping import kept_name, verdict_of
from verification.library import all_claims, claims, paper_keys
from verification.library.shelf import shelf
from verification.statements.entry import STANDS, Claim, given_words, refuse_malformed
from verification.terms.printed import Printed
from verification.verdicts.verdict import WORDS, Evidence, Twins, Verdict
from verification.verdicts.wording import DEGREE

CLAIMS = {c.id: c for c in all_claims()}
PLANNED = {claim.id: (claim, plan) for claim, plan in judge.plans(tuple(CLAIMS.values()))}
TABLES = sorted((Path(__file__).parent / "expected").glob("*/*.txt"))


def paper_of(path):
    """A paper has a folder of tables; a work of the shelf, a text of its own, has one table."""
    return path.stem if path.parent.name == "shelf" else path.parent.name


def table(path):
    """What is expected of one file of a paper: key, verdict, the one on the discrete algorithm, stands,
    and the scope of what is proved of less than it says.

    How it stands was judged by reading the paper: an entry that is not here has not been judged.
    """
    found = {}
    for line in path.read_text().splitlines():
        key, word, discrete, stands, *scope = line.replace(DEGREE, "a-matter", 1).split(maxsplit=4)
        word = DEGREE if word == "a-matter" else word
        read = None if discrete == "-" else discrete
        found[f"{paper_of(path)}.{key}"] = (word, read, "".join(scope), stands)
    return found


# those that take longest; they are judged with -m long
ALWAYS = {id_ for id_ in CLAIMS if re.fullmatch(r"\w+\.(thm|cor|lem|alg|eq)\d+", id_)}
SLOW = set((Path(__file__).parent / "expected" / "slow.txt").read_text().split())
EXPECTED = {id_: words for path in TABLES for id_, words in table(path).items()}


def test_every_claim_travels_to_other_processes_as_it_is_written():
    for claim in CLAIMS.values():
        there = pickle.loads(pickle.dumps(claim))
        assert there == claim
        assert [p.text() for p in there.printed] == [p.text() for p in claim.printed]
        refuse_malformed(there)
        assert all(given_words(claim))  # of definitions too, whose kinds are others


def test_what_is_written_out_travels_so():
    x = sp.Symbol("x")
    twice = Printed(
        sp.Add(x, x, evaluate=False), sp.Mul(sp.Pow(x, 1, evaluate=False), 2, evaluate=False)
    )
    assert pickle.loads(pickle.dumps(twice)).text() == twice.text() != "2*x = 2*x"
    assert pickle.loads(pickle.dumps(twice.left)) != twice.left  # SymPy alone does not keep it


@pytest.mark.parametrize("path", TABLES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_each_table_lists_its_file(path):
    if path.stem in shelf():
        assert [claim.id for claim in claims(path.stem)] == list(table(path))
        return
    module = importlib.import_module(f"verification.papers.{path.parent.name}.{path.stem}")
    own = [f"{path.parent.name}.{c.key}" for c in vars(module).values() if isinstance(c, Claim)]
    assert own == list(table(path))


def test_every_claim_is_in_a_table():
    assert set(EXPECTED) == set(CLAIMS)
    assert set(CLAIMS) > SLOW
    assert len(SLOW) < len(CLAIMS) / 20


def test_every_claim_stands_as_it_was_judged():
    """An entry of which nothing is said counts as printed: one that is none is found here."""
    assert {id_: claim.stands for id_, claim in CLAIMS.items()} == {
        id_: stands for id_, (*_, stands) in EXPECTED.items()
    }
    assert {stands for *_, stands in EXPECTED.values()} == set(STANDS)


def test_what_is_not_claimed_is_ours():
    """Else a paper would be blamed for it."""
    not_claimed = {c.id: c.stands for c in CLAIMS.values() if "ot claimed" in f"{c.title} {c.says}"}
    assert len(not_claimed) > 5
    assert set(not_claimed.values()) == {"derived"}


def test_no_claim_says_of_one_expression_that_it_is_itself():
    for claim in CLAIMS.values():
        refuse_malformed(claim)


@pytest.mark.parametrize("key", paper_keys())
def test_no_two_claims_of_a_paper_have_one_id(key):
    ids = [c.id for c in claims(key)]
    assert len(ids) == len(set(ids))


def marked(id_):
    """A sixteenth is judged in every run, as many more and what is numbered in the second stage,
    all with -m long."""
    chosen = zlib.crc32(id_.encode())
    if chosen % 16 == 0 and id_ not in SLOW:
        return pytest.param(id_)
    soon = id_ in ALWAYS or chosen % 8 == 0
    later = pytest.mark.strong if soon and id_ not in SLOW else pytest.mark.long
    return pytest.param(id_, marks=later)


@pytest.mark.parametrize("id_", [marked(id_) for id_ in CLAIMS])
def test_the_verdict_is_what_is_expected(id_, monkeypatch):
    """As verify and report judge it, measurements too, down to the document.

    What a report of all claims has kept of the same sources is its verdict.
    """
    claim, plan = PLANNED[id_]
    if keeper.holds("judged", kept_name(claim, plan)):
        verdict = verdict_of(claim, plan)
    else:
        # all twins cost as much as the verdict: with -m long
        monkeypatch.setitem(judge._TWINS, "quick", 2)
        verdict = judge.judge(claim, plan)
    finding, discrete = verdict.finding, verdict.discrete
    assert verdict.broken is None
    assert finding.verdict in WORDS
    assert (finding.verdict, discrete and discrete.verdict, verdict.scope) == EXPECTED[id_][:3]
    assert verdict.twins.survivors == ()
    assert patterns(verdict) - READ == set()  # see there what to do with a new one
    json.dumps(verdict.to_json(), allow_nan=False)
    if finding.verdict in ("refuted", "proved-if"):
        # the judge has run it already: its answer is False
        assert imported(finding.counterexample.script) <= STANDARD


def test_a_sentence_that_nobody_has_read_is_found():
    claim = CLAIMS["mandt2017.eq1"]
    told = Evidence("symbolic", say("At ${} = {}$ nobody has read this 3 times.", "x", 2), {})
    verdict = Verdict(claim, replace(claim.find(), evidence=(told,)), None, None, Twins(0, 0))
    assert patterns(verdict) - READ == {"At ƒ nobody has read this # times."}


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
        for id_, (word, *_) in EXPECTED.items()
        if word in ("refuted", "proved-if")
    }
    scripts = {id_: c.script for id_, c in shown.items()}
    told = subprocess.run(
        [sys.executable, "-I", "-c", ALONE], input=json.dumps(scripts), text=True, capture_output=True
    )
    assert told.returncode == 0, told.stderr
    assert set(json.loads(told.stdout).values()) == {"False"}


NUMBERED = (Path(__file__).parent / "expected" / "numbered.txt").read_text().splitlines()


def test_each_numbered_statement_is_stated_as_itself_or_marked_as_a_consequence():
    """A line for each theorem, lemma, corollary, proposition and algorithm of the papers, in parts."""
    told = set()
    for line in NUMBERED:
        place, _, entry = line.partition(": ")
        paper, _, number = place.partition(" ")
        key, stands = entry.split()
        claim = CLAIMS[f"{paper}.{key}"]
        assert claim.stands == stands, line
        assert number in str(claim.at), line
        told.add((paper, number))
    places = [
        (c.paper, re.match(r"(Theorem|Lemma|Corollary|Proposition|Algorithm) \d+", str(c.at)))
        for c in CLAIMS.values()
    ]
    assert {(paper, m[0]) for paper, m in places if m} <= told
