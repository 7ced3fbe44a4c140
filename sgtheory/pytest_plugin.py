"""A pytest plugin: samplers against their exact laws, under one false-alarm budget for the whole run.

Installed with sgtheory; costs nothing where it is not used, and imports no other package of ours until
then, so that a project may have folders of the same names. A test asks for the fixture (``problems`` is
``verification.strategies.problems``):

    @pytest.mark.ensemble(effect=0.02, power=0.99)
    def test_momentum(ensembles):
        ensembles.check("momentum", problems("momentum", dims=(1, 4)), count=200, steps=16)

    def test_my_step(assert_samples_law):  # a step of one's own against the law that it should have
        assert_samples_law(my_step, like="sgld")

    def test_the_law_is_symmetric(theorem):
        theorem(lambda p: p.matrices["A"] == tuple(zip(*p.matrices["A"])), problems("sgd"))

Two hundred random problems are drawn and simulated in one batch. If one fails, the smallest that does is
sought, written to a file that ``sgtheory law`` reads, and the command is printed. The configuration
``sgtheory_false_alarm`` (1e-6) bounds the probability that a run with nothing wrong fails anywhere; see
``verification.properties.budget`` for how it is divided. Seeds are fresh at every run and printed;
``--sgtheory-seed`` repeats a run. Works alike under pytest-xdist.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sgtheory.errors import UnusableInput
from sgtheory.rooms import ours

_SHARING = {"ensembles", "assert_samples_law"}  # fixtures that take a share of the budget
_MARKER = (
    "ensemble(false_alarm=None, effect=0.05, power=0.99): its sampling fixtures may raise a false"
    " alarm with this probability (a share of sgtheory_false_alarm unless given), and finds a relative"
    " error of this size in a variance with this power"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The budget and where failures go, as configuration; the seed as an option."""
    parser.addini("sgtheory_false_alarm", "probability of any false alarm in a run", default="1e-6")
    parser.addini("sgtheory_failures", "folder for failing problems", default=".sgtheory/failures")
    group = parser.getgroup("sgtheory")
    group.addoption("--sgtheory-seed", type=int, metavar="N", help="repeat a run of ensembles")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known and begin the account of this run."""
    config.addinivalue_line("markers", _MARKER)
    config.pluginmanager.register(Run(config), "sgtheory-run")


class Run:
    """The account of one run: its seed, the share of every test, and what was spent."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        given = config.getoption("--sgtheory-seed")
        fresh = secrets.randbits(32) if given is None else int(given)
        self.seed: int = fresh if self.worker is None else self.worker["sgtheory_seed"]
        self.demands: dict[str, Any] = {}
        self.spent: dict[str, list[dict[str, Any]]] = {}
        self.refused = ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Under xdist: all workers have the seed of the run."""
        node.workerinput["sgtheory_seed"] = self.seed

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Divide the budget: every worker has collected the same tests, so all divide it alike."""
        items = [i for i in session.items if _is_ours(i)]
        if not items:
            return
        try:
            self.demands = self._divided(items)
        except UnusableInput as error:
            if self.worker is None:
                raise pytest.UsageError(f"sgtheory: {error}") from None
            session.items.clear()  # nothing is run, and the controller says why
            session.config.workeroutput["sgtheory_refused"] = str(error)  # type: ignore[attr-defined]

    def _divided(self, items: list[pytest.Item]) -> dict[str, Any]:
        budgets = ours("verification.properties.budget")
        demands = {}
        for item in items:
            marker = item.get_closest_marker("ensemble")
            demands[item.nodeid] = (
                budgets.Demand.read(marker.args, marker.kwargs) if marker else budgets.Demand()
            )
        budget = budgets.read_budget(self.config.getini("sgtheory_false_alarm"))
        shares = budgets.split({name: d.false_alarm for name, d in demands.items()}, budget)
        return {name: replace(d, false_alarm=shares[name]) for name, d in demands.items()}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """Under xdist: hear why a worker ran nothing."""
        self.refused = getattr(node, "workeroutput", {}).get("sgtheory_refused", self.refused)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather what tests have spent; it comes with their reports, from workers too."""
        if report.when == "call":
            found = [value for name, value in report.user_properties if name == "sgtheory"]
            if found:
                self.spent[report.nodeid] = found  # type: ignore[assignment]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """An overdrawn budget is a usage error under xdist too."""
        if self.refused:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The budget, what was spent of it, and the smallest effect that was resolved."""
        if self.refused:
            terminalreporter.write_line(f"ERROR: sgtheory: {self.refused}", red=True)
        if not self.spent:
            return
        checks = [check for found in self.spent.values() for check in found]
        terminalreporter.write_sep("-", "sgtheory")
        terminalreporter.write_line(
            f"false-alarm budget {float(self.config.getini('sgtheory_false_alarm')):g},"
            f" spent {sum(c['spent'] for c in checks):.3g}"
            f" by {len(checks)} checks of {sum(c['problems'] for c in checks)} random problems"
        )
        best, least = (pick(checks, key=lambda c: c["resolution"]) for pick in (min, max))
        terminalreporter.write_line(
            f"smallest effect resolved: {best['resolution']:.3g} with probability {best['power']:g};"
            f" in every check: {least['resolution']:.3g} with probability {least['power']:g}"
        )
        terminalreporter.write_line(f"seed {self.seed}")


def _is_ours(item: pytest.Item) -> bool:
    asked = _SHARING & set(getattr(item, "fixturenames", ()))
    return bool(asked) or item.get_closest_marker("ensemble") is not None


def _fixtures(module: str) -> Any:
    """What does the work; a test of a project that has a folder of the same name hears of it."""
    try:
        return ours(f"verification.properties.{module}")
    except UnusableInput as error:
        pytest.fail(f"sgtheory: {error}", pytrace=False)


def _run(request: pytest.FixtureRequest) -> Run:
    found = request.config.pluginmanager.get_plugin("sgtheory-run")
    assert isinstance(found, Run)
    return found


def _test(request: pytest.FixtureRequest) -> Any:
    folder = Path(request.config.rootpath) / request.config.getini("sgtheory_failures")
    return _fixtures("fixtures").Test(request.node.nodeid, _run(request).seed, folder)


def _demand(request: pytest.FixtureRequest) -> Any:
    """The share of the test that asks; tests that ask at run time come too late for one."""
    demand = _run(request).demands.get(request.node.nodeid)
    if demand is None:
        name = request.fixturename
        pytest.fail(
            f"expected a test that asks for '{name}' by name or is marked 'ensemble'; got a request"
            " at run time, too late for a share of the budget; mark it with pytest.mark.ensemble",
            pytrace=False,
        )
    return demand


def _record(request: pytest.FixtureRequest) -> Callable[[dict[str, Any]], None]:
    properties = request.node.user_properties
    return lambda spent: properties.append(("sgtheory", spent))


@pytest.fixture
def ensembles(request: pytest.FixtureRequest) -> Any:
    """Samplers against their exact laws on random problems: ``ensembles.check(sampler, strategy)``."""
    return _fixtures("fixtures").Ensembles(_test(request), _demand(request), _record(request))


@pytest.fixture
def assert_samples_law(request: pytest.FixtureRequest) -> Any:
    """A sampler of one's own against its exact law: ``assert_samples_law(step, like="sgld")``."""
    return _fixtures("foreign").SamplesLaw(_test(request), _demand(request), _record(request))


@pytest.fixture
def theorem(request: pytest.FixtureRequest) -> Any:
    """A property of every random problem, in exact numbers: ``theorem(holds, strategy)``."""
    return _fixtures("fixtures").Theorem(_test(request))
