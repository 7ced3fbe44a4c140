"""A contender that simulates something else is flagged; the right one is not."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import checks
from benchmarks.case import Case, Entrant, summary
from benchmarks.checks import check
from benchmarks.contenders import contenders, numpy_sfc64
from benchmarks.contenders.__main__ import timed
from benchmarks.workloads import STEP, linear, signed_rows, workload

TWINS = {  # what is off by one per cent, and where
    "W1": ("G", 1.01),
    "W2": ("g", 1.01),
    "W3": ("G", 1.01),
    "W5": ("G", 1.01),
}
SLOW = ("W1", "W3")


class Here:
    """A contender that answers in this process."""

    def __init__(self, run):
        self.ask = lambda request, timeout: timed(run, request) | {"versions": {}}


def answer(code, steps=20):
    work = workload(code)
    run = contenders()["numpy"].make(work, "float64")
    found = run(work.chains, steps, 5)
    return check(work, work.chains, steps, found.mean, found.covariance, comparisons=50)


@pytest.mark.parametrize(
    "code", [pytest.param(c, marks=[pytest.mark.strong] if c in SLOW else []) for c in TWINS]
)
def test_noise_that_is_off_by_one_per_cent_is_flagged(code, monkeypatch):
    right = answer(code)
    assert right.agrees
    assert right.worst < right.bound
    assert right.sees < 0.011
    name, factor = TWINS[code]
    numbers = linear(workload(code).D)
    wrong = replace(numbers, **{name: getattr(numbers, name) * factor})
    monkeypatch.setattr(numpy_sfc64, "linear", lambda D: wrong)
    twin = answer(code)
    assert not twin.agrees
    assert twin.worst > twin.bound


def test_a_wrong_mean_is_flagged():
    work = workload("W1")
    mean, covariance = checks._law(work, 20)
    assert check(work, work.chains, 20, mean, covariance, 1).agrees
    off = mean + 7 * np.sqrt(np.diag(covariance) / work.chains) * (np.arange(10) == 3)
    found = check(work, work.chains, 20, off, covariance, 1)
    assert not found.agrees
    assert found.at in ("mean 3", "whole mean")


def test_w4_is_held_against_another_program(monkeypatch):
    assert answer("W4").agrees
    monkeypatch.setattr(numpy_sfc64, "BATCH", 24)
    assert not answer("W4").agrees


def test_the_reference_of_w4_descends_the_gradient_of_the_posterior():
    """One step without noise: the mean over minibatches, against a numerical derivative."""
    rows = signed_rows()

    def log_density(theta):
        return -np.logaddexp(0, -rows @ theta).sum() - theta @ theta / 2

    h, zero = 1e-5, np.zeros(10)
    slope = [(log_density(zero + h * e) - log_density(zero - h * e)) / (2 * h) for e in np.eye(10)]
    x = checks._reference(1)
    error = x.std(axis=0) / np.sqrt(len(x))
    assert (np.abs(x.mean(axis=0) - STEP * np.array(slope)) < 6 * error).all()
    # its spread: that of a minibatch, and what is injected
    one = STEP * len(rows) * rows / 2  # at zero every sigmoid is a half
    variance = one.var(axis=0) / 32 + 2 * STEP
    assert (np.abs(x.var(axis=0) / variance - 1) < 6 * np.sqrt(2 / len(x)) * 1.2).all()


def test_who_fails_in_a_round_is_left_out_of_the_ratios():
    work = workload("W5").quick()
    run = contenders()["numpy"].make(work, "float32")

    class Dying(Here):
        def __init__(self):
            self.ask = lambda request, timeout: {"failed": "no memory"}

    case = Case(work, "float32", 1, 2, {"ours": Here(run), "dying": Dying()})
    ours, dying = (
        Entrant(n, "ran", 20, first_call=1.0, compile=0.0, versions={}) for n in ("ours", "dying")
    )
    answered, failed = case.round(0, [ours, dying])
    assert (failed.status, failed.reason) == ("failed", "no memory")
    found = summary(case, (ours, failed), [answered], ())
    assert found["ratios"] == {}
    assert found["contenders"]["dying"]["reason"] == "no memory"
    assert found["contenders"]["ours"]["check"]["agrees"]


def test_a_case_names_who_is_wrong(monkeypatch):
    work = replace(workload("W5"), chains=400_000)
    right = contenders()["numpy"].make(work, "float32")
    numbers = linear(1)
    monkeypatch.setattr(numpy_sfc64, "linear", lambda D: replace(numbers, G=numbers.G * 1.01))
    wrong = contenders()["numpy"].make(work, "float32")
    case = Case(work, "float32", 1, 2, {"right": Here(right), "wrong": Here(wrong)})
    entrants = [
        Entrant(n, "ran", 20, first_call=1.0, compile=0.0, versions={}) for n in ("right", "wrong")
    ]
    answers = list(case.round(0, entrants))
    assert summary(case, entrants, answers, ())["flagged"] == ["wrong"]
