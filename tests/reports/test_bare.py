"""A report needs nothing but the runtime dependencies: whatever is optional cannot be imported here."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import bare

ROOT = Path(__file__).parents[2]


def run(code, timeout=600):
    return subprocess.run(
        [sys.executable, "-m", "tests.bare", code],
        capture_output=True, text=True, cwd=ROOT, timeout=timeout, check=False,
    )  # fmt: skip


def test_the_bare_environment_refuses_what_extras_install():
    assert {"hypothesis", "pytest", "xdist"} <= bare.refused()
    assert not {"sympy", "mpmath", "numpy", "quickjs", "sgtheory", "reports"} & bare.refused()
    done = run("import sympy, hypothesis")
    assert "No module named 'hypothesis'" in done.stderr


@pytest.mark.strong
def test_every_module_of_the_pages_and_of_the_command_can_be_imported():
    code = (
        "import importlib, pkgutil, reports, sys\n"
        "for module in pkgutil.walk_packages(reports.__path__, 'reports.'):\n"
        "    if not module.name.endswith('__main__'):\n"
        "        importlib.import_module(module.name)\n"
        "assert not {'hypothesis', 'pytest', 'dask', 'pyarrow', 'arviz', 'jax'} & set(sys.modules)\n"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_a_module_that_cannot_be_imported_is_told_from_its_source():
    code = (
        "from reports.reference.examples import documented\n"
        "from reports.document import Code, Note, Page\n"
        "from reports.emit import html\n"
        "blocks = documented('verification.strategies', ('problems', 'spd'))\n"
        "assert isinstance(blocks[0], Note)\n"
        "assert any(isinstance(b, Code) and 'minimal' in b.text for b in blocks)\n"
        "page = html.render(Page('p', 'P', tuple(blocks)))\n"
        "assert 'hypothesis' in page and 'sgtheory[test]' in page, page\n"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.strong
@pytest.mark.parametrize("room", ["sgtheory", "simulators", "verification", "reports"])
def test_the_reference_of_every_room_is_made(room):
    code = (
        "from reports.emit import html\n"
        "from reports.reference import room_page\n"
        f"assert len(html.render(room_page({room!r}))) > 10_000\n"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.strong
def test_every_claim_sampler_and_experiment_is_found():
    code = (
        "from sgtheory import registry\n"
        "from verification.library import select\n"
        "from reports.experiments import kept_results\n"
        "from reports.guide import guide_tasks\n"
        "assert len(select(())) > 900 and len(registry.samplers()) > 30\n"
        "assert len(kept_results()) > 20 and len(guide_tasks()) > 5\n"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
