"""The CUDA text without a device: it compiles, and its engine runs whole ensembles under the shim."""

import dataclasses
import re
import shutil
import subprocess
from fractions import Fraction

import pytest

from sgtheory.reader.exact import identity
from simulators.bind import bind
from simulators.cuda import compiler, emit, engine, host, normals
from simulators.emit import Layout
from simulators.ensemble import run
from simulators.lower import lower
from simulators.rewrites import FOLD, drop_identities


@pytest.mark.parametrize(
    ("name", "D", "dtype", "form"),
    [
        ("momentum", 5, "float32", emit.FAMILY),
        ("psgld", 2, "float64", emit.RECORDED),
        ("sgld", 40, "float32", emit.ONE),
    ],
)
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_the_text_compiles_for_a_gpu(tools, tmp_path, name, D, dtype, form):
    b = tools.bound(getattr(tools, name, name), D, dtype)
    source = tmp_path / "kernel.cu"
    source.write_text(emit.source(Layout(b.program, D, dtype), form=form), encoding="utf-8")
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
    # threads meet only in counts, which are whole numbers
    meetings = set(re.findall(r"\b(?:atom|red|bar|barrier|shfl)\.\S+", text))
    assert meetings == ({"atom.global.add.u64"} if form.recorded else set())


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_fast_normals_are_special_functions(tools, tmp_path):
    layout = emit.layout(tools.bound("sgd", 1, "float32"))
    source, target = tmp_path / "kernel.cu", tmp_path / "kernel.ptx"
    found = {}
    for kind in normals.NORMALS:
        source.write_text(emit.source(layout, kind), encoding="utf-8")
        command = ["nvcc", *compiler.OPTIONS, "-ptx", "-arch=compute_90", "-o", str(target), str(source)]
        subprocess.run(command, capture_output=True, check=True)
        entry = target.read_text(encoding="utf-8").partition(".entry advance_groups")[2]
        entry = entry.partition(".entry")[0]
        found[kind] = set(re.findall(r"(\w+)\.approx", entry))
    assert found == {"exact": {"rsqrt"}, "fast": {"lg2", "sqrt", "sin", "cos"}}


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


def covariance(D, kind):
    """A covariance whose factor has a pattern."""

    def entry(i, j):
        if kind == "columns:2":
            return 1 + Fraction(i * j, D * D)
        # the largest variances first, so that elimination keeps the order of rows
        near = Fraction((-1) ** (i + j), 2 * D) if kind == "lower" else 0
        return near + (2 * D - i if i == j else 0)

    return tuple(tuple(Fraction(entry(i, j)) for j in range(D)) for i in range(D))


@pytest.mark.parametrize("kind", ["diagonal", "columns:2", "lower", "full"])
@pytest.mark.parametrize(("D", "dtype"), [(66, "float32"), (135, "float32"), (68, "float64")])
def test_loops_in_pieces_give_the_processors_bits(tools, cpu_engine, host_engine, kind, D, dtype):
    """One piece of columns, two, and several; an addend, and none."""
    values = tools.values(D)
    if kind != "full":
        given = {"C": covariance(D, kind), "H": identity(D)}
        values = dataclasses.replace(values, matrices={**values.matrices, **given})
    program = lower(tools.setting("sgd"), (drop_identities(values), FOLD))
    b = bind(program, values, dtype)
    assert kind in dict(b.patterns).values()
    ends = []
    for made in (cpu_engine(b), host_engine(b)):
        assert not made.layout.unrolled
        x = made.start(5, 1, 9)
        made.advance(x, 5, 3, 5, 9)
        ends.append(made.host(x))
    assert tools.same_bits(*ends)


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
