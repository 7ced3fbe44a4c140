"""The driver at a tiny size, and its page."""

import json
from contextlib import contextmanager

import pytest

from benchmarks import cpu, limits
from benchmarks.page import html, main


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """Ours and NumPy on one workload, without limits."""
    out = tmp_path_factory.mktemp("bench") / "cpu.json"

    @contextmanager
    def none():
        raise limits.NoLimits("not in this test")
        yield

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(limits, "built", none)
        options = ["--quick", "--only", "W5", "--contenders", "ours,numpy", "--dtypes", "float32"]
        assert cpu.main([*options, "--no-growth", "--out", str(out)]) == 0
    return json.loads(out.read_text())


@pytest.mark.strong
def test_the_driver_runs_ours_and_numpy(document):
    (case,) = document["cases"]
    assert {n: r["status"] for n, r in case["contenders"].items()} == {"ours": "ran", "numpy": "ran"}
    for row in case["contenders"].values():
        assert row["per_cpu_second"]["least"] > 0
        assert row["check"]["agrees"]
    spread = case["ratios"]["numpy"]
    assert spread["least"] <= spread["median"] <= spread["greatest"]
    assert (case["flagged"], case["floor"]) == ([], None)
    assert document["no_limits"] == "not in this test"
    assert document["schema"] == "sgtheory.benchmark-cpu/1"


def full(document):
    """The same with everything that a whole run has: a limit, growth, somebody absent."""
    (case,) = document["cases"]
    spread = {"median": 0.5, "least": 0.4, "greatest": 0.6}
    parts = {"words": 2e-10, "normals": 4e-10, "multiply-adds": 2e-11}
    absent = {"status": "absent", "chains": 1, "steps": 1, "reason": "No module named 'jax'"}
    known = (
        "clock_hz",
        "fma_f32",
        "fma_f64",
        "words",
        "box_muller_f32",
        "box_muller_f64",
        "triad_bytes",
    )
    rows = [
        {
            "along": "D", "D": D, "chains": 64, "steps": 10, "compile": 0.1, "of_limit": 0.5,
            "per_cpu_second": {"median": 1e9 / D**2, "least": 1e8, "greatest": 1e9},
            "fma_per_cpu_second": 2e9,
        }
        for D in (16, 32)
    ]  # fmt: skip
    floor = {"seconds_a_chain_step": 6.2e-10, "parts": parts, "ours": spread}
    contenders = case["contenders"] | {"jax": absent}
    return document | {
        "no_limits": None,
        "limits": dict.fromkeys(known, 1e9),
        "contenders": document["contenders"] | {"jax": "JAX"},
        "cases": [case | {"floor": floor, "contenders": contenders}],
        "growth": [*rows, {"along": "D", "D": 64, "chains": 64, "steps": 9, "failed": "too slow"}],
        "growth_exponent": 2.0,
    }


def test_the_page_shows_all_of_it(document, tmp_path):
    source = tmp_path / "cpu.json"
    source.write_text(json.dumps(full(document)))
    assert main([str(source)]) == 0
    text = source.with_suffix(".html").read_text()
    assert text.count("<svg") == 3
    assert "No module named" in text
    assert "too slow" in text
    assert "50 %" in text
    assert "prefers-color-scheme" in text
    assert not [word for word in ("<script", 'src="http', "url(http") if word in text]
    assert "Yes. Every mean" in text


def test_the_page_says_who_is_wrong_and_what_was_not_measured(document):
    (case,) = document["cases"]
    text = html(document | {"cases": [case | {"flagged": ["numpy"]}]})
    assert "No: NumPy (SFC64) on W5 in float32." in text
    assert "not in this test" in text


def test_the_driver_exits_with_1_where_somebody_is_wrong(document, monkeypatch, capsys):
    (case,) = document["cases"]
    for flagged, status in (([], 0), (["numpy"], 1)):
        found = document | {"cases": [case | {"flagged": flagged}]}
        monkeypatch.setattr(cpu, "measure", lambda plan, found=found: found)
        assert cpu.main(["--quick"]) == status
    assert "NOT THE LAW: W5 float32 numpy" in capsys.readouterr().err


def test_a_misspelt_name_is_refused():
    with pytest.raises(SystemExit, match="expected some of W1"):
        cpu.main(["--only", "W9"])
    with pytest.raises(SystemExit, match="at least one round"):
        cpu.main(["--rounds", "-1"])
    assert main([]) == 2
