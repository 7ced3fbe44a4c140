"""What continuous integration is told of a check: JUnit, SARIF, what changed, the action, the hook."""

import json
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from click.testing import CliRunner

from reports.terminal import continuous
from reports.terminal.commands.check import command as check_command
from reports.terminal.commands.new import command as new_command
from sgtheory.errors import UnusableInput
from tests.verification.checking.bank import first
from verification.checking import check

ROOT = Path(__file__).parents[3]
SMALL = {"dimensions": (1, 2)}


@pytest.fixture(scope="module")
def right():
    return check(first.sgld, "sgld", **SMALL)


@pytest.fixture(scope="module")
def crashed():
    def step(theta, gradient, rng, eps=0.0):
        raise RuntimeError("a < b & c")

    return check(step, "sgld", fixed={"eps": "0.01"}, **SMALL)


def test_junit_has_a_case_for_each_problem(right, crashed):
    suite = xml.fromstring(continuous.junit(right))
    assert suite.get("tests") == str(len(suite.findall("testcase")))
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("0", "0", "0")
    bad = xml.fromstring(continuous.junit(crashed))
    assert bad.get("errors") != "0"
    assert "a < b & c" in bad.find("testcase/error").get("message")


def test_sarif_has_a_result_where_something_is_wrong(right, crashed):
    (run,) = json.loads(continuous.sarif(right))["runs"]
    assert run["results"] == []
    (run,) = json.loads(continuous.sarif(crashed))["runs"]
    (result,) = run["results"]
    assert result["level"] == "error"
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert "a < b & c" in result["message"]["text"]


def test_a_badge_says_the_verdict_and_asks_for_nothing(right, crashed):
    colours = []
    for found, word in ((right, "conforms"), (crashed, "crashed")):
        text = continuous.badge(found)
        root = xml.fromstring(text)
        name = "{http://www.w3.org/2000/svg}"
        assert [x.text for x in root.iter(f"{name}text")] == ["law of sgld", word]
        assert found.target in root.find(f"{name}title").text
        assert text.count("http") == 1  # the name of the language alone
        boxes = [(float(x.get("x")), float(x.get("width"))) for x in root.iter(f"{name}rect")]
        assert boxes[0][1] == boxes[1][0]
        assert float(root.get("width")) == sum(boxes[1])
        colours.append([x.get("fill") for x in root.iter(f"{name}rect")][1])
    assert colours[0] != colours[1]


def test_only_what_changed_is_told(right, crashed):
    same = right.to_json()
    assert list(continuous.changes(same, {**same, "seconds": 9.0})) == []
    told = list(continuous.changes(same, crashed.to_json()))
    assert "verdict: was conforms, is crashed" in told
    assert any("agreed before, crashed now" in line for line in told)


def test_an_earlier_check_that_is_none_is_refused(tmp_path):
    (tmp_path / "old.json").write_text('{"schema": "sgtheory.law/1"}')
    (tmp_path / "mine.py").write_text("def step(theta, gradient, rng, eps): ...")
    old = str(tmp_path / "old.json")
    found = CliRunner().invoke(
        check_command, [f"{tmp_path}/mine.py:step", "--like", "sgd", "--against", old]
    )
    assert "expected a document of sgtheory.check/1" in str(found.exception)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"diagnosis": 5}, '"diagnosis" as a list'), ({"tests": [5]}, r'"tests\[0\]" as an object'),
        ({"verdict": "conformt"}, "invalid enum value 'conformt'"), ({"tests": [{}]}, '"case"'),
        ({"diagnosis": [{}]}, '"words"'), ({"tests": [{"case": "a", "agrees": "no"}]}, '"agrees"'),
    ],
)  # fmt: skip
def test_an_earlier_check_is_looked_at_before_it_is_compared(tmp_path, right, changed, said):
    path = tmp_path / "old.json"
    path.write_text(json.dumps(right.to_json()))
    assert list(continuous.changes(continuous.earlier(path), right.to_json())) == []
    path.write_text(json.dumps(right.to_json() | changed))
    with pytest.raises(UnusableInput, match=said):
        continuous.earlier(path)


def test_a_test_of_a_library_names_its_samplers(tmp_path):
    file = tmp_path / "test_torch.py"
    found = CliRunner().invoke(new_command, ["test", str(file), "--library", "torch"])
    assert "holds 8 tests" in found.output
    compile(file.read_text(), str(file), "exec")
    other = CliRunner().invoke(new_command, ["test", str(tmp_path / "t.py"), "--library", "no such"])
    assert "a library with ready steps" in str(other.exception)


def test_the_action_and_the_hook_run_what_is_there():
    action, hook = ((ROOT / n).read_text() for n in ("action.yml", ".pre-commit-hooks.yaml"))
    assert "uses:" not in action.partition("\n")[2]  # nothing of others', which would have to be pinned
    assert '/sgtheory" check "$TARGET"' in action
    assert "entry: sgtheory check" in hook
