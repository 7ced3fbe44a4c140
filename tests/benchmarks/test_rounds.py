"""Ratios within rounds, and shares of the limit."""

import doctest
import statistics

import pytest

import benchmarks.contenders
from benchmarks import growth, page, plots, rounds, workloads
from benchmarks.rounds import Timed, fraction, rates, ratios

SLOW = (1.0, 5.0, 1.0, 1.0, 3.0)  # how much slower the whole machine is in each round


def runs():
    """We are four times as fast in every round, and run ten times the work."""
    for r, slow in enumerate(SLOW):
        yield Timed(r, "theirs", 100, wall=1.0 * slow, cpu=2.0 * slow)
        # a machine that slows down in the middle of a round hits one of the two only
        yield Timed(r, "ours", 1000, wall=2.5 * slow, cpu=5.0 * slow * (3 if r == 3 else 1))


def test_a_ratio_is_taken_within_a_round():
    found = ratios(list(runs()))
    assert set(found) == {"theirs"}
    assert found["theirs"].median == pytest.approx(4)
    assert found["theirs"].least == pytest.approx(4 / 3)
    of_medians = statistics.median(100 / (2 * s) for s in SLOW)
    assert rates(list(runs()))["theirs"]["per_cpu_second"]["median"] == of_medians


def test_medians_of_rates_would_say_something_else():
    ours = [Timed(r, "ours", 10, 1, s) for r, s in enumerate((1, 1, 10))]
    theirs = [Timed(r, "theirs", 10, 1, s) for r, s in enumerate((2, 20, 20))]
    assert ratios([*ours, *theirs])["theirs"].median == 2
    found = rates([*ours, *theirs])
    medians = [found[n]["per_cpu_second"]["median"] for n in ("ours", "theirs")]
    assert medians[0] / medians[1] == 20


def test_rounds_in_which_one_has_failed_do_not_count():
    some = [r for r in runs() if (r.contender, r.round) not in (("ours", 3), ("theirs", 0))]
    assert ratios(some)["theirs"].least == pytest.approx(4)
    assert ratios([r for r in some if r.contender == "theirs"]) == {}


def test_the_share_of_the_limit_is_that_of_its_own_round():
    floors = {r: 0.0025 * slow for r, slow in enumerate(SLOW)}
    share = fraction(list(runs()), floors)
    assert share.median == pytest.approx(0.5)
    assert fraction(list(runs()), {}) is None


@pytest.mark.parametrize("module", [growth, page, plots, rounds, workloads, benchmarks.contenders])
def test_examples(module):
    found = doctest.testmod(module)
    assert (found.failed, found.attempted > 0) == (0, True)


class Scripted:
    """A process that answers what was prepared."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def ask(self, request, timeout):
        self.asked.append(request)
        return self.answers.pop(0)


def test_growth_counts_multiply_adds_and_says_what_did_not_run():
    runs = [{"wall": 1.0, "cpu": cpu, "compile": 0.5} for cpu in (9.0, 2.0, 1.0, 4.0)]
    point = growth.Point("D", 8, 1_000, 10)
    process = Scripted(*runs)
    row = growth.measure(process, point, (), 1)
    assert row["per_cpu_second"]["median"] == 5_000  # the first call is not counted
    assert row["fma_per_cpu_second"] == 5_000 * 2 * 8 * 8
    assert (row["of_limit"], row["compile"]) == (None, 0.5)
    assert [r["do"] for r in process.asked] == ["make", "run", "run", "run"]
    late = growth.measure(Scripted({"failed": "no answer within 1 s"}), point, (), 1)
    assert late["failed"] == "no answer within 1 s"
    assert "per_cpu_second" not in late
