"""The third bank: its files, what was said at first sight, and its section of the page."""

import json

import pytest

from benchmarks import third_page
from reports.document import Heading, Paragraph, Table

HERE = third_page.FIRST.parent
KEY = json.loads((HERE / "key.json").read_text(encoding="utf-8"))


def row(**more):
    common = {"file": "a.py", "framework": "numpy", "fault": None, "says": "", "cpu": 2.0, "named": ""}
    return {**common, "right": True, "verdict": "conforms", **more}


def test_the_bank_has_what_was_asked_for():
    assert (len(KEY), sum(c["right"] for c in KEY)) == (90, 30)
    assert sum(c["framework"] != "numpy" for c in KEY) == 45
    assert all((HERE / c["file"]).is_file() for c in KEY)
    assert all(c["fault"] for c in KEY if not c["right"])


@pytest.mark.parametrize("seen", third_page.rows(), ids=lambda r: r["file"])
def test_what_was_said_is_judged_with_a_reason(seen):
    assert seen["file"] in {c["file"] for c in KEY}
    assert seen["verdict"] in ("conforms", "deviates", "crashed", "inconclusive", "refused")
    if not seen["right"]:
        assert seen["named"] in ("yes", "half", "no")
        assert seen["why"]


def test_a_later_look_stands_beside_the_first_and_is_counted_apart():
    looked = third_page.rows()
    again = [r for r in looked if "later" in r]
    assert all(r["later"]["verdict"] and r["later"]["says"] and r["later"]["cpu"] > 0 for r in again)
    unnamed = [r for r in looked if not r["right"] and r["named"] != "yes"]
    assert all("later" in r for r in unnamed)
    later = {"verdict": "deviates", "named": "yes", "says": "half of it", "cpu": 1.0}
    one = row(right=False, fault="half the noise", verdict="deviates", named="no", later=later)
    other = row(right=False, fault="a sign", verdict="deviates", named="yes")
    assert third_page.counts([one, other])["named"] == (1, 2)  # of the first look
    told = [str(b) for b in third_page.blocks([one, other]) if isinstance(b, Paragraph)]
    assert "names 1 of these" in told[-1]
    assert "that is 2 of 2" in told[-1]


def test_the_section_counts_and_is_left_out_without_rows():
    corrected = {"verdict": "conforms", "named": ""}
    rows = [
        row(identified={"right": True}),
        row(verdict="deviates", corrected=corrected),
        row(right=False, fault="half the noise", verdict="deviates", named="yes"),
        row(right=False, fault="a letter", verdict="refused", named="no"),
        row(right=False, fault="a sign", verdict="inconclusive", named="no"),
    ]
    found = third_page.counts(rows)
    assert found["detected"] == found["named"] == (1, 2)  # of an inconclusive one nothing is told
    assert found["identified"] == (1, 1)
    assert found["accepted"] == (1, 2)
    told = list(third_page.blocks(rows))
    assert isinstance(told[0], Heading)
    assert any(isinstance(b, Table) for b in told)
    assert not list(third_page.blocks([]))
