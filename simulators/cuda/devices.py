"""Where CUDA kernels run: what an engine asks of a device, and GPUs through CuPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sgtheory.files.writing import TemporaryFolder
from simulators.cuda.compiler import load

Array = np.ndarray[Any, Any]

THREADS = 128


class Device(Protocol):
    """Memory, kernels, matrix products, and how much of each there is. Arrays are the device's own."""

    def build(self, text: str) -> None: ...  # noqa: D102
    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any: ...  # noqa: D102
    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any: ...  # noqa: D102
    def put(self, array: Array) -> Any: ...  # noqa: D102
    def get(self, array: Any) -> Array: ...  # noqa: D102
    def set_constants(self, array: Array) -> None: ...  # noqa: D102
    def launch(self, kernel: str, threads: int, args: tuple[Any, ...]) -> None: ...  # noqa: D102
    def product(self, a: Any, b: Any, out: Any) -> None: ...  # noqa: D102
    def wait(self) -> None: ...  # noqa: D102
    def free_bytes(self) -> int | None: ...  # noqa: D102
    def operations_a_second(self, dtype: Any) -> float: ...  # noqa: D102


def device_count() -> int:
    """How many CUDA devices CuPy can see; 0 where it is not installed."""
    try:
        import cupy

        return int(cupy.cuda.runtime.getDeviceCount())
    except Exception:  # no CuPy, no driver, no device: each has its own error, all mean none
        return 0


def all_devices() -> list[Device]:
    """The GPUs of this host that CuPy can see; CUDA_VISIBLE_DEVICES says which those are."""
    return [CupyDevice(number) for number in range(device_count())]


class CupyDevice:
    """A GPU, through CuPy, with a stream of its own. May be used from any thread, by one at a time."""

    def __init__(self, number: int = 0) -> None:
        import cupy

        self._cupy = cupy
        self._device = cupy.cuda.Device(number)
        with self._device:
            self._stream = cupy.cuda.Stream(non_blocking=True)
        self._folder = TemporaryFolder("sgtheory-")
        self._module: Any = None

    def build(self, text: str) -> None:
        """Compile the text."""
        with self._device, self._stream:
            capability = self._device.compute_capability
            self._module = load(text, capability, Path(self._folder.name))

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array of anything on the device."""
        with self._device, self._stream:
            return self._cupy.empty(shape, dtype)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array of zeros on the device."""
        with self._device, self._stream:
            return self._cupy.zeros(shape, dtype)

    def put(self, array: Array) -> Any:
        """A copy on the device."""
        with self._device, self._stream:
            return self._cupy.array(array)

    def get(self, array: Any) -> Array:
        """A copy on the host."""
        with self._device, self._stream:
            return np.asarray(self._cupy.asnumpy(array))

    def set_constants(self, array: Array) -> None:
        """Fill the constant memory."""
        with self._device, self._stream:
            pointer = self._module.get_global("constants")
            self._cupy.ndarray(array.shape, array.dtype, pointer).set(array)

    def launch(self, kernel: str, threads: int, args: tuple[Any, ...]) -> None:
        """Queue a kernel of so many threads, which it is told last."""
        grid = (-(-threads // THREADS),)
        with self._device, self._stream:
            self._module.get_function(kernel)(grid, (THREADS,), (*args, np.int64(threads)))

    def product(self, a: Any, b: Any, out: Any) -> None:
        """Queue the product of two matrices."""
        with self._device, self._stream:
            self._cupy.matmul(a, b, out=out)

    def wait(self) -> None:
        """Until all that was queued is done."""
        self._stream.synchronize()

    def free_bytes(self) -> int | None:
        """Free memory of the device, with what CuPy keeps for later."""
        with self._device:
            kept = self._cupy.get_default_memory_pool().free_bytes()
            return int(self._cupy.cuda.runtime.memGetInfo()[0]) + int(kept)

    def operations_a_second(self, dtype: Any) -> float:
        """Lane-instructions a second that the device can issue, as far as it tells."""
        told = self._device.attributes
        rate = told["MultiProcessorCount"] * told.get("ClockRate", 1e6) * 1e3 * 128
        slower = told.get("SingleToDoublePrecisionPerfRatio", 2) if dtype == "float64" else 1
        return float(rate / slower)
