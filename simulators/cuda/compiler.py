"""From CUDA C to machine code by NVRTC, through CuPy's bindings to it.

CuPy's own way adds ``-ftz=true``, which would flush small numbers to zero where the processor keeps
them. Machine code is kept between processes, named by text, options, compiler and architecture.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path
from typing import Any

from sgtheory.files.keeper import keep, kept
from sgtheory.files.writing import write

# Without the second the compiler may fuse a product and a sum that the processor rounds apart.
OPTIONS = ("--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true")


def load(text: str, capability: str, temporary: Path) -> Any:
    """The module of a text for the current device, whose compute capability is such as "90".

    It is loaded when it is first used, from a file in the folder ``temporary``.
    """
    import cupy

    image, suffix = machine_code(text, capability)
    name = write(temporary / f"{secrets.token_hex(8)}.{suffix}", image, durable=False)
    return cupy.RawModule(path=str(name))


def machine_code(text: str, capability: str) -> tuple[bytes, str]:
    """Machine code, or PTX for a device that is newer than the compiler; and which of them."""
    from cupy.cuda import nvrtc

    newest = max(nvrtc.getSupportedArchs())
    binary = int(capability) <= newest
    target = f"sm_{capability}" if binary else f"compute_{newest}"
    suffix = "cubin" if binary else "ptx"
    facts = (str(nvrtc.getVersion()), target, *OPTIONS, text)
    name = hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]
    image = kept("kernels", name)
    if image is None:
        image = _compile(nvrtc, text, target, binary)
        keep("kernels", name, image)
    return image, suffix


def _compile(nvrtc: Any, text: str, target: str, binary: bool) -> bytes:
    program = nvrtc.createProgram(text, "kernels.cu", (), ())
    try:
        nvrtc.compileProgram(program, (*OPTIONS, f"--gpu-architecture={target}"))
        image = nvrtc.getCUBIN(program) if binary else nvrtc.getPTX(program)
    except nvrtc.NVRTCError as error:
        raise RuntimeError(f"{error}: {nvrtc.getProgramLog(program)}") from None
    finally:
        nvrtc.destroyProgram(program)
    return image if isinstance(image, bytes) else str(image).encode()
