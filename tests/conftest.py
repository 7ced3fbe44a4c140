"""Settings of the whole suite."""

from __future__ import annotations

import gc
import os
import re
from pathlib import Path

# Workers fill the cores already: where several share them, threads that wait for one another within a
# product of matrices take many times the product's own time. NumPy reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from tests.sgtheory.scanning import VARIANTS

settings.register_profile(
    "here",
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile("thorough", settings.get_profile("here"), max_examples=500)
settings.load_profile("here")  # --hypothesis-profile=thorough looks longer

# Formulas are kept for the whole run, and a collector that looks at them all again and again takes a
# sixth of its time.
gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session", autouse=True)
def kernel_cache(tmp_path_factory):
    """Kernels of a test run go to one folder of its own, for all workers, unless one is named."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        if "SGTHEORY_CACHE" not in os.environ:
            patch.setenv("SGTHEORY_CACHE", str(folder / "kernels"))
        yield


SAMPLERS = {p.stem for p in (Path(__file__).parents[1] / "sgtheory" / "samplers").glob("[!_]*.py")}
CLAIM = re.compile(r"[a-z]+\d{4}\.\w[\w.]*")
FORMULAS = ("tests/sgtheory/", "tests/reports/")  # what these derive is kept while a process lasts
WHOLE = (
    "tests/simulators/test_cluster.py",  # starts processes once for a file
    "tests/reports/test_making.py",  # judges claims once
    "tests/test_architecture.py",  # reads the sources once
)


def kin(nodeid: str) -> str:
    """What a test shares work with: the formulas of a sampler, the finding on a claim, or its function.

    >>> kin("tests/sgtheory/test_symbolic.py::test_tidy[underdamped:OBABO-discrete]")
    'underdamped'
    """
    path, _, test = nodeid.partition("::")
    if path in WHOLE:
        return path
    function, _, values = test.rstrip("]").partition("[")
    for value in values.split("-"):
        if path.startswith(FORMULAS) and value.partition(":")[0] in SAMPLERS:
            return value.partition(":")[0]
        if CLAIM.fullmatch(value):
            return value
    return f"{path}::{function}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What is derived of variants is tested with -m long; their laws in numbers, always."""
    for item in items:
        if kin(item.nodeid) in VARIANTS and "test_numeric" not in item.nodeid:
            item.add_marker(pytest.mark.long)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A worker takes together what is akin: what one of them has found, another has not."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByKin(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return kin(nodeid)

    return ByKin(config, log)
