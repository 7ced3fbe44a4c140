"""The CUDA text built for the processor by a C++ compiler: slow, and the same bits."""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.files.keeper import keep, kept
from sgtheory.files.writing import write
from simulators.cpu.native import machine

Array = np.ndarray[Any, Any]

COMPILER = "g++"
FLAGS = ("-std=c++17", "-O1", "-ffp-contract=off", "-march=native", "-shared", "-fPIC")
_SCALARS = {"uint32": ctypes.c_uint32, "int32": ctypes.c_int32, "int64": ctypes.c_int64}


def available() -> bool:
    """Whether there is a C++ compiler."""
    return shutil.which(COMPILER) is not None


def with_entries(text: str) -> str:
    """The kernels' text, the shim before it, and a function for each kernel that launches it."""
    entries = []
    for name, parameters in re.findall(r"__global__ void (?:__\w+\([\d, ]+\) )?(\w+)\(([^)]*)\)", text):
        names = [p.split()[-1].lstrip("*") for p in parameters.split(",")]
        call = f"LAUNCH({name}, threads, {', '.join(names)});"
        entries.append(f'extern "C" void run_{name}({parameters}) {{ {call} }}')
    return '#include "shim.h"\n' + text + "\n".join(entries) + "\n"


def compiled(text: str, own: Path) -> bytes:
    """The library of a text, kept between processes as machine code for other devices is."""
    shim = Path(__file__).parent / "shim.h"
    facts = (COMPILER, *FLAGS, machine().cpu, machine().features, shim.read_text("utf-8"), text)
    name = hashlib.sha256(chr(0).join(facts).encode()).hexdigest()[:32]
    image = kept("kernels", name)
    if image is None:
        source, library = own / "kernel.cpp", own / "built.so"
        write(source, text, durable=False)
        command = [COMPILER, *FLAGS, "-I", str(shim.parent), str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        image = library.read_bytes()
        keep("kernels", name, image)
    return image


class HostDevice:
    """The processor in the place of a GPU. Libraries are built within ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library: Any = None

    def build(self, text: str) -> None:
        """Compile the text."""
        # a copy for each device, whose constants are its own, and never over one that is loaded
        own = Path(tempfile.mkdtemp(dir=self._folder))
        library = own / "kernel.so"
        write(library, compiled(with_entries(text), own), durable=False)
        self._library = ctypes.CDLL(str(library))

    def mislead(self, by: float) -> None:
        """Make every approximate instruction wrong by so many times its documented error."""
        ctypes.c_double.in_dll(self._library, "misled").value = by

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """An array of anything."""
        return np.empty(shape, dtype)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """An array of zeros."""
        return np.zeros(shape, dtype)

    def put(self, array: Array) -> Array:
        """A contiguous copy."""
        return np.array(array, order="C")

    def get(self, array: Array) -> Array:
        """The array itself."""
        return array

    def set_constants(self, array: Array) -> None:
        """Fill what is constant memory on a GPU."""
        if array.size:
            place = (ctypes.c_char * array.nbytes).in_dll(self._library, "constants")
            ctypes.memmove(place, array.ctypes.data, array.nbytes)

    def launch(self, kernel: str, threads: int, args: tuple[Any, ...]) -> None:
        """Run a kernel."""
        function = getattr(self._library, f"run_{kernel}")
        function.restype = None
        function(*(_argument(a) for a in (*args, np.int64(threads))))

    def product(self, a: Array, b: Array, out: Array) -> None:
        """The product of two matrices."""
        np.matmul(a, b, out=out)

    def wait(self) -> None:
        """Nothing is queued here."""

    def free_bytes(self) -> int | None:
        """Unknown."""
        return None

    def operations_a_second(self, dtype: Any) -> float:
        """What a processor may do."""
        return 1e9


def _argument(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    return _SCALARS[value.dtype.name](int(value))
