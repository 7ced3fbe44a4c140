"""Every first hour comes out as it must; those that are owed are told apart, and shrink."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.doors.blocks import readme
from tests.doors.case import Case, run
from tests.doors.cases import every
from tests.doors.owed import MINUTES, OWED, is_long


def _parameter(case: Case):
    marks = [pytest.mark.long if is_long(case.id) else pytest.mark.strong]
    if case.id in OWED:
        marks.append(pytest.mark.xfail(reason=OWED[case.id], strict=True))
    return pytest.param(case, id=case.id, marks=marks)


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("case", [_parameter(case) for case in every()])
def test_first_hour(case: Case, tmp_path: Path, cache: Path):
    absent = [name for name in case.needs if importlib.util.find_spec(name) is None]
    if absent:
        pytest.skip(f"needs {', '.join(absent)}")
    run(case, tmp_path, cache)


def test_what_is_owed_is_there():
    assert set(OWED) | MINUTES <= {case.id for case in every()}


def test_all_blocks_of_readme_are_tried():
    """A block of Python or JSON that is added to README is in the files of one of the cases."""
    tried = "\n".join(text for case in every() for text in case.files.values())
    for block in readme():
        if block.language in ("python", "json"):
            assert block.text.strip() in tried, f"no case runs this block of README:\n{block.text}"
