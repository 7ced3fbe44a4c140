"""The protocol between the driver and the contenders' processes."""

import io
import json
import sys

import numpy as np

from benchmarks.contenders import Answer, Contender, NotApplicable, contenders
from benchmarks.contenders.__main__ import serve
from benchmarks.process import Process, processes
from benchmarks.workloads import linear, signed_rows, workload, workloads

SIZE = {"chains": 64, "steps": 3, "seed": 1}
MAKE = {"do": "make", "workload": "W5", **SIZE}


def answers(contender, *requests):
    said = io.StringIO()
    serve(contender, "float32", map(json.dumps, requests), said)
    return [json.loads(line) for line in said.getvalue().splitlines()]


def counted(make, needs=("numpy",)):
    return Contender("one", "One", needs, make)


def ones(work, dtype):
    return lambda chains, steps, seed: Answer(np.ones(work.D), np.eye(work.D) * steps)


def test_what_is_made_is_run():
    made, run = answers(counted(ones), MAKE, {"do": "run", **SIZE, "steps": 7})
    assert (made["covariance"], run["covariance"]) == ([[3.0]], [[7.0]])
    assert made["versions"] == {"numpy": np.__version__}
    assert 0 <= run["wall"] == run["call_wall"]


def test_a_contender_may_say_how_long_its_run_took():
    def make(work, dtype):
        return lambda chains, steps, seed: Answer(np.ones(1), np.eye(1), wall=0.25, cpu=0.5)

    (made,) = answers(counted(make), MAKE)
    assert (made["wall"], made["cpu"]) == (0.25, 0.5)
    assert made["call_wall"] < 0.25


def test_a_missing_library_is_absence_and_no_crash():
    (made,) = answers(counted(ones, ("no_such_library",)), MAKE)
    assert "no_such_library" in made["absent"]


def test_refusals_and_failures_are_told_apart():
    def refuse(work, dtype):
        raise NotApplicable("no such thing")

    def fail(work, dtype):
        raise ZeroDivisionError("oh")

    assert answers(counted(refuse), MAKE) == [{"not_applicable": "no such thing"}]
    assert answers(counted(fail), MAKE) == [{"failed": "ZeroDivisionError: oh"}]
    assert "failed" in answers(counted(ones), {"do": "run", **SIZE})[0]


def test_processes_answer_and_say_how_they_ended():
    with processes(sys.executable, ("numpy", "nobody"), "float64") as opened:
        found = opened["numpy"].ask(MAKE, 60)
        again = opened["numpy"].ask({"do": "run", **SIZE}, 60)
        assert found["mean"] == again["mean"]
        assert "nobody" in opened["nobody"].ask(MAKE, 60)["failed"]
        assert opened["nobody"].ask(MAKE, 60) == {"failed": "ended before"}
    assert opened["numpy"].ended


def test_who_is_too_late_is_stopped(tmp_path):
    late = Process(sys.executable, "numpy", "float64", str(tmp_path))
    assert late.ask(MAKE, 0.001) == {"failed": "no answer within 0.001 s"}
    assert late.ended


def test_all_files_are_found_and_know_how_many_steps_they_run():
    found = contenders()
    assert set(found) >= {"ours", "numpy", "numba", "jax", "jax_batch", "jax_best", "blackjax"}
    assert found["ours"].steps(workload("W1")) == 1_000
    for contender in found.values():
        for work in workloads().values():
            assert 20 <= contender.steps(work) <= 1_000
            assert contender.steps(work.quick()) == 20


def test_the_numbers_are_what_the_problem_says():
    from benchmarks.workloads import problem

    for code in ("W1", "W2", "W3", "W5"):
        work = workload(code)
        posed, numbers = problem(work), linear(work.D)
        given = {k: np.array(m, float) for k, m in posed.matrices.items()}
        np.testing.assert_allclose(given["C"], numbers.B @ numbers.B.T, rtol=1e-12, atol=1e-14)
        assert (given["A"] == numbers.A).all()
    assert np.linalg.norm(numbers.A - 1) == 0  # in one dimension
    rows = signed_rows()
    assert rows.shape == (10_000, 10)
    assert np.linalg.matrix_rank(rows) == 10
