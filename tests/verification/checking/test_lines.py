"""Programs that speak JSON lines: right ones conform, and every way to break the protocol is told."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sgtheory.errors import UnusableInput
from verification.checking import check, child
from verification.checking.adapters import json_lines
from verification.checking.cases import cases
from verification.checking.judging import runs
from verification.checking.targets import target_at

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = f"cmd:{sys.executable} {PROGRAMS / 'sampler.py'}"
FEW = {"effect": 0.3, "dimensions": (1, 2)}


def program(which):
    return target_at(f"{PYTHON} {which}")


def test_a_program_in_python_conforms():
    assert check(program("right"), "sghmc", **FEW).verdict == "conforms"


def test_its_wrong_twin_is_found_and_named():
    found = check(program("temperature"), "sghmc", **FEW)
    assert found.verdict == "deviates"
    assert "tau" in found.diagnosis[0].words


BROKEN = [
    ("malformed", "protocol", "expected a JSON object; got here you are"),
    ("list", "protocol", "expected a JSON object"),
    ("other", "protocol", "expected theta or gradient"),
    ("endless", "protocol", "a line that ends"),
    ("exits", "crashed", "status 4: cannot find my data"),
    ("error", "crashed", "the license has expired"),
    ("shape", "shape", "(16, 1), expected (16, 2)"),
    ("ragged", "shape", "no array of numbers"),
    ("words", "shape", "theta"),
    ("nan", "not finite", "not finite"),
    ("seedless", "ignores its seed", "the same seed"),
]


@pytest.mark.parametrize(("which", "fault", "words"), BROKEN, ids=[b[0] for b in BROKEN])
def test_each_way_to_break_the_protocol_is_told(which, fault, words):
    runner = json_lines.runner(program(which))
    ((_, found),) = runs(runner, "sghmc", cases("sghmc", dimensions=(2,)), 16)
    assert (found.fault, words in found.words) == (fault, True), found.words


def test_another_version_is_refused():
    with pytest.raises(json_lines.Refused, match='"sgtheory": 2'):
        json_lines.runner(program("future"))


def test_a_command_that_is_not_there_says_so():
    for address in ("cmd:", "cmd:'open", "cmd:./no_such_program"):
        with pytest.raises(UnusableInput):
            json_lines.runner(target_at(address))


def lost(which, case, loading):
    job = child.Job(f"{PYTHON} {which}", None, "sghmc", cases("sghmc", dimensions=(1,)), 16)
    ((_, found),) = child.runs(job, child.Limits(case, loading))
    return found


@pytest.mark.long
@pytest.mark.parametrize("which", ["silent", "closes"])
def test_silence_is_told_and_ended(which):
    found = lost(which, case=8.0, loading=60.0)
    assert found.fault == ("hangs" if which == "silent" else "protocol")


@pytest.mark.long
def test_no_greeting_is_told_as_no_end_of_loading():
    assert "did not finish loading" in lost("mute", case=1.0, loading=5.0).words


@pytest.mark.long
def test_a_fault_at_the_start_of_a_program_is_a_finding():
    found = check(f"{PYTHON} future", "sghmc", **FEW)
    assert (found.verdict, found.diagnosis[0].name) == ("deviates", "protocol")


@pytest.mark.long
def test_the_example_of_the_protocol_runs(tmp_path):
    """The program in the documentation, as it stands there, is SGLD of step 2 eps on the mean loss."""
    text = json_lines.__doc__.partition("Python::\n")[2]
    path = tmp_path / "example.py"
    path.write_text(re.sub("(?m)^    ", "", text))
    found = check(target_at(f"cmd:{sys.executable} {path}"), "sgld", **FEW)
    assert {o.measured.fault for o in found.outcomes} == {""}


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_a_program_in_javascript_conforms():
    address = f"cmd:node {PROGRAMS / 'sampler.mjs'}"
    assert check(target_at(address), "sgd", **FEW).verdict == "conforms"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_a_program_in_c_plus_plus_conforms_with_all_chains(tmp_path):
    made = tmp_path / "sampler"
    subprocess.run(["g++", "-O2", "-o", str(made), str(PROGRAMS / "sampler.cpp")], check=True)
    found = check(f"cmd:{made}", "sghmc")
    assert (found.verdict, [d.words for d in found.diagnosis]) == ("conforms", [])
