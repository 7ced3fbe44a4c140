"""Machine code from NVRTC: kept, for the right device, and without options that change results."""

import sys
from types import ModuleType

import pytest

from simulators.cuda import compiler


class Fake(ModuleType):
    """NVRTC's functions, without NVRTC."""

    class NVRTCError(RuntimeError):
        """What it raises."""

    def __init__(self):
        super().__init__("nvrtc")
        self.compiled, self.destroyed = [], 0

    def getSupportedArchs(self):
        return [75, 90]

    def getVersion(self):
        return (13, 0)

    def createProgram(self, text, name, headers, names):
        return text

    def compileProgram(self, program, options):
        self.compiled.append(options)
        if "wrong" in program:
            raise self.NVRTCError("NVRTC_ERROR_COMPILATION")

    def getCUBIN(self, program):
        return b"cubin of " + program.encode()

    def getPTX(self, program):
        return "ptx of " + program

    def getProgramLog(self, program):
        return "line 1: wrong"

    def destroyProgram(self, program):
        self.destroyed += 1


@pytest.fixture
def nvrtc(monkeypatch, tmp_path):
    monkeypatch.setenv("SGTHEORY_CACHE", str(tmp_path))
    fake = Fake()
    modules = {"cupy": ModuleType("cupy"), "cupy.cuda": ModuleType("cupy.cuda")}
    modules["cupy.cuda"].nvrtc = fake
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return fake


def test_code_is_compiled_once(nvrtc, tmp_path):
    first = compiler.machine_code("text", "90")
    assert first == compiler.machine_code("text", "90") == (b"cubin of text", "cubin")
    assert len(nvrtc.compiled) == nvrtc.destroyed == 1
    compiler.machine_code("text", "75")
    compiler.machine_code("other text", "90")
    assert len(nvrtc.compiled) == 3
    for path in (tmp_path / "kernels").iterdir():
        path.write_bytes(b"damaged")
    assert compiler.machine_code("text", "90") == first
    assert len(nvrtc.compiled) == 4


def test_nothing_rounds_otherwise(nvrtc):
    compiler.machine_code("text", "90")
    (options,) = nvrtc.compiled
    assert options[-1] == "--gpu-architecture=sm_90"
    assert {"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"} <= set(options)


def test_a_newer_device_gets_ptx(nvrtc):
    assert compiler.machine_code("text", "120") == (b"ptx of text", "ptx")
    assert nvrtc.compiled[0][-1] == "--gpu-architecture=compute_90"


def test_a_mistake_is_shown(nvrtc, tmp_path):
    with pytest.raises(RuntimeError, match="line 1: wrong"):
        compiler.machine_code("wrong", "90")
    assert nvrtc.destroyed == 1
    assert list(tmp_path.iterdir()) == []


def test_with_the_compiler_itself(tools, monkeypatch, tmp_path):
    cuda = pytest.importorskip("cupy.cuda")
    try:
        cuda.nvrtc.getVersion()
    except Exception as error:
        pytest.skip(f"no NVRTC: {error}")
    from simulators.cuda import emit

    monkeypatch.setenv("SGTHEORY_CACHE", str(tmp_path))
    text = emit.source(emit.layout(tools.bound("sgd", 1, "float32")))
    image, suffix = compiler.machine_code(text, "90")
    assert suffix == "cubin"
    assert image[:4] == b"\x7fELF"
