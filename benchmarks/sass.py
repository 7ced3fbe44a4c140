"""What the hot loops of the CUDA kernels cost, in machine instructions: no GPU is needed.

``python -m benchmarks.sass`` compiles the kernels of W1, W2, W3 and W5 for an H200 and counts the
instructions of the innermost loop over groups of steps; ``--write`` keeps the counts in
``tests/simulators/sass.json``, where a test holds later kernels against them. Needs nvcc, or NVIDIA's
NVRTC from PyPI, and nvdisasm, from a toolkit or from PyPI (nvidia-cuda-nvrtc, nvidia-cuda-nvdisasm).
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.kernels import WORKLOADS, bound_of
from benchmarks.toolchain import Compiled, Toolchain

ARCHITECTURE = "sm_90"
STORED = Path(__file__).parent.parent / "tests" / "simulators" / "sass.json"

# Lanes that an H200's multiprocessor serves in a cycle, by class of instruction; every instruction
# takes an issue slot besides. The 32-bit product with a 64-bit result is taken as a quarter.
LANES = {"issue": 128, "float32": 128, "float64": 64, "integer": 64, "wide product": 32, "special": 16}
MULTIPROCESSORS, CLOCK = 132, 1.98e9

_CLASSES = (
    ("wide product", r"IMAD\.WIDE"),
    ("special", r"MUFU"),
    ("float32", r"FFMA|FMUL|FADD"),
    ("float64", r"D(FMA|MUL|ADD|SETP)"),
    ("integer", r"LOP3|SHF|SEL|FSEL|IADD3|VIADD|VIMNMX|FMNMX|ISETP|FSETP|I2FP|LEA|PRMT|PLOP3|R2UR"),
)
_LOCAL = ("LDL", "STL")
# What a count may grow by before someone must look: the compiler's order is not ours to fix.
SLACK = 0.03


@dataclass(frozen=True)
class Loop:
    """The innermost loop of a kernel: one turn carries out ``steps`` steps of one chain a lane."""

    steps: int
    registers: int
    instructions: int
    local: int  # accesses to local memory: registers that were not enough
    counts: Mapping[str, int]  # by mnemonic

    def cycles(self) -> dict[str, float]:
        """Cycles of a multiprocessor for a turn of one warp, by what would bind."""
        found = {"issue": 32 * self.instructions / LANES["issue"]}
        for name, pattern in _CLASSES:
            count = sum(n for op, n in self.counts.items() if re.fullmatch(pattern, op))
            found[name] = 32 * count / LANES[name]
        return found

    def bound(self, multiprocessors: int = MULTIPROCESSORS, clock: float = CLOCK) -> dict[str, float]:
        """Chain-steps a second that no schedule exceeds, by what binds.

        >>> loop = Loop(2, 64, 1124, 0, {"FFMA": 590, "MUFU": 10})
        >>> {name: round(rate / 1e9) for name, rate in loop.bound().items() if rate < 1e12}
        {'issue': 60, 'special': 836, 'float32': 113}
        """
        warps = multiprocessors * clock * 32 * self.steps
        return {k: warps / c if c else float("inf") for k, c in self.cycles().items()}


def names() -> Iterator[tuple[str, str, str]]:
    """Workload, type and normals of every kernel that is counted."""
    for workload in WORKLOADS:
        yield from ((workload, *rest) for rest in (("float32", "exact"), ("float32", "fast")))
        yield workload, "float64", "exact"


def text_of(workload: str, dtype: str, normals: str) -> tuple[str, int]:
    """A kernel's source, and how many steps a turn of its loop is."""
    from simulators.cuda import emit

    layout = emit.layout(bound_of(*WORKLOADS[workload], dtype))
    return emit.source(layout, normals), layout.fused


def count(compiled: Compiled, kernel: str, steps: int) -> Loop:
    """The hot loop of a compiled kernel: of its innermost loops, the one with most instructions."""
    instructions, loops = parse(compiled.sass, kernel)
    inner = [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
    first, last = max(inner, key=lambda loop: loop[1] - loop[0])
    counts = Counter(instructions[first : last + 1])
    return Loop(
        steps=steps,
        registers=compiled.registers[kernel],
        instructions=last + 1 - first,
        local=sum(counts[op] for op in _LOCAL),
        counts=dict(sorted(counts.items())),
    )


def parse(sass: str, kernel: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The mnemonics of a kernel, and first and last place of each loop (a branch back)."""
    _, _, rest = sass.partition(f".section\t.text.{kernel},")
    body, _, _ = rest.partition("\t.section\t")
    labels: dict[str, int] = {}
    found: list[str] = []
    loops = []
    for line in body.splitlines():
        if label := re.match(r"\s*(\.L_x_\d+):", line):
            labels[label[1]] = len(found)
        if code := re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*);", line):
            target = re.search(r"\.L_x_\d+", code[2]) if code[1].startswith("BRA") else None
            # a branch to itself ends every kernel
            if target and labels.get(target[0], len(found)) < len(found):
                loops.append((labels[target[0]], len(found)))
            found.append(mnemonic(code[1]))
    return found, loops


def mnemonic(code: str) -> str:
    """An instruction without its modifiers, but for the one that makes a product wide.

    >>> mnemonic("IMAD.WIDE.U32"), mnemonic("LOP3.LUT"), mnemonic("I2FP.F32.S32")
    ('IMAD.WIDE', 'LOP3', 'I2FP')
    """
    parts = code.split(".")
    return "IMAD.WIDE" if parts[0] == "IMAD" and "WIDE" in parts else parts[0]


def complaints(now: Loop, stored: Loop) -> list[str]:
    """What is worse than it was."""
    found = []
    if now.local:
        found.append(f"{now.local} accesses to local memory in the loop")
    if now.instructions > (1 + SLACK) * stored.instructions:
        found.append(f"{now.instructions} instructions, {stored.instructions} before")
    for op, before in stored.counts.items():
        # single instructions come and go; hundreds do not
        if now.counts.get(op, 0) > (1 + SLACK) * before + 8:
            found.append(f"{now.counts[op]} {op}, {before} before")
    if now.steps != stored.steps:
        found.append(f"{now.steps} steps a turn, {stored.steps} before")
    return found


def measured(toolchain: Toolchain) -> dict[str, Loop]:
    """The hot loop of every kernel, by name."""
    found = {}
    for name in names():
        text, steps = text_of(*name)
        with tempfile.TemporaryDirectory() as folder:
            compiled = toolchain.compile(text, ARCHITECTURE, Path(folder))
        found[" ".join(name)] = count(compiled, "advance_groups", steps)
    return found


def stored() -> dict[str, Any]:
    """The document of stored counts, its loops as records."""
    document = json.loads(STORED.read_text(encoding="utf-8"))
    return {**document, "loops": {k: Loop(**v) for k, v in document["loops"].items()}}


def main() -> int:
    """Print a line for each kernel; with ``--write`` keep the counts."""
    toolchain = Toolchain.find()
    if missing := toolchain.missing():
        print(f"missing: {missing}", file=sys.stderr)
        return 2
    loops = measured(toolchain)
    for name, loop in loops.items():
        rates = loop.bound()
        binding = min(rates, key=rates.__getitem__)
        print(
            f"{name:20s} {loop.instructions:5d} for {loop.steps} steps, {loop.registers:3d} registers,"
            f" issue bound {rates['issue']:.3g}/s, bound {rates[binding]:.3g}/s by {binding}"
        )
    if "--write" in sys.argv:
        document = {
            "schema": "sgtheory.sass/1",
            "architecture": ARCHITECTURE,
            "compiler": toolchain.version(),
            "loops": {name: asdict(loop) for name, loop in loops.items()},
        }
        STORED.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
