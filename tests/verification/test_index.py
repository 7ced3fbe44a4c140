"""The index: made by a scan, read without SymPy, and never of what has changed since."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from types import MappingProxyType

import pytest

from sgtheory import registry
from sgtheory.files import keeper
from verification.library import index
from verification.library.listing import SCANS


@pytest.fixture
def kept_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("SGTHEORY_CACHE", str(tmp_path / "kept"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_rows_are_those_of_the_scan_whether_kept_or_not(kept_apart, monkeypatch):
    scans = []
    counted = {kind: lambda kind=kind: scans.append(kind) or SCANS[kind]() for kind in SCANS}
    monkeypatch.setattr("verification.library.listing.SCANS", counted)
    for kind in ("samplers", "models"):
        first, second = index.rows(kind), index.rows(kind)
        assert first == second == json.loads(json.dumps(SCANS[kind]()))
    assert scans == ["samplers", "models"]  # the second time nothing was scanned


def test_kinds_are_those_that_are_scanned_and_listed():
    from reports.terminal.commands.list_ import KINDS

    assert tuple(SCANS) == index.KINDS == tuple(KINDS)


@pytest.mark.parametrize("changed", ["sources", "sympy"])
def test_what_it_is_made_from_changes_and_it_is_made_anew(kept_apart, monkeypatch, changed):
    index.rows("models")
    asked = []
    monkeypatch.setattr("verification.library.listing.SCANS", {"models": lambda: asked.append(1) or []})
    assert index.rows("models")
    assert not asked
    now = {**index.versions(), changed: "another"}
    monkeypatch.setattr(index, "versions", lambda: now)
    assert index.rows("models") == []
    assert asked


def test_a_plug_in_that_is_changed_is_read_anew(kept_apart, monkeypatch, tmp_path):
    package = tmp_path / "theirs"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "steps.py").write_text("raise RuntimeError('never imported for a hash')")
    monkeypatch.syspath_prepend(str(tmp_path))
    entry = EntryPoint("theirs", "theirs.steps:STEP", "sgtheory.samplers")
    monkeypatch.setattr(index, "announced", lambda group, own: MappingProxyType({"theirs": entry}))
    before = index.of_plugins()
    (package / "steps.py").write_text("STEP = 2")
    after = index.of_plugins()
    (package / "numbers.json").write_text("{}")
    assert before != after != index.of_plugins()
    assert "theirs" not in sys.modules


def test_of_a_broken_plug_in_nothing_is_kept(kept_apart, monkeypatch):
    known = (*registry.names("samplers"), "broken")
    monkeypatch.setattr(
        registry, "names", lambda family: known if family == "samplers" else registry.own(family)
    )
    monkeypatch.setattr("verification.library.listing.SCANS", {"models": list})
    index.rows("models")
    assert not list(keeper.used().glob("index/*"))


@pytest.mark.parametrize("asked", [["list", *kind] for kind in ([], ["samplers"], ["models"])])
def test_a_list_that_is_kept_imports_no_sympy(asked):
    """What takes the time is not measured but counted: modules that are imported."""
    for kind in asked[1:]:
        index.rows(kind)
    script = (
        "import sys\nfrom reports.terminal import cli\n"
        f"cli.main(args={asked!r}, standalone_mode=False)\n"
        "print('imported', sorted({'sympy', 'numpy', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported []"
    assert len(done.stdout.splitlines()) > 5


@pytest.mark.parametrize("unknown", ["nonsense", "mandt2017.eq99"])
def test_a_claim_that_there_is_not_is_told_without_sympy(kept_apart, monkeypatch, unknown):
    row = {"name": "mandt2017.eq9", "title": ""}
    monkeypatch.setattr("verification.library.listing.SCANS", {"claims": lambda: [row]})
    index.rows("claims")
    script = (
        "import sys\nfrom reports.terminal import cli\n"
        f"try: cli.main(args=['verify', {unknown!r}], standalone_mode=False)\n"
        "except ValueError as error: print(error)\n"
        "print('imported', sorted({'sympy', 'numpy', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    told, imported = done.stdout.splitlines()
    assert unknown in told
    assert imported == "imported []"


def test_help_and_completion_import_no_numbers():
    for script in (
        "from reports.terminal import cli; cli.main(args=['--help'], standalone_mode=False)",
        "from reports.terminal.common import complete_target; complete_target(None, None, 'man')",
    ):
        more = "; import sys; print(sorted({'sympy', 'numpy', 'scipy', 'rich'} & set(sys.modules)))"
        done = subprocess.run(
            [sys.executable, "-c", script + more], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"
