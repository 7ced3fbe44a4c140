"""A run that is interrupted goes on; a verdict is made again by the command that it carries."""

import dataclasses
import json
import shlex

import pytest
from click.testing import CliRunner

from reports import build
from reports.terminal import cli
from sgtheory import registry
from sgtheory.files import keeper
from verification.experiments.job import Job
from verification.judging import keeping
from verification.judging.keeping import documents, forget
from verification.library import select
from verification.verdicts.differences import differences

TWO = ("mandt2017.eq13", "mandt2017.appD.eq43")
# What a clock or the place in a run decides, and nothing else may.
FREE = ("provenance",)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv(keeper.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def said(document):
    return {k: v for k, v in document.items() if k not in FREE}


@pytest.mark.strong
def test_an_interrupted_run_goes_on_and_says_the_same(cache, monkeypatch):
    claims, judged = select(TWO), []
    real = keeping.judge

    def stopped(claim, plan):
        if judged:
            raise KeyboardInterrupt
        judged.append(claim.id)
        return real(claim, plan)

    monkeypatch.setattr(keeping, "judge", stopped)
    with pytest.raises(KeyboardInterrupt):
        list(documents(claims, seed=3))
    assert len(list((cache / "verdicts").iterdir())) == 1
    again = []
    monkeypatch.setattr(keeping, "judge", lambda c, p: again.append(c.id) or real(c, p))
    resumed = list(documents(claims, seed=3))
    assert again == [claims[1].id]  # the first was not made again
    forget(claims, seed=3)
    assert not list((cache / "verdicts").iterdir())
    monkeypatch.setattr(keeping, "judge", real)
    straight = list(documents(claims, seed=3))
    forget(claims, seed=3)
    assert [said(d) for d in resumed] == [said(d) for d in straight]
    other = list(documents(claims, seed=4))
    assert [said(d) for d in other] != [said(d) for d in straight]


def test_a_damaged_file_is_not_believed(cache):
    claims = select(TWO[1:])
    ((claim, plan),) = keeping.plans(claims, seed=3)
    kept = keeping.Kept.of(claim, plan)
    kept.write({"verdict": "proved"})
    (path,) = (cache / "verdicts").iterdir()
    path.write_bytes(path.read_bytes()[:-2] + b"??")
    assert kept.read() is None


@pytest.mark.strong
def test_a_verdict_is_made_again_by_its_command(cache, tmp_path):
    first = next(documents(select(TWO), seed=5))
    words = shlex.split(first["reproduce"])
    assert words[:2] == ["sgtheory", "verify"]
    out = tmp_path / "again.json"
    result = CliRunner().invoke(cli, [*words[1:], "--json", str(out)])
    assert result.exit_code == 0
    (again,) = json.loads(out.read_text())["claims"]
    assert said(again) == said(first)


def test_a_first_file_is_written_and_verified(cache, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    assert runner.invoke(cli, ["new", "claim", "paper.py"]).exit_code == 0
    assert runner.invoke(cli, ["new", "claim", "paper.py"]).exit_code != 0  # nothing is overwritten
    result = runner.invoke(cli, ["verify", "paper.py", "--only", "eq2", "--json", "old.json"])
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "old.json").read_text())
    assert [c["verdict"] for c in document["claims"]] == ["proved"]
    assert document["samplers"]["sgd"]["rejected"] == document["samplers"]["sgd"]["tried"]
    assert runner.invoke(cli, ["diff", "old.json", "old.json"]).exit_code == 0
    document["claims"][0]["verdict"] = "refuted"
    (tmp_path / "new.json").write_text(json.dumps(document))
    changed = runner.invoke(cli, ["diff", "old.json", "new.json", "--page", "diff.html"])
    assert changed.exit_code == 1
    page = (tmp_path / "diff.html").read_text()
    assert page.count("<tr") == 2  # a head, and the one change
    for words in ("What changed", "paper.eq2", "proved", "refuted"):
        assert words in page
    assert "verdict was proved, is refuted" in changed.output


def test_differences_are_of_what_is_said():
    claim = {"id": "p.a", "verdict": "proved", "twins": {"tried": 3, "rejected": 3}, "evidence": [1]}
    other = {**claim, "evidence": [2], "twins": {"tried": 3, "rejected": 2}}
    old = {"schema": "sgtheory.verdicts/1", "claims": [claim]}
    new = {"schema": "sgtheory.verdicts/1", "claims": [other, {**claim, "id": "p.b"}]}
    assert [c.what for c in differences(old, new)] == ["added", "twins that survive"]
    assert [c.what for c in differences(new, old)] == ["removed", "twins that survive"]


@pytest.mark.strong
def test_whole_verdicts_are_made_once(cache, monkeypatch):
    claims, judged = select(TWO), []
    real = keeping.judge
    monkeypatch.setattr(keeping, "judge", lambda c, p: judged.append(c.id) or real(c, p))
    first = [v.to_json() for v in keeping.verdicts_kept(claims, seed=3)]
    assert judged == [c.id for c in claims]
    second = [v.to_json() for v in keeping.verdicts_kept(claims, seed=3)]
    assert judged == [c.id for c in claims]  # read, and not made again
    assert second == first
    list(keeping.verdicts_kept(claims[:1], seed=4))
    assert len(judged) == 3  # another seed is another verdict


def test_work_that_is_kept_stays_in_its_place():
    planned = [(select(TWO)[n % 2], n) for n in range(5)]
    worked = list(keeping.resumed(lambda c, n: (c.id, n), lambda c, n: n in (1, 4), planned))
    assert worked == [(c.id, n) for c, n in planned]


def test_other_data_under_the_same_name_are_other_data(cache, tmp_path):
    path, asked = tmp_path / "skin.npz", []

    def answer(content):
        path.write_bytes(content)
        job = Job("mandt2017.figure2", "laptop", {}, files={"skin": str(path)})
        return job.part("any", lambda: asked.append(content) or path.read_bytes())

    assert [answer(c) for c in (b"one", b"two", b"one")] == [b"one", b"two", b"one"]
    assert asked == [b"one", b"two"]


FILE = """
from verification.statements import Equal, claim
from verification.notation import A, Sigma, trace

def right():
    return 2 * trace(A * Sigma){more}

ONE = Equal(trace(A * Sigma), right())
eq1 = claim("eq1", at="Eq. 1", title="t", says="s", of="sgd", printed=ONE)
"""


def test_a_changed_file_is_judged_anew(cache, tmp_path):
    path = tmp_path / "paper.py"

    def name(more):
        path.write_text(FILE.format(more=more))
        ((claim, plan),) = keeping.plans(select((str(path),)), seed=3)
        return keeping.Kept.of(claim, plan).name

    assert len({name(""), name(" + 1"), name("  # another comment")}) == 3
    assert name("") == name("")


def test_a_changed_sampler_is_another_page(cache):
    def kept_as(sampler):
        return build._sampler_task(sampler, is_ours=True).make.args[0]

    sgd = registry.sampler("sgd")
    assert kept_as(sgd) == kept_as(dataclasses.replace(sgd))
    assert kept_as(sgd) != kept_as(dataclasses.replace(sgd, title="Another"))
