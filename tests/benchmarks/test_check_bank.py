"""The bank's runner, what it counts, its page; a handful of the bank, and all of it where asked for."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import check_bank
from benchmarks.page import html
from tests.verification.checking.bank.entry import HERE, entries
from verification.checking.targets import target_at

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "check_bank.json"
EVERY = entries()
FEW = [e for e in EVERY if e.name in ("plain_sgd", "ascent")]


def saying(verdict, *words):
    """A checker that says the same of all."""
    told = [{"name": "a fault", "words": w, "formula": ""} for w in words]
    return lambda entry, budget: {"verdict": verdict, "diagnosis": told}


def test_the_bank_is_as_large_as_was_asked_for():
    faulty = [e for e in EVERY if not e.right]
    assert len(faulty) >= 44
    assert len(EVERY) - len(faulty) >= 22
    assert len({e.where for e in EVERY}) == len(EVERY)
    assert all(e.fault for e in faulty)
    assert {e.framework for e in faulty} == {"numpy", "jax", "torch"}


@pytest.mark.parametrize("entry", EVERY, ids=lambda e: e.name)
def test_every_sampler_of_the_bank_is_there(entry):
    if entry.absent:
        assert f"{entry.name}" in (HERE / entry.where.partition(":")[0]).read_text()
    else:
        assert callable(target_at(entry.address))


def test_verdicts_and_words_are_counted():
    found = check_bank.table(FEW, "quick", run=saying("deviates", "nothing", "uphill"))
    right, faulty = sorted(found["samplers"], key=lambda r: not r["right"])
    assert (right["accepted"], faulty["detected"]) == (False, True)
    assert (faulty["named"], faulty["named_among"]) == (False, True)
    told = found["summary"]
    assert (told["named"]["hits"], told["explained"]["hits"], told["accepted"]["hits"]) == (0, 0, 0)
    assert told["detected"]["interval"] == [0.025, 1.0]  # one of one: 0.025 is the exact lower end
    assert told["misnamed"] == ["ascent"]


def test_unforeseen_names_need_a_reason():
    (entry,) = [e for e in EVERY if e.name == "heavy_ball_with_alias"]
    for words, right in (("follows averaged_sgd", 1), ("follows iasg", 0), ("unknown: no momentum", 0)):
        found = check_bank.judged(entry, saying("deviates", words)(entry, "quick"))
        called = {**found, "diagnosis": [{"name": words, "words": ""}]}
        told = check_bank.summary([check_bank.judged(entry, called)])
        assert (told["named"]["hits"], told["explained"]["hits"]) == (0, right)


@pytest.mark.parametrize("verdict", ["conforms", "inconclusive", "no verdict"])
def test_what_is_no_rejection_detects_nothing(verdict):
    found = check_bank.table(FEW, "quick", run=saying(verdict, "uphill"))
    assert found["summary"]["detected"]["hits"] == 0
    assert found["summary"]["accepted"]["hits"] == (verdict == "conforms")


def test_what_the_checker_does_not_take_is_counted_nowhere():
    told = check_bank.table(FEW, "quick", run=saying("refused"))["summary"]
    assert (told["detected"]["of"], told["accepted"]["of"], len(told["refused"])) == (0, 0, 2)
    strange = replace(FEW[0], like="no_such_sampler")
    assert check_bank.checked(strange, "quick")["verdict"] == "refused"


def test_what_was_run_is_not_run_again_unless_it_changed():
    first = check_bank.table(FEW, "quick", run=saying("conforms"))
    again = check_bank.table(FEW, "quick", before=first, run=saying("deviates", "uphill"))
    assert again["samplers"] == first["samplers"]
    for now, budget in ((FEW, "deep"), ([replace(e, limit=7) for e in FEW], "quick")):
        other = check_bank.table(now, budget, before=first, run=saying("deviates", "uphill"))
        assert {r["verdict"] for r in other["samplers"]} == {"deviates"}
    old = {**first, "samplers": [{**r, "checker": "another"} for r in first["samplers"]]}
    other = check_bank.table(FEW, "quick", before=old, run=saying("deviates", "uphill"))
    assert {r["verdict"] for r in other["samplers"]} == {"deviates"}
    one = check_bank.table(FEW, "quick", only=frozenset({"ascent"}), run=saying("crashed"))
    assert [r["name"] for r in one["samplers"]] == ["ascent"]


def test_a_sampler_that_takes_too_long_has_no_verdict(monkeypatch):
    monkeypatch.setattr(check_bank, "LIMIT", 0.05)
    found = check_bank.apart(FEW[0], "quick")
    assert found["verdict"] == "no verdict"
    assert "0.05 s" in found["error"]


def test_what_is_recorded_is_shown():
    document = json.loads(RESULTS.read_text())
    shown = html(document)
    assert document["summary"] == check_bank.summary(document["samplers"])
    assert all(r["name"] in shown for r in document["samplers"])
    assert len(document["samplers"]) + len(document["absent"]) <= document["planned"]
    assert "faulty samplers detected" in shown


@pytest.mark.long
@pytest.mark.parametrize("entry", EVERY, ids=lambda e: e.name)
def test_the_whole_bank(entry):
    if entry.absent:
        pytest.skip(f"{entry.absent} is not installed")
    found = check_bank.row(entry, "quick", check_bank.apart)
    if found["verdict"] == check_bank.REFUSED:
        pytest.skip(found["error"])
    assert found["accepted"] if entry.right else found["detected"], found


def test_what_was_said_at_first_sight_is_kept():
    blind = [e for e in EVERY if e.where.startswith("numpy_blind_faulty")][:1]
    early = check_bank.table(blind, "quick", run=saying("conforms"))
    early = {**early, "samplers": [{**r, "checker": "earlier"} for r in early["samplers"]]}
    late = check_bank.table(blind, "quick", before=early, run=saying("deviates", "uphill"))
    (faulty,) = [r for r in late["samplers"] if not r["right"]]
    assert faulty["detected"]
    assert faulty["first"]["checker"] == "earlier"
    assert not faulty["first"]["detected"]
    assert late["summary"]["first"]["detected"]["hits"] == 0
    again = check_bank.table(blind, "quick", before=late, run=saying("conforms"))
    assert again["samplers"] == late["samplers"]  # the same checker: nothing is made again
    assert "first saw" in html(late)
