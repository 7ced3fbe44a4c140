"""Times of verdicts by stage."""

import json
from importlib import import_module

import pytest

from benchmarks import verify


@pytest.mark.parametrize("name", [name for names in verify.STAGES.values() for name in names])
def test_what_is_timed_is_in_this_tree(name):
    """Of another tree it may be missing: of this one its time would be counted as what is left."""
    module, function = name.split(":")
    assert callable(getattr(import_module(module), function))


@pytest.mark.strong
def test_one_claim_is_timed_by_stage(tmp_path, capsys):
    out = tmp_path / "times.json"
    assert (
        verify.main(["--only", "mandt2017.eq13.trace", "--only", "mandt2017.eq13", "--out", str(out)])
        == 0
    )
    rows = json.loads(out.read_text())["rows"]
    row = next(r for r in rows if r["claim"] == "mandt2017.eq13")
    (took,) = row["took"]
    stages = {*verify.STAGES, "rest"} & set(took)
    assert {"proof", "search", "twins"} <= stages
    assert abs(took["all"] - sum(took[s] for s in stages)) < 1e-3
    assert took["verdict"] == "proved"
    assert "mandt2017.eq13" in capsys.readouterr().out


def test_what_is_slower_and_what_changed_is_told():
    now = {"class": "Stated", "verdict": "proved", "proof": 3.0, "all": 4.0}
    then = {"class": "Sums", "verdict": "refuted", "proof": 1.0, "all": 1.5}
    lines = list(verify.told([{"claim": "p.eq1", "took": [now, then]}], 5))
    assert lines[1].split() == [
        "Stated",
        "1",
        "3.0",
        "1.0",
        *["0.0"] * 2 * len(verify.STAGES),  # all others, and what is left
        "4.0",
        "1.5",
    ]
    assert lines[-1] == "verdict changed: p.eq1: ['proved', 'refuted']"
