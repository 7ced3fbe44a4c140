"""The demo page in every format, to the byte."""

import pytest

from tests.reports.golden.regenerate import FOLDER, golden


@pytest.fixture(scope="module")
def made():
    return golden()


@pytest.mark.parametrize("name", ["claim.html", "claim.json", "claim.md", "claim.txt", "report.tex"])
def test_golden(made, name):
    assert made[name] == (FOLDER / name).read_text(encoding="utf-8")
