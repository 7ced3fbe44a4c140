"""One claim never sinks a run: whatever it does is its own verdict, and the others are judged."""

import json
import pickle
import textwrap
from dataclasses import replace

import pytest

from verification.judging.judge import judge
from verification.judging.keeping import documents, since_last
from verification.library import gather, select
from verification.measuring.ensembles import USUAL, Plan, _problem_of
from verification.notation import A
from verification.statements import Equal, Stated, claim
from verification.verdicts.verdict import Answer, NoAnswer, RoutesDisagree

PLAN = Plan("quick", "cpu", 5, 1e-6)
COMMON = {"at": "here", "title": "T", "says": "S."}

HEAD = """
import os
from dataclasses import dataclass
from verification.statements import Printed
from verification.statements.entry import Claim
from verification.statements.definition import Definition
from verification.notation import A, C, trace
from verification.statements import Equal, claim

HERE = {"at": "here", "title": "T", "says": "S."}

@dataclass(frozen=True)
class Own(Claim):
    def find(self, time=None):
        return {"exit": lambda: os._exit(9), "leave": lambda: exit(4), "loop": lambda: self.find(time),
                "bare": self.bare, "divide": lambda: 1 / 0}[self.key]()

    def bare(self):
        assert self.key == "never"
"""
LAST = "\nlast = claim('last', printed=Equal(trace(A * C), trace(C * A)), **HERE)\n"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("SGTHEORY_CACHE", str(tmp_path / "cache"))

    def write(body, name="broken.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(body))
        return str(path)

    return write


def test_a_claim_that_says_nothing_is_refused_and_the_others_are_judged(file):
    """SymPy builds one expression of both sides; or nobody knows how it stands in its source."""
    same = "same = Definition('same', printed=(Printed(A + A, 2 * A),), **HERE)\n"
    odd = "odd = Definition('odd', printed=(Printed(A, C),), stands='guessed', **HERE)\n"
    late = "late = Definition('late', printed=(Printed(A, C),), time='discret', **HERE)\n"
    none = "none = Definition('none', printed=(Printed(A, C),), of=42, **HERE)\n"
    path = file(HEAD + same + odd + late + none + LAST)
    found = {d["id"].partition(".")[2]: d for d in documents(select((path,)), seed=1)}
    assert {key: d["verdict"] for key, d in found.items()} == {
        **dict.fromkeys(("same", "odd", "late", "none"), "inconclusive"), "last": "proved"
    }  # fmt: skip
    assert "got 'discret'; did you mean discrete?" in found["late"]["reason"]
    assert "a sampler or the name of one; got 42" in found["none"]["reason"]
    assert "written differently; got 2*A = 2*A" in found["same"]["reason"]
    assert "one of printed, read, derived, common; got 'guessed'" in found["odd"]["reason"]
    assert found["last"]["stands"] == "printed"  # what Printed says is printed


def test_each_kind_of_failure_is_that_claims_own(file):
    keys = ("leave", "loop", "bare", "divide")
    own = "".join(f"{k} = Own('{k}', **HERE)\n" for k in keys)
    unknown = "unknown = claim('unknown', of='nosuch', printed=Equal(A, 2 * A), **HERE)\n"
    words = "words = Definition('words', printed=('x = y',), **HERE)\n"
    found = list(documents(select((file(HEAD + own + unknown + words + LAST),)), seed=1))
    said = {d["id"].partition(".")[2]: d for d in found}
    assert list(said) == [*keys, "unknown", "words", "last"]
    assert said.pop("last")["verdict"] == "proved"
    for key, error in {
        "leave": "SystemExit: 4",
        "loop": "RecursionError",
        "bare": "AssertionError",
        "divide": "ZeroDivisionError: division by zero",
        "unknown": "UnusableInput: expected the name of one of the samplers",
        "words": "AttributeError",
    }.items():
        document = said.pop(key)
        assert document["verdict"] == "inconclusive"
        assert document["broken"]["kind"] == "exception"
        assert document["broken"]["error"].startswith(error)
        assert (
            document["broken"]["error"] in document["reason"] or len(document["broken"]["error"]) > 200
        )
        assert "Traceback" in document["broken"]["traceback"]
        assert "Traceback" not in document["reason"]
        assert "disagree" not in document["reason"]
        assert document["twins"]["tried"] == 0
        json.dumps(document)


@pytest.mark.strong
def test_a_process_that_dies_is_that_claims_own_too(file):
    target = file(HEAD + "out = Own('exit', **HERE)\n" + LAST)
    died, last = documents(select((target,)), jobs=1, seed=1)
    assert (died["verdict"], died["broken"]["kind"]) == ("inconclusive", "process died")
    assert last["verdict"] == "proved"


def test_an_interrupt_stays_an_interrupt(monkeypatch):
    one = claim("one", printed=Equal(A, 2 * A), **COMMON)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Stated, "find", stop)
    with pytest.raises(KeyboardInterrupt):
        judge(one, PLAN)


def test_a_verdict_that_could_not_be_made_is_not_kept(file, monkeypatch):
    (one,) = select((file(HEAD + LAST),))
    monkeypatch.setattr(Stated, "find", lambda *_: 1 / 0)
    (first,) = documents([one], seed=1)
    monkeypatch.undo()
    (second,) = documents([one], seed=1)
    assert [d["verdict"] for d in (first, second)] == ["inconclusive", "proved"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x = 1\nimport nothere\n", ["ModuleNotFoundError", "line 2"]),
        ("x = 1\n\ny = (\n", ["SyntaxError", "line 3"]),
        ("exit(3)\n", ["SystemExit", "line 1"]),
        ("def f():\n    return f()\nf()\n", ["RecursionError", "line 2"]),
        (HEAD + "a = Own('a', **HERE)\nb = Own('a', **HERE)\n", ["'a' twice"]),
        ("x = 1\n", ["none"]),
    ],
    ids=["import", "syntax", "exit", "recursion", "twice", "nothing"],
)
def test_a_file_that_cannot_be_read_is_one_line_and_stops_no_other(file, body, said):
    found = gather((file(body), file(HEAD + LAST, "good.py")))
    assert [c.key for c in found.claims] == ["last"]
    (refused,) = found.refused
    assert all(words in str(refused) for words in said)
    assert "\n" not in str(refused)
    assert len(str(refused)) < 400


def test_a_file_that_changed_is_read_again(file):
    assert select((file(HEAD + LAST),))[0].key == "last"
    assert select((file(HEAD + LAST.replace("'last'", "'next'")),))[0].key == "next"


def test_two_routes_disagree_only_with_two_answers():
    with pytest.raises(TypeError):
        RoutesDisagree("p.a")
    with pytest.raises(ValueError, match="answers that differ"):
        RoutesDisagree("p.a", Answer("symbols", "true"), Answer("numbers", "true"))
    error = RoutesDisagree("p.a", Answer("symbols", "true"), Answer("numbers", "false"))
    again = pickle.loads(pickle.dumps(error))
    assert again.answers == error.answers
    assert str(pickle.loads(pickle.dumps(NoAnswer("p.a", "why")))) == "p.a: why"


def test_what_changed_since_the_last_run(file):
    claims = select((file(HEAD + LAST),))
    found = [{"id": c.id, "verdict": "proved"} for c in claims]
    assert since_last(claims, found) is None
    assert since_last(claims, found) == ()
    assert since_last(claims, [{**found[0], "verdict": "refuted"}]) == (
        (claims[0].id, "proved", "refuted"),
    )
    more = select((file(HEAD + LAST + LAST.replace("last", "more")),))
    now = [{"id": c.id, "verdict": "refuted"} for c in more]
    assert since_last(more, now) == ((more[1].id, "", "refuted"),)


@pytest.mark.strong
def test_a_counterexample_without_noise_is_no_problem_to_be_measured(file):
    body = """
    from verification.statements import Printed
    from verification.statements.stationary import StationaryLaw
    from verification.notation import A, S, Sigma, eps

    law = StationaryLaw("law", at="Eq. 1", title="T", says="S.", of="sgd",
                        printed=(Printed(A * Sigma + Sigma * A, eps / S * A**2),))
    """
    (claim,) = select((file(body, "quiet.py"),))
    finding = claim.find()
    assert finding.verdict == "refuted", finding.reason
    found = finding.counterexample
    quiet = replace(finding, counterexample=replace(found, problem={**found.problem, "noise": [["0"]]}))
    assert _problem_of(claim, finding) == found.problem
    assert _problem_of(claim, quiet)["noise"] == USUAL["noise"]
