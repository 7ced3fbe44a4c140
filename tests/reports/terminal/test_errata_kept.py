"""Errata that were made are said again at once, and only while they are what would be made."""

from __future__ import annotations

import subprocess
import sys

import pytest

SAY = """
import sys
from reports.terminal import main
try:
    main(sys.argv[1:])
finally:
    print("SymPy" if "sympy" in sys.modules else "no SymPy", file=sys.stderr)
"""


def _said(*words, folder):
    done = subprocess.run(
        [sys.executable, "-c", SAY, "errata", *words], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.splitlines()[-1]


@pytest.mark.strong
def test_kept_errata_need_no_sympy_and_are_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("SGTHEORY_CACHE", str(tmp_path / "kept"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    first, how = _said("mandt2017.eq25", folder=tmp_path)
    assert how == "SymPy"
    again, how = _said("mandt2017.eq25", folder=tmp_path)
    assert (again, how) == (first, "no SymPy")
    latex, how = _said("mandt2017.eq25", "--format", "latex", folder=tmp_path)
    assert how == "SymPy"
    assert latex != first
    _, how = _said("mandt2017.eq25", "--seed", "2", folder=tmp_path)
    assert how == "SymPy"
