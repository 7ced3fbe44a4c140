"""The CUDA text without a device: it compiles, and its engine runs whole ensembles under the shim."""

import re
import shutil
import subprocess

import pytest

from simulators.cuda import compiler, emit, engine, host
from simulators.emit import Layout
from simulators.ensemble import run


@pytest.mark.parametrize(
    ("name", "D", "dtype"),
    [("momentum", 5, "float32"), ("psgld", 2, "float64"), ("sgld", 40, "float32")],
)
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_the_text_compiles_for_a_gpu(tools, tmp_path, name, D, dtype):
    b = tools.bound(getattr(tools, name, name), D, dtype)
    source = tmp_path / "kernel.cu"
    source.write_text(emit.source(Layout(b.program, D, dtype)), encoding="utf-8")
    target = tmp_path / "kernel.ptx"
    command = ["nvcc", *compiler.OPTIONS, "-ptx", "-arch=compute_90", "-o", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    text = target.read_text(encoding="utf-8")
    suffix = {"float32": "f32", "float64": "f64"}[dtype]
    assert {"advance_chains", "sum_monomials"} <= set(re.findall(r"\.entry (\w+)", text))
    # multiply-adds are those that were asked for: the compiler fused none of its own
    asked = re.findall(rf"fma\.rn\.{suffix}", text)
    assert asked
    assert not re.findall(rf"\bmad\.\w*\.?{suffix}", text)
    # approximate instructions are those that a root and a quotient begin with
    known = {
        "float32": {"rsqrt.approx.ftz.f32"},
        "float64": {"rsqrt.approx.ftz.f64", "rcp.approx.ftz.f64"},
    }
    assert set(re.findall(r"\w+\.approx\S*|\w+\.ftz\S*", text)) == known[dtype]


def test_an_ensemble_under_the_shim_has_the_processors_digest(tools, cpu_engine, host_engine):
    b = tools.bound("sgd", 1, "float32")
    runs = [
        run(b, e, chains=1000, steps=23, seed=3, chunk=chunk)
        for e, chunk in ((cpu_engine(b), None), (host_engine(b), None), (host_engine(b), 192))
    ]
    assert len({r.digest for r in runs}) == 1
    errors = [r.standard_error["covariance"]["theta,theta"] for r in runs]
    assert all(tools.same_bits(e, errors[0]) for e in errors)
    assert errors[0] > 0
    assert [r.device for r in runs] == ["cpu", "cuda", "cuda"]
    assert run(b, host_engine(b), chains=1000, steps=23, seed=4).digest != runs[0].digest


def test_many_constants_are_passed_by_pointer(tools):
    small, large = (Layout(tools.bound("sgd", D, "float64").program, D, "float64") for D in (5, 80))
    assert "real constants[" in emit.source(small)
    assert "real constants[" not in emit.source(large)
    assert "const real *c," in emit.source(large)


def test_pointer_and_constant_memory_give_the_same_bits(tools, host_engine, monkeypatch, tmp_path):
    if not host.available():
        pytest.skip("no C++ compiler")
    b = tools.bound("momentum", 2, "float32")
    expected = run(b, host_engine(b), chains=100, steps=9, seed=3).digest
    monkeypatch.setattr(emit, "_CONSTANT_BYTES", 0)
    pointer = engine.CudaEngine(b, host.HostDevice(tmp_path))
    assert "real constants[" not in pointer.text
    assert run(b, pointer, chains=100, steps=9, seed=3).digest == expected
