"""The fixture ``assert_samples_law``, run on test files of its own, with workers and without."""

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import scipy.optimize
import scipy.stats  # noqa: F401 - what is compiled is loaded here, not in a run that is forgotten

import verification.properties.foreign  # noqa: F401
from sgtheory.problem import read_problem

pytest_plugins = ("pytester",)
INSTALLED = any(e.value == "sgtheory.pytest_plugin" for e in entry_points(group="pytest11"))
STEPS = """
def right(theta, gradient, rng, eps, H):
    return theta - eps * gradient(theta) @ H

def wrong(theta, gradient, rng, eps, H):
    return theta - 2 * eps * gradient(theta) @ H
"""
HEAD = "import pytest\nfrom two_steps import right, wrong\n"


@pytest.fixture
def run(pytester):
    def run(body, *arguments, ini=""):
        pytester.makeini(f"[pytest]\npythonpath = .\n{ini}")
        pytester.makepyfile(two_steps=STEPS, test_mine=HEAD + body)
        plugin = () if INSTALLED else ("-p", "sgtheory.pytest_plugin")
        return pytester.runpytest(*plugin, "-p", "no:cacheprovider", *arguments)

    return run


BOTH = """
@pytest.mark.parametrize("step", [right, wrong], ids=["right", "wrong"])
def test_it(assert_samples_law, step):
    assert_samples_law(step, like="sgd", dimensions=(1,))
def test_other(): pass
"""


def test_a_wrong_step_fails_with_diagnosis_problem_and_commands(run, pytester):
    result = run(BOTH, "--sgtheory-seed=7")
    result.assert_outcomes(passed=2, failed=1)
    told = result.stdout.str()
    assert "wrong does not have the exact law of sgd" in told
    assert "likely: " in told
    assert "again: pytest 'test_mine.py::test_it[wrong]' --sgtheory-seed=7" in told
    # two tests share the budget, and the first check of each has half of its share
    result.stdout.fnmatch_lines(["*false-alarm budget 1e-06, spent 5e-07 by 2 checks of 2 random*"])
    (file,) = (pytester.path / ".sgtheory" / "failures").glob("*.json")
    assert read_problem(file)
    assert file.name in re.search(r"law: sgtheory law sgd --problem (\S+) --at 20", told)[1]


@pytest.mark.long
def test_workers_share_alike_and_a_seed_repeats(run):
    found = [run(BOTH, "--sgtheory-seed=7", *more).stdout.str() for more in ((), ("-n", "2"))]
    lines = [re.findall(r".*tests reject.*", text) for text in found]
    assert lines[0] == lines[1] != []
    assert all("spent 5e-07 by 2 checks" in text for text in found)
    other = run(BOTH, "--sgtheory-seed=8").stdout.str()
    assert re.findall(r".*tests reject.*", other) != lines[0]


@pytest.mark.long
def test_the_command_that_is_printed_finds_it_too(run, pytester):
    result = run('def test_it(assert_samples_law):\n    assert_samples_law(wrong, like="sgd")\n')
    result.assert_outcomes(failed=1)
    line = re.search(r"see: sgtheory (check .*)", result.stdout.str())[1]
    assert "two_steps.py:wrong --like sgd --seed" in line
    assert "--false-alarm 5e-07" in line
    assert Path(line.split()[1].rpartition(":")[0]).name == "two_steps.py"


@pytest.mark.long
def test_markers_settings_and_late_requests(run):
    result = run("""
@pytest.mark.ensemble(false_alarm=4e-7, effect=0.2, power=0.9)
def test_marked(assert_samples_law):
    found = assert_samples_law(right, like="sgd", dimensions=(1,))
    assert (found.false_alarm, found.effect, found.power) == (2e-7, 0.2, 0.9)
    assert assert_samples_law(right, like="sgd", dimensions=(1,)).false_alarm == 1e-7

def test_settings(assert_samples_law):
    with pytest.raises(ValueError, match="leaves to a test; got seed"):
        assert_samples_law(right, like="sgd", seed=3)

def test_late(request):
    request.getfixturevalue("assert_samples_law")
""")
    result.assert_outcomes(passed=2, errors=0, failed=1)
    result.stdout.fnmatch_lines(["*asks for 'assert_samples_law' by name*"])
