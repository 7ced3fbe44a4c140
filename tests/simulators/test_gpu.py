"""What only a device can show: ``pytest -m gpu``. Each of these also runs under the shim elsewhere."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import sgtheory.declare as sg
from simulators.cuda import normals, text
from simulators.cuda.devices import CupyDevice, all_devices
from simulators.cuda.engine import CudaEngine
from simulators.cuda.fleet import engine_on
from simulators.cuda.matrices import MatrixEngine
from simulators.ensemble import run
from tests.simulators import (
    test_cuda_family,
    test_cuda_normals,
    test_cuda_record,
    test_matrices,
    test_minibatches,
    test_readers,
    test_transforms,
)

pytestmark = pytest.mark.gpu

DTYPES = ["float32", "float64"]


@pytest.fixture
def device():
    pytest.importorskip("cupy")
    return CupyDevice


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "D"), [("sgd", 1), ("momentum", 5), ("sgld", 10), ("annealed", 3)])
def test_a_device_gives_the_processors_bits(tools, cpu_engine, device, name, D, dtype):
    b = tools.bound(getattr(tools, name, name), D, dtype)
    ours, theirs = (
        run(b, e, chains=100_000, steps=101, seed=3) for e in (cpu_engine(b), CudaEngine(b, device()))
    )
    assert ours.digest == theirs.digest
    for key, value in ours.standard_error["covariance"].items():
        assert tools.same_bits(value, theirs.standard_error["covariance"][key])


@pytest.mark.parametrize(("name", "D", "dtype"), test_readers.CASES)
def test_states_have_the_processors_bits(tools, cpu_engine, device, name, D, dtype):
    b = test_readers.find(tools, name, D, dtype)
    assert test_readers.agree(tools, cpu_engine(b), CudaEngine(b, device()))


def test_loops_have_the_processors_bits(tools, cpu_engine, device):
    b = tools.bound("sgd", 40, "float32")
    engine = CudaEngine(b, device())
    assert not engine.layout.unrolled
    assert test_readers.agree(tools, cpu_engine(b), engine)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "sampler",
    [test_transforms.EXP, test_transforms.LOG, test_transforms.LOGISTIC],
    ids=["exp", "log", "logistic"],
)
def test_functions_have_the_processors_bits_where_numbers_are_tiny(
    tools, cpu_engine, device, sampler, dtype
):
    b = tools.bound(sampler, 1, dtype)
    x = test_transforms.samples(sampler.name, dtype)
    engine = CudaEngine(b, device())
    states = engine.unpacked(x.reshape(-1, 64))
    engine.advance(states, 0, 0, 1, 0)
    theirs = engine.packed(states).ravel()
    ours = test_transforms.applied(cpu_engine(b), x)
    ours[np.isnan(ours)] = theirs[np.isnan(theirs)] = np.nan
    assert tools.same_bits(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("model", test_minibatches.MODELS)
@pytest.mark.parametrize("shape", [(3, 8, False), (10, 32, True)], ids=str)
def test_minibatches_have_the_processors_bits(tools, cpu_engine, device, model, dtype, shape):
    D, S, replacement = shape
    problem = test_minibatches.problem(model, D, 200, S, replacement, eps="1/400")
    b = test_minibatches.bound("sgld", problem, dtype)
    assert test_readers.agree(tools, cpu_engine(b), CudaEngine(b, device()))


@cache
def with_noise(name, make):
    """Langevin dynamics whose noise has another law."""
    theta, xi, eps = sg.state("theta"), make("xi"), sg.positive("eps")
    step = theta - eps / 2 * sg.N * sg.gradient(theta) + sp.sqrt(eps) * xi
    card = sg.Card("mean", "eps/2")
    return sg.Sampler(name=name, state=(theta,), noises=(xi,), updates=((theta, step),), convention=card)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "make"),
    [("rademacher", sg.rademacher), ("uniform", sg.uniform), ("student", lambda n: sg.student(n, 5))],
    ids=["rademacher", "uniform", "student"],
)
def test_other_noises_have_the_processors_bits(tools, cpu_engine, device, name, make, dtype):
    b = tools.bound(with_noise(name, make), 3, dtype)
    assert test_readers.agree(tools, cpu_engine(b), CudaEngine(b, device()))


def applied(device, dtype, expression):
    """A function of the exact transform's helpers, on arrays, on the device."""
    head = text.HEAD.format(
        sampler="a", model="test", D=1, dtype=dtype, types=text.TYPES[dtype], normals="exact"
    )
    on = device()
    on.build(head + normals.helpers(dtype) + test_cuda_normals.APPLY % expression)

    def apply(a, b):
        out = on.empty(a.shape, dtype)
        on.launch("apply", a.size, (on.put(a), on.put(b), out))
        return on.get(out)

    return apply


def test_the_short_root_is_the_root_for_every_radius(tools, device):
    """Every float from 1e-8 to 64, and -0."""
    root = applied(device, "float32", "near_root(a[n])")
    first, last = (int(np.float32(x).view(np.uint32)) for x in (1e-8, 64.0))
    for low in range(first, last, 2**25):
        a = np.arange(low, min(low + 2**25, last), dtype=np.uint32).view(np.float32)
        assert tools.same_bits(root(a, a), np.sqrt(a))
    zero = np.array([-0.0], np.float32)
    assert tools.same_bits(root(zero, zero), zero)


def test_the_short_root_and_quotient_in_double(tools, device):
    root = applied(device, "float64", "near_root(a[n])")
    rng = np.random.default_rng(4)
    for a in (test_cuda_normals.nearest_to_midpoints(), rng.uniform(0, 80, 2**24), np.array([-0.0])):
        assert tools.same_bits(root(a, a), np.sqrt(a))
    quotient = applied(device, "float64", "near_quotient(a[n], b[n])")
    m = rng.uniform(np.sqrt(0.5), np.sqrt(2), 2**24) - 1
    assert tools.same_bits(quotient(m, m + 2), m / (m + 2))


def test_fast_normals_lie_within_their_bound(tools, device):
    b = tools.bound("sgd", 3, "float32")
    engines = {n: CudaEngine(b, device(), n) for n in normals.NORMALS}
    drawn = {n: e.draws(1, 2**21, 5, 4, 77).astype(np.float64) for n, e in engines.items()}
    exact, fast = drawn["exact"], drawn["fast"]
    radius = np.repeat(np.hypot(exact[:, 0::2], exact[:, 1::2]), 2, axis=1)
    own = 4 * np.spacing(np.abs(exact).astype(np.float32))
    assert (np.abs(fast - exact) <= normals.error_bound(radius * (1 + 1e-5)) + own).all()
    assert test_cuda_normals.worst_moment(fast) < 5
    assert np.abs(fast - exact).max() > 0


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgld"])
@pytest.mark.parametrize(("D", "dtype"), [(65, "float32"), (130, "float64")])
def test_matrices_are_the_interpreters_to_rounding(tools, device, name, D, dtype):
    b = tools.bound(name, D, dtype)
    assert test_matrices.worst(b, MatrixEngine(b, device())) <= 1


def test_nonlinear_matrices_agree_with_the_processor(tools, cpu_engine, device):
    b = tools.bound(tools.annealed, 9, "float64")
    ours, theirs = (
        run(b, e, chains=1000, steps=12, seed=3) for e in (cpu_engine(b), MatrixEngine(b, device()))
    )
    for key, value in ours.covariance.items():
        assert np.allclose(value, theirs.covariance[key], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("dtype", DTYPES)
def test_recordings_have_the_processors_bits(tools, cpu_engine, device, dtype):
    b = tools.bound("momentum", 2, dtype)
    how = {"chains": 20_000, "steps": 120, "seed": 3, "record": test_cuda_record.ALL}
    ours, theirs = (run(b, e, **how) for e in (cpu_engine(b), CudaEngine(b, device())))
    assert test_cuda_record.same(tools, ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_families_have_the_processors_bits(tools, device, dtype):
    for chains in (5000, 64, 1):
        how = {"chains": chains, "steps": 57, "dtype": dtype}
        assert test_cuda_family.same(tools, *test_cuda_family.momentum(test_cuda_family.MOMENTUM, **how))


def test_devices_share_the_work(tools, device):
    """All devices of this host, and the first one twice."""
    b = tools.bound("momentum", 5, "float32")
    expected = run(b, CudaEngine(b, device()), chains=300_000, steps=57, seed=3).digest
    for devices in ([device(), device()], all_devices()):
        assert (
            run(b, engine_on(devices, b, "exact"), chains=300_000, steps=57, seed=3).digest == expected
        )
