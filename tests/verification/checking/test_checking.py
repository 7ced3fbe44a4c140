"""Foreign samplers against their exact law: right ones pass, faults are found and named."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from reports.terminal import cli
from sgtheory import law
from sgtheory.errors import UnusableInput
from tests.verification.checking.bank import first as bank
from verification.checking import assert_samples_law, check
from verification.checking.cases import cases, law_of
from verification.checking.judging import ENDING
from verification.checking.targets import target_at

SMALL = {"dimensions": (1, 2)}
FILE = Path(bank.__file__)


@pytest.mark.parametrize("like", ["sgd", "momentum", "underdamped:BAOAB", "iasg"])
def test_the_joint_law_has_the_law_at_each_step_in_it(like):
    case = cases(like, dimensions=(2,))[0]
    found = law_of(like, case)
    for k, t in enumerate(case.times):
        one = law(like, case.problem, at=t)
        where = slice(2 * k, 2 * k + 2)
        assert found.mean[where] == pytest.approx(one.mean["theta"] + np.array(case.mode), rel=1e-9)
        assert found.covariance[where, where] == pytest.approx(
            one.covariance["theta", "theta"], rel=1e-9
        )


def test_autocovariances_are_those_of_a_simulation():
    case = cases("sghmc", dimensions=(2,))[0]
    found = law_of("sghmc", case)
    # Cov(x_1, x_2): the velocity carries the first step's noise into the second
    assert abs(found.covariance[4:6, 2:4]).max() > 0
    assert np.allclose(found.covariance, found.covariance.T)


@pytest.mark.parametrize(("like", "step"), bank.RIGHT, ids=lambda x: getattr(x, "__name__", x))
def test_right_samplers_conform(like, step):
    assert check(step, like, **SMALL).verdict == "conforms"


def test_names_of_states_are_the_samplers_own_with_an_init():
    assert_samples_law(bank.baoab, "underdamped:BAOAB", **SMALL)


@pytest.mark.parametrize(
    ("step", "like", "words"), bank.FAULTY, ids=lambda x: getattr(x, "__name__", "")
)
def test_faults_are_found_and_named(step, like, words):
    found = check(step, like, **SMALL)
    assert found.verdict == "deviates"
    assert words in " ".join(d.words + d.name for d in found.diagnosis)


@pytest.mark.long
def test_a_fault_in_no_list_is_reported_as_such():
    found = check(bank.sgld_without_gain_in_noise, "sgld", **SMALL)
    assert found.verdict == "deviates"
    with pytest.raises(AssertionError, match="deviates"):
        assert_samples_law(
            lambda theta, gradient, rng, eps=0.0: theta + rng.laplace(size=theta.shape), "sgd", **SMALL
        )


@pytest.mark.parametrize(("step", "name"), bank.BROKEN, ids=lambda x: getattr(x, "__name__", ""))
def test_broken_steps_are_told_by_name(step, name):
    found = check(step, "sgld", dimensions=(2,))
    assert found.verdict == ("crashed" if name in ENDING else "deviates")
    assert found.diagnosis[0].name == name


@pytest.mark.parametrize(
    ("name", "fault"),
    [pytest.param("hangs", "hangs", marks=pytest.mark.strong), ("ends_its_process", "crashed")],
)
def test_a_child_that_is_lost_is_a_finding(name, fault):
    found = check(f"{FILE}:{name}", "sgd", limit=1, dimensions=(1, 1))
    assert (found.verdict, found.diagnosis[0].name, len(found.outcomes)) == ("crashed", fault, 1)


@pytest.mark.strong
def test_the_command_prints_one_document():
    told = CliRunner().invoke(cli, ["check", f"{FILE}:sgld_without_half", "--like", "sgld", "--json"])
    assert told.exit_code in (0, 1)  # standalone mode passes no status on
    document = json.loads(told.stdout)
    assert document["schema"] == "sgtheory.check/1"
    assert document["verdict"] == "deviates"
    assert document["diagnosis"][0]["score"] == 1
    assert {"target", "like", "measured", "expected", "tests", "false_alarm", "power"} <= set(document)


def test_addresses_that_lead_nowhere_say_so():
    for address in ("nothing", f"{FILE}:nobody", "no_such_module:step", "nowhere.py:step"):
        with pytest.raises(UnusableInput):
            target_at(address)
    with pytest.raises(UnusableInput, match="step function"):
        check(3, "sgd")
