"""The document sgtheory.check/1: every key has its type whatever happened, and no NaN is in it."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from sgtheory.problem import Problem
from tests.verification.checking.bank import first
from verification.checking import check, judging, protocol
from verification.checking.cases import cases, law_of
from verification.checking.judging import Conformance, Outcome, verdict_of
from verification.checking.running import Measured

NUMBER = (int, float)
MOMENTS = {"positions": [str], "mean": [NUMBER], "covariance": [[NUMBER]]}
TOLD = {"case": str, "problem": dict, "mode": [NUMBER], "seed": int, "chains": int}
COMPARED = {
    **TOLD,
    "tests": int,
    "false_alarm": NUMBER,
    "smallest_p": NUMBER,
    "at": str,
    "agrees": bool,
    "detectable_relative_error": NUMBER,
    "power": NUMBER,
    "rejected?": [str],
}
FAULTY = {**TOLD, "fault": str, "words": str}
DOCUMENT = {
    "schema": str,
    "target": str,
    "like": str,
    "verdict": str,
    "diagnosis": [{"name": str, "formula": str, "words": str, "score": NUMBER}],
    "measured": (MOMENTS, None),
    "expected": (MOMENTS, None),
    "tests": [(COMPARED, FAULTY)],
    "false_alarm": NUMBER,
    "power": {"relative_error_of_a_variance": NUMBER, "probability": NUMBER},
    "notes": [str],
    "seed": int,
    "seconds": NUMBER,
}
# keys that others may add; they are described where they are made
OPEN = {"document", "diagnosis", "tests"}


def faults(value, kind, path="document"):
    """Where a document is not what it should be."""
    if isinstance(kind, tuple) and not all(isinstance(k, type) for k in kind):
        found = [list(faults(value, k, path)) for k in kind]
        if all(found):
            yield from min(found, key=len)
    elif kind is None:
        if value is not None:
            yield f"{path}: {value!r} is not null"
    elif isinstance(kind, list):
        if not isinstance(value, list):
            yield f"{path}: no list"
        else:
            for one in value:
                yield from faults(one, kind[0], path)
    elif isinstance(kind, dict):
        yield from inside(value, kind, path)
    elif not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        yield f"{path}: {value!r} is no {kind}"


def inside(value, kind, path):
    if not isinstance(value, dict):
        yield f"{path}: no object"
        return
    for name, inner in kind.items():
        key = name.rstrip("?")
        if key in value:
            yield from faults(value[key], inner, key)
        elif key == name:
            yield f"{path}: no {key}"
    if path not in OPEN:
        yield from (f"{path}: {key} is not described" for key in value if key not in kind)


def document(found):
    """As a reader gets it: strict JSON there and back."""
    return json.loads(json.dumps(found.to_json(), allow_nan=False))


def test_the_test_sees_what_is_missing_wrong_or_more():
    right = {"relative_error_of_a_variance": 0.1, "probability": 1}
    kind = DOCUMENT["power"]
    assert list(faults(right, kind, "power")) == []
    for wrong in (
        {**right, "more": 1},
        {"probability": 1},
        {**right, "probability": True},
        [right],
        None,
    ):
        assert list(faults(wrong, kind, "power")) != []
    assert list(faults({**right, "probability": "1"}, kind, "power")) == [
        "probability: '1' is no (<class 'int'>, <class 'float'>)"
    ]


def runs_away(theta, gradient, rng, eps=0.0):
    return theta * 7e7 + rng.standard_normal(theta.shape)


@pytest.mark.parametrize(
    ("step", "verdict"),
    [
        (first.sgld, "conforms"),
        pytest.param(first.sgld_noise_eps, "deviates", marks=pytest.mark.strong),
        (lambda theta, gradient, rng, eps=0.0: theta / 0.0, "deviates"),
        (lambda theta, gradient, rng, eps=0.0: theta[:, :-1], "deviates"),
        (runs_away, "deviates"),
        (lambda theta, gradient, rng, eps=0.0: theta.no_such_thing, "crashed"),
    ],
    ids=["right", "faulty", "nan", "shape", "overflow", "raises"],
)
def test_every_key_has_its_type(step, verdict):
    told = document(check(step, "sgld", dimensions=(1,)))
    assert list(faults(told, DOCUMENT)) == []
    assert told["verdict"] == verdict
    assert (told["verdict"] == "conforms") == (told["diagnosis"] == [])
    assert Problem.of(told["tests"][0]["problem"])  # `sgtheory law` reads it


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [("slow", "inconclusive"), ("no law", "inconclusive"), ("hangs", "crashed"), ("shape", "deviates")],
)
def test_what_was_not_measured_is_told(fault, verdict):
    found = conformance([outcome(fault)])
    told = document(found)
    assert list(faults(told, DOCUMENT)) == []
    assert (told["verdict"], told["tests"][0]["fault"], told["measured"]) == (verdict, fault, None)


def outcome(fault="", factor=1.0):
    """An outcome made by hand: the law itself, its covariance multiplied, or a fault."""
    (case,) = cases("sgd", dimensions=(1,))
    law = law_of("sgd", case)
    if fault:
        return Outcome(case, Measured(case.name, 10, fault=fault, words="w"), law, None)
    one = Measured(case.name, 50_000, law.mean, factor * law.covariance)
    return Outcome(case, one, law, judging.held_against(one, law, 1e-6))


def conformance(found):
    return Conformance("t", "sgd", verdict_of(found), tuple(found), (), 1e-6, 0.05)


def test_a_number_that_is_none_is_null():
    one = outcome()
    broken = replace(one.measured, mean=np.array([math.nan, 1, math.inf, 2]))
    told = document(conformance([replace(one, measured=broken)]))
    assert told["measured"]["mean"] == [None, 1, None, 2]


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ([], "inconclusive"),  # nothing was looked at
        ([outcome()], "conforms"),
        ([outcome(), outcome("slow")], "inconclusive"),
        ([outcome("no law"), outcome()], "inconclusive"),
        ([outcome("slow"), outcome(factor=1.5)], "deviates"),  # a rejection stands
        ([outcome(factor=1.5), outcome("hangs")], "crashed"),
    ],
    ids=["none", "right", "slow", "no law", "slow and wrong", "hangs"],
)
def test_one_word_on_all_problems(found, verdict):
    assert verdict_of(found) == verdict


def test_slow_but_working_is_inconclusive_and_says_what_to_do():
    import time

    def slow(theta, gradient, rng, eps, H):
        time.sleep(0.05)
        return theta - eps * gradient(theta) @ H

    found = check(slow, "sgd", dimensions=(1,), limit=0.2)
    assert found.verdict == "inconclusive"
    assert "--limit" in found.diagnosis[0].words
    assert "of 20 steps" in found.outcomes[0].measured.words


@pytest.mark.long
def test_slow_in_one_problem_does_not_hide_what_is_wrong_in_another():
    import time

    def slow_and_wrong(theta, gradient, rng, eps, N, H):
        time.sleep(0.1 if theta.shape[1] == 2 else 0)
        return first.sgld_noise_eps(theta, gradient, rng, eps, N, H)

    found = check(slow_and_wrong, "sgld", dimensions=(1, 2), limit=1.5)
    assert [o.measured.fault for o in found.outcomes] == ["", "slow"]
    assert (found.verdict, found.diagnosis[0].score) == ("deviates", 1)


def test_a_law_that_cannot_be_computed_is_inconclusive(monkeypatch):
    def none(*_):
        raise ArithmeticError("no law here")

    monkeypatch.setattr(protocol, "law_of", none)
    found = check(first.sgd, "sgd", dimensions=(1,))
    assert (found.verdict, found.diagnosis[0].name) == ("inconclusive", "no law")
    assert list(faults(document(found), DOCUMENT)) == []
