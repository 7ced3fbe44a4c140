"""The table of what was found names tests that there are, and every case of the older tree."""

import ast
import json
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent.parent
FOUND = TESTS.parent / "benchmarks" / "results" / "found.json"


@cache
def functions_of(path):
    return {n.name for n in ast.parse((TESTS / path).read_text()).body if isinstance(n, ast.FunctionDef)}


def rows():
    lines = (Path(__file__).parent / "FOUND.md").read_text().splitlines()
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return cells[2:]


def test_every_item_has_a_test_that_there_is():
    assert len(rows()) > 40
    for what, _, test in rows():
        path, _, name = test.partition("::")
        assert name in functions_of(path), what


def test_every_case_of_the_older_tree_is_one_of_an_item_and_every_item_has_its_own():
    cases = [row["case"] for row in json.loads(FOUND.read_text())["rows"]]
    begins = [one.strip() for _, given, _ in rows() for one in given.split(", ") if one]
    assert not [case for case in cases if not case.startswith(tuple(begins))]
    assert not [one for one in begins if not any(case.startswith(one) for case in cases)]
