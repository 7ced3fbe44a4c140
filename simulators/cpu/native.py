"""From LLVM's language to machine code, kept on disk between processes.

A file of the cache is named by the hash of the module's text, LLVM's version and the processor, so
a stale one is never found.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sgtheory.files.keeper import keep, kept

# Passes that tidy up and none that reorders floating point. Nothing is hoisted out of loops: a
# coefficient is cheaper to read again in its place than to keep in a register.
_PASSES = ("simplify_cfg", "dead_code_elimination")


@dataclass(frozen=True)
class Machine:
    """The processor that code is made for."""

    cpu: str
    features: str
    vector_bytes: int


@cache
def machine() -> Machine:
    """This processor, with the longest vectors that LLVM knows it to have."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    size = 64 if features.get("avx512f") else 32 if features.get("avx") else 16
    return Machine(llvm.get_host_cpu_name(), features.flatten(), size)


def key(text: str, on: Machine) -> str:
    """The name of a module's machine code."""
    import llvmlite

    facts = (llvmlite.__version__, on.cpu, on.features, *_PASSES, text)
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]


class Library:
    """The functions of a module, to be called through ``ctypes``, which releases Python's lock."""

    def __init__(self, image: bytes, signatures: Mapping[str, tuple[Any, ...]]) -> None:
        import llvmlite.binding as llvm

        self._jit = llvm.create_lljit_compiler(_target(machine()))
        builder = llvm.JITLibraryBuilder().add_object_img(image).add_current_process()
        for name in signatures:
            builder = builder.export_symbol(name)
        self._tracker = builder.link(self._jit, "kernels")
        self._functions: dict[str, Any] = {
            name: ctypes.CFUNCTYPE(None, *types)(self._tracker[name])
            for name, types in signatures.items()
        }
        for function in self._functions.values():
            function.library = self  # whoever holds a function holds the code that it points to

    def __getitem__(self, name: str) -> Any:
        return self._functions[name]


_loading = threading.Lock()


def load(text: str, names: tuple[tuple[str, tuple[Any, ...]], ...]) -> Library:
    """The functions of a module, compiled now or taken from the cache; one for all threads that ask."""
    with _loading:
        return _loaded(text, names)


@cache
def _loaded(text: str, names: tuple[tuple[str, tuple[Any, ...]], ...]) -> Library:
    on = machine()
    image = kept("kernels", key(text, on))
    if image is None:
        image = assemble(text, on)
        keep("kernels", key(text, on), image)
    return Library(image, dict(names))


def assemble(text: str, on: Machine, assembly: bool = False) -> Any:
    """The machine code of a module, or its assembly."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    target = _target(on)
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=2))
    passes = llvm.create_new_module_pass_manager()
    for name in _PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
    return target.emit_assembly(module) if assembly else target.emit_object(module)


def _target(on: Machine) -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=on.cpu, features=on.features, opt=2, reloc="pic", codemodel="default", jit=True
    )
