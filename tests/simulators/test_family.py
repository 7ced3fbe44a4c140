"""Many problems in one call: each is what it would be alone."""

import numpy as np
import pytest

from sgtheory import Problem, registry
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
from sgtheory.setting import Setting
from simulators.ensemble import simulate
from simulators.family import simulate_family

MOMENTUM = registry.sampler("momentum")


def problem(seed, D=2, **more):
    rng = np.random.default_rng(seed)
    g, h = rng.integers(-3, 4, (2, D, D))
    eye = np.eye(D, dtype=int)
    content = {"hessian": (g @ g.T + 3 * eye).tolist(), "noise": (h @ h.T + eye).tolist(), "N": 10}
    params = {"eps": f"1/{rng.integers(60, 90)}", "mu": f"1/{rng.integers(2, 5)}"}
    return Problem.of(content | {"S": int(rng.integers(1, 5)), "params": params | more})


def family(problems, **options):
    setting = Setting(MOMENTUM, problems[0].model)
    return simulate_family(setting, [p.values(MOMENTUM) for p in problems], **options)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_is_the_ensemble_that_it_would_be_alone(dtype):
    problems = [problem(k) for k in range(7)]
    runs = family(problems, chains=700, steps=13, dtype=dtype, seeds=range(20, 27))
    for k, (p, run) in enumerate(zip(problems, runs, strict=True)):
        alone = simulate(
            Setting(MOMENTUM, p.model),
            p.values(MOMENTUM),
            chains=700,
            steps=13,
            seed=20 + k,
            dtype=dtype,
        )
        assert run.digest == alone.digest
    assert len({run.digest for run in runs}) == len(runs)


def test_a_gain_in_one_of_them_is_not_dropped_in_it():
    problems = [problem(0), problem(1, H=[[2, 0], [0, 1]])]
    runs = family(problems, chains=30_000, steps=40)
    for p, run in zip(problems, runs, strict=True):
        exact = law("momentum", p, at=40).covariance["theta", "theta"]
        error = run.standard_error["covariance"]["theta,theta"]
        assert (np.abs(run.covariance["theta,theta"] - exact) < 7 * error).all()
    crossed = law("momentum", problems[0], at=40).covariance["theta", "theta"]
    error = runs[1].standard_error["covariance"]["theta,theta"]
    assert (np.abs(runs[1].covariance["theta,theta"] - crossed) > 7 * error).any()


def test_results_do_not_depend_on_threads():
    problems = [problem(k) for k in range(5)]
    one, two = (family(problems, chains=300, steps=9, threads=n) for n in (1, 2))
    assert [r.digest for r in one] == [r.digest for r in two]


def test_progress_counts_all_of_them():
    seen = []
    family([problem(k) for k in range(3)], chains=64, steps=5, progress=lambda *p: seen.append(p))
    assert seen[-1] == (3 * 64 * 5, 3 * 64 * 5)


def test_problems_that_do_not_fit_together_are_refused():
    with pytest.raises(UnusableInput, match="agree in the dimension"):
        family([problem(0), problem(1, D=3)])
    with pytest.raises(UnusableInput, match="at least one problem"):
        simulate_family(Setting(MOMENTUM, problem(0).model), [])
    with pytest.raises(UnusableInput, match="seed to each"):
        family([problem(0)], seeds=[1, 2])


def test_the_shim_gives_the_processors_bits(tools, host_engine):
    from simulators.cpu.engine import CpuEngine
    from simulators.ensemble import run
    from simulators.family import bound_alike

    problems = [problem(k) for k in range(3)]
    setting = Setting(MOMENTUM, problems[0].model)
    bounds = bound_alike(setting, [p.values(MOMENTUM) for p in problems], "float32")
    first, theirs = CpuEngine(bounds[0], 1), host_engine(bounds[0])
    for k, b in enumerate(bounds):
        digests = {run(b, e.rebound(b), 200, 7, k).digest for e in (first, theirs)}
        assert len(digests) == 1
