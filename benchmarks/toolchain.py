"""NVIDIA's compiler and disassembler, wherever they are: a toolkit, or packages from PyPI."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Compiled:
    """A translation unit as machine code: its disassembly, and registers by kernel."""

    sass: str
    registers: Mapping[str, int]


@dataclass(frozen=True)
class Toolchain:
    """What compiles (nvcc, or the NVRTC library) and what disassembles."""

    nvcc: str | None
    nvrtc: str | None
    nvdisasm: str | None

    @classmethod
    def find(cls) -> Toolchain:
        """What this machine has."""
        return cls(
            shutil.which("nvcc") or _first("bin/nvcc"),
            _first("lib/libnvrtc.so.1[0-9]", "lib64/libnvrtc.so.1[0-9]"),
            shutil.which("nvdisasm") or _first("bin/nvdisasm"),
        )

    def missing(self) -> str:
        """What is not there, in words; empty where nothing is missing."""
        lacking = []
        if not (self.nvcc or self.nvrtc):
            lacking.append("nvcc or nvidia-cuda-nvrtc")
        if not self.nvdisasm:
            lacking.append("nvdisasm (nvidia-cuda-nvdisasm)")
        return ", ".join(lacking)

    def version(self) -> str:
        """The release of the compiler, such as "13.0"."""
        if self.nvcc:
            text = subprocess.run([self.nvcc, "--version"], capture_output=True, text=True, check=True)
            found = re.search(r"release ([\d.]+)", text.stdout)
            return found[1] if found else "unknown"
        major, minor = ctypes.c_int(), ctypes.c_int()
        ctypes.CDLL(str(self.nvrtc)).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def compile(
        self, text: str, architecture: str, folder: Path, options: Sequence[str] = ()
    ) -> Compiled:
        """Machine code of a text, with files in ``folder``."""
        from simulators.cuda.compiler import OPTIONS

        binary = folder / "kernel.cubin"
        flags = [*OPTIONS, *options]
        if self.nvcc:
            log = self._by_nvcc(text, architecture, binary, flags)
        else:
            log = self._by_nvrtc(text, architecture, binary, flags)
        pattern = r"entry function '(\w+)'.*?Used (\d+) registers"
        registers = {k: int(n) for k, n in re.findall(pattern, log, re.DOTALL)}
        command = [str(self.nvdisasm), "-c", str(binary)]
        sass = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return Compiled(sass, registers)

    def _by_nvcc(self, text: str, architecture: str, binary: Path, flags: list[str]) -> str:
        source = binary.with_suffix(".cu")
        source.write_text(text, encoding="utf-8")
        command = [str(self.nvcc), *flags, "-Xptxas", "-v", "-cubin", f"-arch={architecture}"]
        done = subprocess.run(
            [*command, "-o", str(binary), str(source)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"nvcc: {done.stderr}")
        return done.stderr

    def _by_nvrtc(self, text: str, architecture: str, binary: Path, flags: list[str]) -> str:
        library, program = ctypes.CDLL(str(self.nvrtc)), ctypes.c_void_p()
        library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
        given = [*flags, f"--gpu-architecture={architecture}", "--ptxas-options=-v"]
        array = (ctypes.c_char_p * len(given))(*(g.encode() for g in given))
        status = library.nvrtcCompileProgram(program, len(given), array)
        log = _part(library, program, "ProgramLog").decode().rstrip("\0")
        if status:
            raise RuntimeError(f"NVRTC: {log}")
        binary.write_bytes(_part(library, program, "CUBIN"))
        return log


def _part(library: Any, program: Any, name: str) -> bytes:
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{name}Size")(program, ctypes.byref(size))
    content = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{name}")(program, content)
    return content.raw


def _places() -> Iterator[Path]:
    """Folders that may hold a toolkit: those that variables name, the usual one, packages."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if variable in os.environ:
            yield Path(os.environ[variable])
    compiler = shutil.which("nvcc")
    if compiler:
        yield Path(compiler).resolve().parent.parent
    yield Path("/usr/local/cuda")
    for entry in sys.path:
        yield from sorted((Path(entry) / "nvidia").glob("*"))


def _first(*patterns: str) -> str | None:
    for place in _places():
        for pattern in patterns:
            for path in sorted(place.glob(pattern)):
                return str(path)
    return None
