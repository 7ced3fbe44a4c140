"""``advise``, and ``tune`` with a budget: one page, one document, one line for what is wrong."""

import json
import shlex

import pytest

from reports import guide
from reports.document import Code
from tests.reports.terminal.test_terminal import PROBLEM, refused, run


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(PROBLEM))
    return path


def test_it_answers_in_a_page_and_a_table(problem, tmp_path):
    page = tmp_path / "advice.html"
    done = run("advise", "--problem", problem, "--passes", 60, "--samplers", "sgld", "--check",
               "--chains", 400, "--page", page)  # fmt: skip
    assert done.returncode == 0, done.stderr
    for words in (
        "sgld: eps = ", "The expected error is", "The best of every sampler", "hmc",
        "The best for less and for more", "times as long are stable", "confirmed", "twice as large",
        "sgtheory advise --problem", "--chains 400",
    ):  # fmt: skip
        assert words in done.stdout, words
    assert "<svg" in page.read_text()
    assert "passes over the data" in page.read_text()


def test_the_command_that_it_tells_for_once_more_does_the_same(problem):
    asked = ("--problem", problem, "--passes", 60, "--samplers", "sgld", "--care", "mean")
    first = run("advise", *asked)
    again = shlex.split(first.stdout.splitlines()[-1])
    assert again == [
        "sgtheory",
        "advise",
        *map(str, (*asked[:4], "--care", "mean", "--samplers", "sgld")),
    ]
    assert run(*again[1:]).stdout == first.stdout


def test_one_document_and_nothing_else(problem):
    done = run("advise", "--problem", problem, "--passes", 60, "--samplers", "sgld,sgldfp", "--json",
               "--fix", "S=2", "--care", "mean", "--of", "1,-1/2")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["schema"] == "sgtheory.advice/1"
    assert found["care"] == "mean of a functional"
    assert found["best"]["params"]["S"] == 2
    assert found["best"]["error"] == found["options"][0]["error"]
    assert {r["name"] for r in found["references"]} == {"lmc", "hmc"}


def test_tune_with_a_budget_chooses_what_it_is_told_to(problem):
    done = run("tune", "sgld", "--problem", problem, "--passes", 60, "--over", "eps", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {o["params"]["S"] for o in found["options"]} == {4}  # as the problem has it
    assert {o["sampler"] for o in found["options"]} == {"sgld"}


def test_tune_says_where_a_step_has_no_best_value(problem):
    content = PROBLEM | {"params": {"eps": "1/50"}}
    problem.write_text(json.dumps(content))
    done = run("tune", "sgld", "--problem", problem, "--only", "eps")
    assert "no best eps" in done.stdout
    assert "advise" in done.stdout


@pytest.mark.parametrize(
    "wrong",
    [
        ("--passes", "none"),
        ("--passes", -2),
        (),
        ("--passes", 60, "--of", "1,x"),
        ("--passes", 60, "--fix", "S"),
        ("--passes", 60, "--samplers", "sgdl"),
        ("--passes", 60, "--page", "advice.pdf"),
        ("--passes", 60, "--care", "men"),
    ],
    ids=str,
)
def test_what_is_wrong_is_one_line(problem, wrong):
    refused(run("advise", "--problem", problem, *wrong))


@pytest.mark.parametrize(
    "wrong", [("--over", "eps"), ("--passes", 9, "--only", "eps"), ("--passes", 0)], ids=str
)
def test_tune_with_half_a_budget_is_one_line(problem, wrong):
    refused(run("tune", "sgld", "--problem", problem, *wrong))


@pytest.mark.strong
def test_the_guide_works_the_reference_case():
    printed = "\n".join(
        b.text for b in guide._page("ea_choose_with_a_budget").blocks if isinstance(b, Code)
    )
    by_hand, searched = map(float, printed.split("'S': 1} 0.0797\n")[1].split()[:2])
    assert searched < by_hand / 2  # the step of the twenty lines, and the one that is advised
    assert "True" in printed
