"""Many problems and many steps: the parts of the GPU check that look at families and recordings.

Both have the processor's bits, and a rate beside that of one problem from which nothing is recorded.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.kernels import bound_of, problem_of

if TYPE_CHECKING:
    from benchmarks.gpu import Check

DTYPES = ("float32", "float64")


def family_of(sampler: str, D: int, dtype: str, count: int) -> list[Any]:
    """Problems that differ in their step and so in all constants, bound alike."""
    from sgtheory import registry
    from sgtheory.setting import Setting
    from simulators.family import bound_alike

    declared = registry.sampler(sampler)
    problems = [problem_of(D, {"eps": f"1/{20 + k}", "mu": "3/10"}) for k in range(count)]
    setting = Setting(declared, problems[0].model)
    return bound_alike(setting, [p.values(declared) for p in problems], dtype)


def families(check: Check) -> dict[str, Any]:
    """Problems in one launch: the bits of each, and chain-steps a second beside taking turns."""
    rows = [_family_agrees(check, *case) for case in (("momentum", 3), ("sgld", check.size(10, 1)))]
    rates = [_family_rate(check, dtype) for dtype in DTYPES[: check.size(2, 1)]]
    return {"passed": all(r["same_bits"] for r in rows), "agreement": rows, "rates": rates}


def _family_agrees(check: Check, sampler: str, D: int) -> dict[str, Any]:
    from simulators.cpu.engine import CpuEngine
    from simulators.ensemble import run

    same, chains = 0, check.size(5_000, 200)
    for dtype in DTYPES:
        family = family_of(sampler, D, dtype, 7)
        found = _together(check, family, chains, 57)
        first = CpuEngine(family[0], 4)
        ours = [run(b, first.rebound(b), chains, 57, seed=k) for k, b in enumerate(family)]
        same += sum(a.digest == b.digest for a, b in zip(ours, found, strict=True))
    problems = 7 * len(DTYPES)
    return {"sampler": sampler, "D": D, "same_bits": same == problems, "problems": problems}


def _together(check: Check, family: Sequence[Any], chains: int, steps: int) -> list[Any]:
    from simulators.cuda.family import FamilyEngine, ensembles
    from simulators.workers import Meter

    engine = FamilyEngine(family[0], check.device())
    return list(ensembles([engine], family, chains, steps, range(len(family)), Meter(0)))


def _family_rate(check: Check, dtype: str) -> dict[str, Any]:
    """W1 a thousand times; the same chains of one problem; and some of the problems one by one."""
    from simulators.cuda.engine import CudaEngine
    from simulators.ensemble import run

    count, chains, steps = check.size(1_000, 3), check.size(10_000, 128), check.size(1_000, 4)
    family = family_of("sgd", check.size(10, 2), dtype, count)
    for _ in range(2):  # the second counts
        seconds = sum(r.seconds for r in _together(check, family, chains, steps))
    one = CudaEngine(family[0], check.device())
    alone = min(run(family[0], one, count * chains, steps, seed=3).seconds for _ in range(2))
    some = family[: check.size(50, 2)]
    before = time.perf_counter()
    for bound in some:
        run(bound, one.rebound(bound), chains, steps, seed=3)
    turns = (time.perf_counter() - before) / len(some)
    return {
        "dtype": dtype, "problems": count, "chains": chains, "steps": steps,
        "chain_steps_per_second": count * chains * steps / seconds,
        "of_one_problem_with_all_chains": count * chains * steps / alone,
        "in_turns": chains * steps / turns,
    }  # fmt: skip


def recordings(check: Check) -> dict[str, Any]:
    """Statistics over steps: the processor's bits, and chain-steps a second beside recording nothing."""
    rows = [_recording_agrees(check, dtype) for dtype in DTYPES]
    rates = [_recording_rates(check, dtype) for dtype in DTYPES[: check.size(2, 1)]]
    return {"passed": all(r["same_bits"] for r in rows), "agreement": rows, "rates": rates}


def _recording_agrees(check: Check, dtype: str) -> dict[str, Any]:
    from simulators.cpu.engine import CpuEngine
    from simulators.cuda.engine import CudaEngine
    from simulators.ensemble import run
    from simulators.record import Histogram, Recording, lagged, moments

    wanted: list[Recording | Histogram] = [
        Recording(moments("theta", 3, 4), 20, 120, 4),
        Histogram("v", 1, -0.5, 0.5, 40, 1, 120),
        Recording((*moments("v", 3), *lagged("theta", 3, (0, 5, 40))), 41, 119, 3),
    ]
    bound, chains = bound_of("momentum", 3, dtype), check.size(50_000, 300)
    engines = CpuEngine(bound, 4), CudaEngine(bound, check.device())
    ours, theirs = (run(bound, e, chains, 120, seed=11, record=wanted) for e in engines)
    return {"dtype": dtype, "same_bits": ours.digest == theirs.digest, "numbers": len(ours.recorded)}


def _recording_rates(check: Check, dtype: str) -> dict[str, Any]:
    from simulators.cuda.engine import CudaEngine
    from simulators.ensemble import run
    from simulators.record import Histogram, Recording, lagged, moments

    D, chains, steps = check.size(10, 2), check.size(2**19, 128), check.size(1_024, 40)
    bound = bound_of("sgd", D, dtype)
    kinds: dict[str, list[Recording | Histogram]] = {
        "nothing": [],
        "moments to order 2, each step": [Recording(moments("theta", D), 1, steps)],
        "moments to order 4, every 32nd step": [Recording(moments("theta", D, 4), 32, steps, 32)],
        "products with lag 10, each step": [Recording(lagged("theta", D, (10,)), 11, steps)],
        "a histogram of 100 bins, each step": [Histogram("theta", 0, -1.0, 1.0, 100, 1, steps)],
    }
    engine, rates = CudaEngine(bound, check.device()), {}
    for name, wanted in kinds.items():
        seconds = [run(bound, engine, chains, steps, seed=3, record=wanted).seconds for _ in range(2)]
        rates[name] = chains * steps / seconds[-1]
    return {"dtype": dtype, "chains": chains, "steps": steps, "chain_steps_per_second": rates}
