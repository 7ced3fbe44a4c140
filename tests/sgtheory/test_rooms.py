"""A project may have folders called like our packages: its tests and scripts and our command start."""

import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from sgtheory.errors import UnusableInput
from sgtheory.rooms import ROOMS, ours

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path):
    for room in ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("OWN = True\n", encoding="utf-8")
        (tmp_path / room / "mine.py").write_text("VALUE = 7\n", encoding="utf-8")
    return tmp_path


def run(project, *command, **variables):
    env = os.environ | {"PYTHONPATH": str(ROOT), "HYPOTHESIS_NO_PLUGINS": "1"} | variables
    command = [sys.executable, *command]
    return subprocess.run(command, capture_output=True, text=True, cwd=project, env=env, check=False)


# whatever was announced when this environment was made
PLUGIN = ("-p", "no:sgtheory", "-p", "sgtheory.pytest_plugin", "-p", "no:cacheprovider")
USES = """
import reports.mine, simulators.mine, verification.mine

def test_own():
    assert reports.OWN and simulators.mine.VALUE == verification.mine.VALUE == reports.mine.VALUE

def test_not_asking(request):
    assert request.config.getini("sgtheory_false_alarm") == "1e-6"
"""
ASKS = "def test_asks(theorem): theorem(bool, None)\n"


def test_what_others_start_is_announced_in_the_one_package_that_is_ours_alone():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    places = [told["scripts"], *(told["entry-points"][k] for k in ("pytest11", "hypothesis"))]
    assert all(v.startswith("sgtheory.") for place in places for v in place.values())


def test_pytest_of_a_project_with_such_folders_runs(project):
    (project / "test_own.py").write_text(USES, encoding="utf-8")
    done = run(project, "-m", "pytest", "-q", *PLUGIN)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_a_fixture_says_in_a_line_that_ours_is_shadowed(project):
    (project / "test_asks.py").write_text(ASKS, encoding="utf-8")
    done = run(project, "-m", "pytest", "-q", *PLUGIN)
    assert "sgtheory's own package verification" in done.stdout, done.stdout + done.stderr
    assert "which has its name" in done.stdout
    assert "Traceback" not in done.stdout


def test_hypothesis_of_such_a_project_starts(project):
    code = "import hypothesis, verification; from sgtheory.hypothesis_types import register; register()"
    done = run(project, "-c", f"{code}; assert verification.OWN")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", [str(ROOT), f".{os.pathsep}{ROOT}"])
@pytest.mark.strong
def test_the_command_runs_in_such_a_folder(project, path):
    done = run(project, "-m", "sgtheory", "list", "papers", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert "mandt2017" in done.stdout


def test_workers_of_the_command_have_our_packages(project):
    """They are started with the parent's path, on which the folders of the project are first."""
    code = (
        "from sgtheory.command import main\n"
        "from sgtheory.rooms import ours\n"
        "if __name__ == '__main__':\n"
        "    print(*ours('verification.judging.processes').each(pow, [(2, 3), (3, 2)], 2))\n"
    )
    (project / "start.py").write_text(code, encoding="utf-8")
    done = run(project, "start.py")
    assert done.stdout.split() == ["8", "9"], done.stderr


def test_scripts_of_the_project_see_their_own(project):
    (project / "script.py").write_text("import sgtheory, reports.mine\nprint(reports.mine.VALUE)\n")
    assert run(project, "script.py").stdout == "7\n"


def test_the_names_are_ours_here():
    assert ours("reports.document").Page.__name__ == "Page"
    with pytest.raises(ModuleNotFoundError):
        ours("reports.no_such_module")


def test_what_is_not_ours_is_told(monkeypatch):
    import types

    stranger = types.ModuleType("simulators")
    stranger.__spec__ = None
    monkeypatch.setitem(sys.modules, "simulators", stranger)
    with pytest.raises(UnusableInput, match="its name"):
        ours("simulators.philox")


def test_the_installed_script_is_the_command():
    script = Path(sysconfig.get_path("scripts")) / "sgtheory"
    if not script.exists():
        pytest.skip("sgtheory is not installed here")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("sgtheory ")


COMMAND = ("-c", "from sgtheory.command import main; main()")


def test_without_docstrings_there_is_one_line(tmp_path):
    done = run(tmp_path, "-OO", *COMMAND, "list", "samplers")
    said = "sgtheory: expected Python with its docstrings; got python -OO; unset PYTHONOPTIMIZE\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


@pytest.mark.parametrize("module", ["__init__.py", "commands/list_.py"])
def test_half_a_compiled_file_is_one_line(tmp_path, module):
    """Python renames what a full disk took of a compiled file, and reads it at every later import."""
    kept = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled"), "PYTHONPATH": str(ROOT)}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    words = [sys.executable, *COMMAND, "list", "no such"]
    whole = subprocess.run(words, env=kept, capture_output=True, text=True, check=False)
    assert "no such" in whole.stderr
    (path,) = (tmp_path / "compiled").rglob(f"reports/terminal/{module[:-3]}.*.pyc")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    half = subprocess.run(words, env=kept, capture_output=True, text=True, check=False)
    assert half.returncode == 2
    assert half.stderr.startswith("sgtheory: expected a whole compiled file; got ")
    assert half.stderr.count("\n") == 1
    path.unlink()
    again = subprocess.run(words, env=kept, capture_output=True, text=True, check=False)
    assert again.stderr == whole.stderr
