"""The blind banks: their files, what was said at first sight, and their sections of the page."""

import json

import pytest

from benchmarks import blind_banks
from reports.document import Heading, Paragraph, Table

KEYS = {n: json.loads((p / "key.json").read_text("utf-8")) for n, p in blind_banks.BANKS.items()}
SEEN = [(bank, r) for bank in KEYS for r in blind_banks.rows(bank)]


def row(**more):
    common = {"file": "a.py", "framework": "numpy", "fault": None, "says": "", "cpu": 2.0, "named": ""}
    return {**common, "right": True, "verdict": "conforms", **more}


@pytest.mark.parametrize("bank", KEYS)
def test_the_bank_has_what_was_asked_for(bank):
    key = KEYS[bank]
    assert (len(key), sum(c["right"] for c in key)) == ((60, 20) if bank == "fifth" else (90, 30))
    assert 2 * sum(c["framework"] != "numpy" for c in key) == len(key)
    assert all((blind_banks.BANKS[bank] / c["file"]).is_file() for c in key)
    assert all(c["fault"] for c in key if not c["right"])


@pytest.mark.parametrize(("bank", "seen"), SEEN, ids=lambda x: x if isinstance(x, str) else x["file"])
def test_what_was_said_is_judged_with_a_reason(bank, seen):
    assert (seen["file"], seen["fault"]) in {(c["file"], c["fault"]) for c in KEYS[bank]}
    assert seen["verdict"] in ("conforms", "deviates", "crashed", "inconclusive", "refused")
    if not seen["right"]:
        assert seen["named"] in ("yes", "half", "no")
        assert seen["why"]


def test_a_later_look_stands_beside_the_first_and_is_counted_apart():
    again = [r for _, r in SEEN if "later" in r]
    for told in (r["later"] for r in again):
        assert told["cpu"] > 0
        assert told["says"] or told["verdict"] == "conforms"
    unnamed = [r for r in blind_banks.rows("third") if not r["right"] and r["named"] != "yes"]
    assert all("later" in r for r in unnamed)
    later = {"verdict": "deviates", "named": "yes", "says": "half of it", "cpu": 1.0}
    one = row(right=False, fault="half the noise", verdict="deviates", named="no", later=later)
    other = row(right=False, fault="a sign", verdict="deviates", named="yes")
    assert blind_banks.counts([one, other])["named"] == (1, 2)  # of the first look
    told = [str(b) for b in blind_banks.blocks("third", [one, other]) if isinstance(b, Paragraph)]
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
    found = blind_banks.counts(rows)
    assert (
        found["detected"] == found["named"] == (1, 3)
    )  # of an inconclusive or refused one nothing is told
    assert found["identified"] == (1, 1)
    assert found["accepted"] == (1, 2)
    told = list(blind_banks.blocks("third", rows))
    assert isinstance(told[0], Heading)
    assert any(isinstance(b, Table) for b in told)
    assert not list(blind_banks.blocks("third", []))
