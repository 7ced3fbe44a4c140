"""The whole GPU check in one command: ``python -m benchmarks.gpu [--out FILE]``, in about five minutes.

- every sampler, in float32 and float64, on the device and on the processor: sums equal to the bit,
  and the covariance that of the exact law at that finite step;
- chain-steps a second of W1, W2, W3 and W5, with exact and with fast normals, and what share that is
  of the bound that the kernels' own machine code sets (counted here, or as stored);
- fast normals beside exact ones, against the bound on their distance;
- minibatches of logistic regression (W4): bits and rates;
- a thousand problems in one launch, and statistics over steps: bits and rates;
- dimensions 256 to 4096 by matrix products; two engines as one; how long a launch takes;
- the tests that need a device.

What fails is written down and the rest goes on; a part that would end too late is left out and named.
Needs NumPy, SymPy, llvmlite, CuPy, pytest and hypothesis. ``--rehearse`` runs small sizes of it all on
the processor through the shim, which shows that the check works and measures nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import many, sass, workloads
from benchmarks.kernels import WORKLOADS, bound_of, exact_step, problem_for, wide

ROOT = Path(__file__).parent.parent
LIMIT = 510.0  # seconds for everything
KINDS = (("float32", "exact"), ("float32", "fast"), ("float64", "exact"))


@dataclass(frozen=True)
class Check:
    """Where it runs, how large, and until when."""

    device: Callable[[], Any]
    small: bool
    began: float = field(default_factory=time.perf_counter)

    def left(self) -> float:
        """Seconds that are left."""
        return LIMIT - (time.perf_counter() - self.began)

    def size(self, full: int, small: int) -> int:
        """A size, or that of a rehearsal."""
        return small if self.small else full


def machine(check: Check) -> dict[str, Any]:
    """What it ran on."""
    import platform

    found = {"python": platform.python_version(), "numpy": np.__version__}
    if check.small:
        return found | {"device": "rehearsal on the processor"}
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    name = properties["name"]
    return found | {
        "cupy": cupy.__version__,
        "device": name.decode() if isinstance(name, bytes) else str(name),
        "capability": cupy.cuda.Device(0).compute_capability,
        "multiprocessors": int(properties["multiProcessorCount"]),
        "clock": _clock(),
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "nvrtc": list(cupy.cuda.nvrtc.getVersion()),
    }


def _clock() -> float:
    """The largest clock of the device in Hz, by the attribute, or an H200's."""
    import cupy

    return float(cupy.cuda.Device(0).attributes.get("ClockRate", sass.CLOCK / 1e3)) * 1e3


def agreement(check: Check) -> dict[str, Any]:
    """Every sampler on both devices: equal to the bit, and within seven standard errors of its law."""
    from sgtheory.onestep.affine import is_affine
    from sgtheory.registry import model, samplers
    from sgtheory.setting import Setting

    rows, left = [], []
    for name in (n for n, s in samplers().items() if is_affine(Setting(s, model("quadratic")))):
        for dtype in ("float32", "float64"):
            if check.left() < 200:
                left.append(f"{name} {dtype}")
                continue
            rows.append({"sampler": name, "dtype": dtype} | _guarded(_agree, check, name, dtype))
    same = sum(r.get("same_bits", False) for r in rows)
    passed = all(r.get("passed", False) for r in rows) and not left
    return {"passed": passed, "same_bits": f"{same} of {len(rows)}", "left_out": left, "samplers": rows}


def _agree(check: Check, name: str, dtype: str) -> dict[str, Any]:
    from sgtheory.numbers.numeric import law
    from simulators.cpu.engine import CpuEngine
    from simulators.cuda.fleet import engine_on
    from simulators.ensemble import run

    problem, steps, chains = problem_for(name, 3), 57, check.size(100_000, 3000)
    bound = bound_of(name, 3, dtype, problem)
    engines = CpuEngine(bound, 4), engine_on([check.device()], bound, "exact")
    ours, theirs = (run(bound, e, chains, steps, seed=11) for e in engines)
    exact = law(name, problem, at=steps).covariance
    assert exact is not None
    worst, errors = 0.0, theirs.standard_error["covariance"]
    for (a, b), truth in exact.items():
        distance = np.abs(theirs.covariance[f"{a},{b}"] - truth)
        # what has no noise has no error, and is right to rounding
        scale = errors[f"{a},{b}"] + 1e-4 * np.abs(truth).max() + 1e-12
        worst = max(worst, float((distance / scale).max()))
    same = ours.digest == theirs.digest
    return {"passed": same and worst < 7, "same_bits": same, "worst_in_standard_errors": worst}


def rates(check: Check) -> dict[str, Any]:
    """Chain-steps a second, and the share of what instructions allow."""
    loops = _loops()
    rows = []
    for workload in WORKLOADS:
        for dtype, normals in KINDS:
            row = {"workload": workload, "dtype": dtype, "normals": normals}
            loop = loops["loops"][f"{workload} {dtype} {normals}"]
            rows.append(row | _guarded(_rate, check, workload, dtype, normals, loop))
    return {"passed": all("error" not in r for r in rows), "counts": loops["from"], "rates": rows}


def _loops() -> dict[str, Any]:
    """Counts of the kernels as they are compiled here, or the stored ones."""
    from benchmarks.toolchain import Toolchain

    toolchain = Toolchain.find()
    if not toolchain.missing():
        try:
            return {"from": f"compiler {toolchain.version()} here", "loops": sass.measured(toolchain)}
        except (OSError, RuntimeError, subprocess.SubprocessError, ValueError, KeyError):
            traceback.print_exc()
    stored = sass.stored()
    return {"from": f"compiler {stored['compiler']}, stored", "loops": stored["loops"]}


def _rate(check: Check, workload: str, dtype: str, normals: str, loop: sass.Loop) -> dict[str, Any]:
    from simulators.cuda.engine import CudaEngine
    from simulators.ensemble import run
    from simulators.moments import LANES

    bound = bound_of(*WORKLOADS[workload], dtype)
    engine = CudaEngine(bound, check.device(), normals)
    blocks = check.size(2**16 if workload == "W5" else 2**14, 4)
    # about a fifth of a second at half of the bound
    limits = loop.bound() if check.small else loop.bound(*_speed())
    binding = min(limits, key=limits.__getitem__)
    steps = check.size(int(0.1 * limits[binding] / (blocks * LANES)) // 8 * 8 + 8, 8)
    x = engine.start(0, blocks, seed=3)
    taken = []
    for _ in range(6):
        before = time.perf_counter()
        engine.advance(x, 0, 0, steps, seed=3)
        taken.append(time.perf_counter() - before)
    kernel = blocks * LANES * steps / sorted(taken[1:])[2]
    whole = [run(bound, engine, blocks * LANES, steps, seed=3).seconds for _ in range(3)]
    chains, count = check.size(2**20 if workload == "W5" else 65_536, 128), check.size(1000, 8)
    plain = [run(bound, engine, chains, count, seed=3).seconds for _ in range(4)]
    return {
        "chains": blocks * LANES,
        "steps": steps,
        "kernel_chain_steps_per_second": kernel,
        "run_chain_steps_per_second": blocks * LANES * steps / min(whole),
        "issue_bound": limits["issue"],
        "share_of_issue_bound": kernel / limits["issue"],
        "bound": {"by": binding, "rate": limits[binding], "share": kernel / limits[binding]},
        "workload_milliseconds": {"chains": chains, "steps": count, "run": 1e3 * min(plain[1:])},
        "registers": loop.registers,
        "instructions": loop.instructions,
        "compile_seconds": engine.compile_seconds,
    }


def _speed() -> tuple[int, float]:
    import cupy

    return int(cupy.cuda.Device(0).attributes["MultiProcessorCount"]), _clock()


def minibatches(check: Check) -> dict[str, Any]:
    """W4, real minibatches of logistic regression: the processor's bits, and chain-steps a second."""
    from simulators.cpu.engine import CpuEngine
    from simulators.cuda.engine import CudaEngine
    from simulators.ensemble import run

    work = workloads.workload("W4")
    bound = bound_of(work.sampler, work.D, "float32", workloads.problem(work))
    engines = CpuEngine(bound, 4), CudaEngine(bound, check.device())
    ours, theirs = (run(bound, e, check.size(4096, 192), check.size(100, 6), seed=7) for e in engines)
    rows = []
    for chains in (work.chains, 2**17):
        chains, steps = check.size(chains, 192), check.size(work.steps, 6)
        seconds = min(run(bound, engines[1], chains, steps, seed=7).seconds for _ in range(3))
        rate = chains * steps / seconds
        rows.append({"chains": chains, "steps": steps, "run_chain_steps_per_second": rate})
    return {"passed": ours.digest == theirs.digest, "rates": rows}


def fast_normals(check: Check) -> dict[str, Any]:
    """How far fast normals are from exact ones, over the bound that was derived."""
    from simulators.cuda.engine import CudaEngine
    from simulators.cuda.normals import NORMALS, error_bound

    bound, count = bound_of("sgd", 1, "float32"), check.size(2**22, 2**12)
    engines = {n: CudaEngine(bound, check.device(), n) for n in NORMALS}
    drawn = {n: e.draws(1, count, 5, 4, 77).astype(np.float64) for n, e in engines.items()}
    exact, fast = drawn["exact"], drawn["fast"]
    radius = np.repeat(np.hypot(exact[:, 0::2], exact[:, 1::2]), 2, axis=1)
    own = 4 * np.spacing(np.abs(exact).astype(np.float32))
    ratio = np.abs(fast - exact) / (error_bound(radius * (1 + 1e-5)) + own)
    return {
        "passed": bool(ratio.max() <= 1),
        "largest_over_bound": float(ratio.max()),
        "largest_distance": float(np.abs(fast - exact).max()),
        "root_mean_square_distance": float(np.sqrt(((fast - exact) ** 2).mean())),
        "variance": {n: float((z**2).mean()) for n, z in drawn.items()},
        "normals": int(exact.size),
    }


def large(check: Check) -> dict[str, Any]:
    """Many dimensions by matrix products: rates, and the mean against its exact recursion."""
    rows = []
    sizes = [(128, 64)] if check.small else [(256, 65_536), (1024, 16_384), (4096, 8192)]
    for D, chains in sizes:
        for dtype in ("float32", "float64"):
            row = {"D": D, "dtype": dtype, "chains": chains}
            rows.append(row | _guarded(_large, check, D, chains, dtype))
    return {"passed": all(r.get("passed", False) for r in rows), "dimensions": rows}


def _large(check: Check, D: int, chains: int, dtype: str) -> dict[str, Any]:
    from simulators.cuda.matrices import MatrixEngine
    from simulators.ensemble import run

    steps = check.size(32, 8)
    bound = wide(D, dtype)
    engine = MatrixEngine(bound, check.device())
    x = engine.start(0, chains // 64, seed=3)
    engine.advance(x, 0, 0, 2, seed=3)
    before = time.perf_counter()
    engine.advance(x, 0, 2, steps, seed=3)
    taken = time.perf_counter() - before
    before = time.perf_counter()
    found = run(bound, engine, chains, steps, seed=3)
    mean, variance = exact_step(bound, steps)
    scores = np.abs(found.mean["theta"] - mean) / np.sqrt(variance / chains)
    spread = np.abs(np.diag(found.covariance["theta,theta"]) / variance - 1) / np.sqrt(2 / chains)
    worst = max(float(scores.max()), float(spread.max()))
    return {
        "passed": worst < 7,
        "worst_in_standard_errors": worst,
        "chain_steps_per_second": chains * steps / taken,
        "operations_per_second": 4.0 * D * D * chains * steps / taken,
        "run_seconds": time.perf_counter() - before,
    }


def several(check: Check) -> dict[str, Any]:
    """Two engines of one device as two workers: the same sums."""
    from simulators.cuda.fleet import engine_on
    from simulators.ensemble import run

    bound, chains = bound_of("momentum", 10, "float32"), check.size(2**20, 3000)
    digests = {
        count: run(
            bound, engine_on([check.device() for _ in range(count)], bound, "exact"), chains, 101, seed=5
        ).digest
        for count in (1, 2)
    }
    return {"passed": digests[1] == digests[2], "digests": digests}


def launches(check: Check) -> dict[str, Any]:
    """How long a call takes that is as long as the engine allows: below two seconds."""
    from simulators.cuda.engine import CudaEngine

    rows: list[dict[str, Any]] = []
    for dtype in ("float32", "float64"):
        engine = CudaEngine(bound_of("sgd", 10, dtype), check.device())
        for blocks in (1, check.size(2**14, 2)):
            steps = min(engine.steps_a_call(blocks), check.size(2**20, 4))
            x = engine.start(0, blocks, seed=3)
            before = time.perf_counter()
            engine.advance(x, 0, 0, steps, seed=3)
            seconds = time.perf_counter() - before
            rows.append({"dtype": dtype, "blocks": blocks, "steps": steps, "seconds": seconds})
    return {"passed": all(r["seconds"] < 2 for r in rows), "launches": rows}


def device_tests(check: Check) -> dict[str, Any]:
    """The tests that are marked ``gpu``, in a process of their own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default"]
    if check.small:
        command += ["--collect-only"]
    # other files may need what a machine with a GPU lacks
    files = sorted((ROOT / "tests" / "simulators").glob("test_*.py"))
    marked = [str(f) for f in files if "mark.gpu" in f.read_text(encoding="utf-8")]
    command += ["-m", "gpu", *marked]
    limit = max(30.0, check.left())
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    return {"passed": done.returncode == 0, "status": done.returncode, "output": lines[-40:]}


PARTS: tuple[tuple[str, Callable[[Check], dict[str, Any]]], ...] = (
    ("machine", machine), ("rates", rates), ("fast normals", fast_normals), ("launches", launches),
    ("several devices", several), ("minibatches", minibatches), ("families", many.families),
    ("recordings", many.recordings), ("agreement", agreement), ("large dimensions", large),
    ("device tests", device_tests),
)  # fmt: skip


def _guarded(work: Callable[..., dict[str, Any]], *args: Any) -> dict[str, Any]:
    """What the work says, or how it failed."""
    try:
        return work(*args)
    except Exception:
        text = traceback.format_exc()
        print(text, file=sys.stderr)
        return {"passed": False, "error": text.splitlines()[-12:]}


def check_all(check: Check, report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Every part in turn; ``report`` is called after each with all there is."""
    document: dict[str, Any] = {"schema": "sgtheory.gpu/2"}
    for name, work in PARTS:
        before = time.perf_counter()
        if check.left() < 20:
            found: dict[str, Any] = {"passed": False, "left_out": "no time was left"}
        else:
            found = _guarded(work, check)
        document[name] = found | {"seconds": time.perf_counter() - before}
        passed, seconds = document[name].get("passed", ""), document[name]["seconds"]
        print(f"{name}: {passed} {seconds:.1f} s", flush=True)
        report(document)
    parts = [document[name] for name, _ in PARTS[1:]]
    document["passed"] = all(part.get("passed", False) for part in parts)
    document["seconds"] = time.perf_counter() - check.began
    report(document)
    return document


def main() -> int:
    """Run all of it, print JSON, and write it where asked; status 1 where something disagrees."""
    out = sys.argv[sys.argv.index("--out") + 1] if "--out" in sys.argv else None

    def report(document: dict[str, Any]) -> None:
        if out:
            Path(out).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    with tempfile.TemporaryDirectory() as folder:
        document = check_all(_setup("--rehearse" in sys.argv, Path(folder)), report)
    print(json.dumps(document, indent=1))
    return 0 if document["passed"] else 1


def _setup(rehearsal: bool, folder: Path) -> Check:
    if rehearsal:
        from simulators.cuda.host import HostDevice

        return Check(lambda: HostDevice(folder), small=True)
    from simulators.cuda.devices import CupyDevice

    return Check(CupyDevice, small=False)


if __name__ == "__main__":
    sys.exit(main())
