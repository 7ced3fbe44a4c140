"""Normals on a GPU: roots and quotients without tests of their range, and special functions.

Under the shim every approximate instruction is off by a chosen multiple of its documented error.
"""

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators.cuda import emit, host, normals, text
from simulators.cuda.engine import CudaEngine
from simulators.ensemble import run, simulate

APPLY = """
extern "C" __global__ void apply(const real *a, const real *b, real *out, i64 threads) {
  i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (n < threads) out[n] = %s;
}
"""


@pytest.fixture
def function(tmp_path):
    """A function of the exact transform's helpers, on arrays, under the shim."""
    if not host.available():
        pytest.skip("no C++ compiler")

    def make(expression, dtype):
        folder = tmp_path / f"{dtype}{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        head = text.HEAD.format(
            sampler="a", model="test", D=1, dtype=dtype, types=text.TYPES[dtype], normals="exact"
        )
        device = host.HostDevice(folder)
        device.build(head + normals.helpers(dtype) + APPLY % expression)

        def apply(a, b=None, misled=0.0):
            device.mislead(misled)
            a = np.ascontiguousarray(a, dtype)
            out = np.empty_like(a)
            device.launch("apply", a.size, (a, a if b is None else b, out))
            return out

        return apply

    return make


@pytest.mark.strong
def test_the_short_root_is_the_root_for_every_float(tools, function):
    """All floats of two binades: the rest differ by powers of 4, and what a radius may be is tried."""
    root = function("near_root(a[n])", "float32")
    for low in (0x3F800000, 0x40000000):
        a = np.arange(low, low + 2**23, dtype=np.uint32).view(np.float32)
        assert tools.same_bits(root(a), np.sqrt(a))
        assert (root(a, misled=64.0) != np.sqrt(a)).sum() > 1000
    radii = np.float32(-2) * np.log(np.random.default_rng(1).random(2**20, np.float32))
    special = np.array([-0.0, 2.0**-23, 45.75], np.float32)
    for a in (radii[radii > 0], special):
        assert tools.same_bits(root(a), np.sqrt(a))


def roots_of_unity_and_others(c, bits):
    """Every M with M^2 = c modulo 2^bits, for c = 1 modulo 8, by lifting a bit at a time."""
    found = {1, 3, 5, 7}
    for k in range(4, bits + 1):
        found = {m for r in found for m in (r, r + 2 ** (k - 1)) if (m * m - c) % 2**k == 0}
    return found


def nearest_to_midpoints():
    """The doubles whose roots lie nearest to the middle between two doubles.

    With M^2 = X 2^k + c, the root of X lies c/2^107 (relative, or less) from the midpoint M. The
    chain errs by less than 2^-104 before its last rounding, so |c| < 64 is all that could be wrong.
    """
    hard = []
    for c in range(-63, 64, 8):
        for bits in (54, 55):
            for m in roots_of_unity_and_others(c, bits):
                for M in (m % 2**54, -m % 2**54):
                    x, rest = divmod(M * M - c, 2**bits)
                    if M >= 2**53 and rest == 0 and 2**52 <= x < 2**53:
                        hard.append(float(x) * 2.0 ** (bits - 106))
    return np.array(hard)


def test_the_short_root_in_double(tools, function):
    root = function("near_root(a[n])", "float64")
    hard = nearest_to_midpoints()
    assert len(hard) > 50
    plain = np.random.default_rng(2).uniform(0, 80, 2**20)
    for a in (hard, plain, np.array([-0.0, 2.0**-52, 73.5])):
        for misled in (-1.0, 0.0, 1.0):
            assert tools.same_bits(root(a, misled=misled), np.sqrt(a))
    assert (root(plain, misled=2.0**9) != np.sqrt(plain)).any()


def test_the_short_quotient_in_double(tools, function):
    quotient = function("near_quotient(a[n], b[n])", "float64")
    m = np.random.default_rng(3).uniform(np.sqrt(0.5), np.sqrt(2), 2**21) - 1
    m = np.concatenate([m, m * 2.0**-30, [0.0, -(2.0**-53), 2.0**-52]])
    for misled in (-1.0, 0.0, 1.0):
        assert tools.same_bits(quotient(m, m + 2, misled=misled), m / (m + 2))
    assert (quotient(m, m + 2, misled=2.0**14) != m / (m + 2)).any()


@pytest.fixture(scope="module")
def both(tools_of_session, tmp_path_factory):
    """Engines with exact and with fast normals."""
    if not host.available():
        pytest.skip("no C++ compiler")
    b = tools_of_session.bound("sgd", 3, "float32")
    devices = {n: host.HostDevice(tmp_path_factory.mktemp(n)) for n in normals.NORMALS}
    return {n: (CudaEngine(b, d, n), d) for n, d in devices.items()}


def drawn(both, kind, misled, count=2**18):
    engine, device = both[kind]
    device.mislead(misled)
    return engine.draws(1, count, 5, 4, 77).astype(np.float64)


def beyond(both, misled):
    """The largest distance of fast normals from exact ones, over the bound that is derived."""
    exact, fast = drawn(both, "exact", 0.0), drawn(both, "fast", misled)
    radius = np.repeat(np.hypot(exact[:, 0::2], exact[:, 1::2]), 2, axis=1)
    own = 4 * np.spacing(np.abs(exact).astype(np.float32))  # the exact transform's own error
    return (np.abs(fast - exact) / (normals.error_bound(radius * (1 + 1e-5)) + own)).max()


def test_fast_normals_lie_within_their_bound_of_exact_ones(both):
    for misled in (-1.0, -0.3, 0.0, 1.0):
        assert beyond(both, misled) <= 1
    assert beyond(both, 0.0) > 0
    for misled in (-4.0, 4.0):
        assert beyond(both, misled) > 1


def worst_moment(z):
    """Moments up to the fourth, and across the pairs, in standard errors of independent normals."""
    a, b = z[:, 0::2].ravel(), z[:, 1::2].ravel()
    expected = [
        (z, 0, 1), (z**2, 1, 2), (z**3, 0, 15), (z**4, 3, 96),
        (a * b, 0, 1), (a**2 * b**2, 1, 8), (a**3 * b, 0, 15),
    ]  # fmt: skip
    return max(abs(x.mean() - mean) / np.sqrt(variance / x.size) for x, mean, variance in expected)


@pytest.mark.strong
def test_moments_of_fast_normals(both):
    """Seven moments with thresholds of 5 standard errors: false alarms are 4 in a million."""
    for misled in (-1.0, 1.0):
        assert worst_moment(drawn(both, "fast", misled, 2**20)) < 5
    # at 30,000 times the documented error the variance is off by 1 %
    assert worst_moment(drawn(both, "fast", 3e4, 2**20)) > 5


def test_an_ensemble_with_fast_normals(both):
    found = {}
    for kind, (engine, device) in both.items():
        device.mislead(-1.0 if kind == "fast" else 0.0)
        found[kind] = run(engine._bound, engine, chains=20_000, steps=30, seed=3)
    fast, exact = found["fast"], found["exact"]
    assert (fast.normals, exact.normals) == ("fast", "exact")
    assert fast.to_json()["normals"] == "fast"
    assert fast.digest != exact.digest
    # the same chains: what is left is the bound on a normal, not the scatter of the ensemble
    distance = np.abs(fast.mean["theta"] - exact.mean["theta"]).max()
    assert 0 < distance < 1e-5 < exact.standard_error["mean"]["theta"].min()


def test_fast_normals_are_refused_elsewhere(tools):
    with pytest.raises(UnusableInput, match="exact or fast"):
        normals.check("quick", "cuda", "float32")
    for device, dtype in (("cpu", "float32"), ("cuda", "float64")):
        with pytest.raises(UnusableInput, match="fast normals on a CUDA device in float32"):
            normals.check("fast", device, dtype)
    normals.check("fast", "cuda", "float32")
    with pytest.raises(UnusableInput, match="on cpu in float32"):
        simulate(
            tools.setting("sgd"), tools.values(1), chains=64, steps=1, dtype="float32",
            device="cpu", normals="fast",
        )  # fmt: skip


def test_the_text_says_which_normals(tools):
    layout = emit.layout(tools.bound("sgd", 3, "float32"))
    exact, fast = (emit.source(layout, n) for n in normals.NORMALS)
    assert "lg2.approx" in fast
    assert "lg2.approx" not in exact
    assert "exact normals" in exact
    assert "fast normals" in fast
