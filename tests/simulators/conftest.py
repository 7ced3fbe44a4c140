"""Problems, samplers and compiled kernels that the tests of the simulation room share."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from sympy import Piecewise, sqrt

import sgtheory.declare as sg
from sgtheory import registry
from sgtheory.problem import Values
from sgtheory.setting import Setting
from simulators.bind import bind
from simulators.cuda import host
from simulators.lower import lower


@cache
def psgld():
    """RMSprop-preconditioned Langevin dynamics: square, root and division, coordinate by coordinate."""
    theta, v = sg.state("theta V")
    g, G = sg.local("g G")
    xi = sg.normal("xi")
    eps, alpha, lam = sg.positive("eps alpha lambda")
    return sg.Sampler(
        name="psgld_like",
        state=(theta, v),
        noises=(xi,),
        updates=(
            (g, sg.gradient(theta)),
            (v, alpha * v + (1 - alpha) * g * g),
            (G, sg.ones / (lam * sg.ones + sqrt(v))),
            (theta, theta - eps / 2 * sg.N * G * g + sqrt(eps * G) * xi),
        ),
        convention=sg.Card("mean", "eps/2 N G"),
    )


@cache
def annealed():
    """A schedule, a switch, an inner product, a random start: what the named samplers do not use."""
    theta, v = sg.state("theta v")
    xi = sg.normal("xi")
    eps, gamma = sg.positive("eps gamma")
    burnin = sg.whole("burnin")
    noisy = theta - eps * sg.gradient(theta) + sqrt(eps) / (sg.t + 1) ** gamma * xi
    return sg.Sampler(
        name="annealed",
        state=(theta, v),
        noises=(xi,),
        updates=(
            (v, v / (1 + eps * sg.dot(theta, v) ** 2) + eps * sg.ones),
            (theta, Piecewise((noisy, sg.t < burnin), (theta - eps * v, True))),
        ),
        start=((v, sqrt(eps) * xi + 2 * sg.ones),),
        convention=sg.Card("mean", "eps"),
    )


SCALARS = {
    "eps": Fraction(1, 20), "mu": Fraction(1, 10), "N": Fraction(10), "S": Fraction(4),
    "alpha": Fraction(9, 10), "lambda": Fraction(1, 10), "gamma": Fraction(1, 3),
    "burnin": Fraction(7),
}  # fmt: skip


def spread(D: int, coupling: Fraction) -> tuple[tuple[Fraction, ...], ...]:
    """A positive-definite matrix that is not diagonal and has no two equal diagonal entries."""
    return tuple(
        tuple(
            1 + Fraction(i, D) if i == j else coupling / (1 + abs(i - j)) * (-1) ** (i + j)
            for j in range(D)
        )
        for i in range(D)
    )


def values(D: int, **scalars) -> Values:
    """Numbers for any of the samplers."""
    quarter, third = Fraction(1, 4), Fraction(1, 3)
    matrices = {"A": spread(D, quarter), "C": spread(D, third), "H": spread(D, -quarter)}
    start = {"theta": tuple(Fraction(1 + i, 2) for i in range(D))}
    return Values(D, SCALARS | {k: Fraction(v) for k, v in scalars.items()}, matrices, start)


def setting(sampler) -> Setting:
    """A sampler, or its name, on the quadratic model."""
    return Setting(registry.sampler(sampler), registry.model("quadratic"))


@cache
def bound(sampler, D: int, dtype: str, **scalars):
    """A sampler on the quadratic in D dimensions, with numbers."""
    return bind(lower(setting(sampler)), values(D, **scalars), dtype)


@pytest.fixture(scope="session")
def cpu_engine():
    """The processor's kernels of a bound program; each is compiled once in a test run."""
    from simulators.cpu.engine import CpuEngine

    return cache(lambda b: CpuEngine(b, 2))


@pytest.fixture(scope="session")
def host_engine(tmp_path_factory):
    """The CUDA text of a bound program, built for the processor."""
    from simulators.cuda.engine import CudaEngine

    if not host.available():
        pytest.skip("no C++ compiler")
    return cache(lambda b: CudaEngine(b, host.HostDevice(tmp_path_factory.mktemp("shim"))))


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal, with nan equal to nan and 0 different from -0."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.fixture(name="tools_of_session", scope="session")
def tools_of_session():
    """The functions above, for test modules."""
    from types import SimpleNamespace

    return SimpleNamespace(
        psgld=psgld(), annealed=annealed(), values=values, setting=setting, bound=bound,
        same_bits=same_bits,
    )  # fmt: skip


@pytest.fixture
def tools(tools_of_session):
    """The functions above, for tests."""
    return tools_of_session
