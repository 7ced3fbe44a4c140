"""Running the CUDA kernels: on a GPU through CuPy, or, for tests, on the processor through the shim."""

from __future__ import annotations

import time
from typing import Any, Protocol

import numpy as np

from sgtheory.errors import UnusableInput
from simulators.bind import Bound
from simulators.cpu.engine import flat_constants, with_given_start
from simulators.cuda import emit
from simulators.emit import Layout
from simulators.moments import LANES

Array = np.ndarray[Any, Any]


class Device(Protocol):
    """Where kernels run: memory, launches, and how much room there is."""

    def build(self, text: str, layout: Layout) -> None: ...  # noqa: D102
    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any: ...  # noqa: D102
    def put(self, array: Array) -> Any: ...  # noqa: D102
    def get(self, array: Any) -> Array: ...  # noqa: D102
    def set_constants(self, array: Array) -> None: ...  # noqa: D102
    def launch(self, kernel: str, threads: int, args: tuple[Any, ...]) -> None: ...  # noqa: D102
    def free_bytes(self) -> int | None: ...  # noqa: D102


class CudaEngine:
    """Kernels of a bound program on a device. A state is an array (blocks, size * 64) there."""

    device = "cuda"
    workers = 1

    def __init__(self, bound: Bound, on: Device | None = None) -> None:
        self.layout = Layout.of(bound)
        if self.layout.batches:
            raise UnusableInput("a model whose gradient noise is normal", "minibatches", "use the cpu")
        self.text = emit.source(self.layout)
        self._bound = bound
        self._on = on or CupyDevice()
        before = time.perf_counter()
        self._on.build(self.text, self.layout)
        self.compile_seconds = time.perf_counter() - before
        constants = flat_constants(bound)
        self._constants: tuple[Any, ...] = ()
        if emit.in_constant_memory(self.layout):
            self._on.set_constants(constants)
        else:
            self._constants = (self._on.put(constants),)

    def start(self, chain: int, blocks: int, seed: int) -> Any:
        """The states of blocks of chains before the first step, from chain number ``chain``."""
        x = self._on.zeros((blocks, self.layout.size * LANES), self._bound.dtype)
        if self._bound.program.start.outputs:
            args = (x, *self._constants, np.uint32(chain), np.uint32(seed))
            self._on.launch("begin_chains", blocks * LANES, args)
        return with_given_start(x, self._bound)

    def advance(self, x: Any, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place."""
        schedule = self._bound.schedule(first, steps).ravel()
        table = self._on.put(schedule if schedule.size else np.zeros(1, self._bound.dtype))
        args = (x, *self._constants, table, np.uint32(chain), np.uint32(seed))
        self._on.launch("advance_chains", len(x) * LANES, (*args, np.int64(first), np.int64(steps)))

    def sums(self, x: Any, index: Array, centre: Array, chains: int) -> Array:
        """The sums of monomials over each block, of which ``chains`` chains exist in all."""
        monomials, factors = index.shape
        out = self._on.zeros((len(x), monomials), np.float64)
        args = (
            x, self._on.put(index), np.int64(factors), np.int64(monomials),
            self._on.put(np.asarray(centre, np.float64)), np.int64(chains), out,
        )  # fmt: skip
        self._on.launch("sum_monomials", len(x) * monomials, args)
        return self._on.get(out)

    def draws(self, purpose: int, chains: int, step: int, normals: int, seed: int) -> Array:
        """A step's normals for chains 0, 1, ..., as the kernels draw them: (chains, normals)."""
        from simulators.philox import width

        spare = width(self._bound.dtype)
        out = self._on.zeros((chains, normals + 2 * spare), self._bound.dtype)
        words = (np.uint32(0), np.uint32(seed), np.uint32(purpose))
        self._on.launch("draw_normals", chains, (out, *words, np.int64(step), np.int32(normals)))
        return self._on.get(out)[:, spare : spare + normals]

    def packed(self, x: Any) -> Array:
        """The states as they are, on the host."""
        return self._on.get(x)

    def unpacked(self, states: Array) -> Any:
        """The states that were packed, on the device."""
        return self._on.put(states)

    def host(self, x: Any) -> Array:
        """The states as a NumPy array (chains, size)."""
        lanes = self._on.get(x).reshape(len(x), self.layout.size, LANES)
        return np.moveaxis(lanes, 1, 2).reshape(-1, self.layout.size)

    def available_bytes(self) -> int | None:
        """Memory that a run may use."""
        return self._on.free_bytes()


def device_count() -> int:
    """How many CUDA devices CuPy can see; 0 where it is not installed."""
    try:
        import cupy

        return int(cupy.cuda.runtime.getDeviceCount())
    except Exception:  # no CuPy, no driver, no device: each has its own error, all mean none
        return 0


class CupyDevice:
    """The current GPU, through CuPy."""

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy
        self._module: Any = None

    def build(self, text: str, layout: Layout) -> None:
        """Compile the text."""
        self._module = self._cupy.RawModule(code=text, options=emit.OPTIONS)
        self._module.compile()

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array of zeros on the device."""
        return self._cupy.zeros(shape, dtype)

    def put(self, array: Array) -> Any:
        """A copy on the device."""
        return self._cupy.asarray(array)

    def get(self, array: Any) -> Array:
        """A copy on the host."""
        return np.asarray(self._cupy.asnumpy(array))

    def set_constants(self, array: Array) -> None:
        """Fill the constant memory."""
        pointer = self._module.get_global("constants")
        self._cupy.ndarray(array.shape, array.dtype, pointer).set(array)

    def launch(self, kernel: str, threads: int, args: tuple[Any, ...]) -> None:
        """Run a kernel and wait for it, so that Ctrl-C is heard between launches."""
        grid = (-(-threads // emit.THREADS),)
        self._module.get_function(kernel)(grid, (emit.THREADS,), (*args, np.int64(threads)))
        self._cupy.cuda.get_current_stream().synchronize()

    def free_bytes(self) -> int | None:
        """Free memory of the device."""
        return int(self._cupy.cuda.runtime.memGetInfo()[0])
