"""The blind part of the bank: its names say its faults, its samplers are what they are said to be.

The checker is not used here. What a sampler does is held against our own kernel of its algorithm.
"""

from __future__ import annotations

import importlib
import inspect
import zlib
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from sgtheory import Problem, registry
from sgtheory.setting import Setting
from simulators.ensemble import Ensemble, simulate
from tests.verification.checking.bank.entry import Entry
from tests.verification.checking.bank.expected_blind import ENTRIES

FAULTY = [e for e in ENTRIES if not e.right]
TWO_FAULTS = {"reproducible"}  # its noise is one for all steps and for all chains


@pytest.mark.parametrize("entry", FAULTY, ids=lambda e: e.where)
def test_the_fault_as_its_author_says_it_is_named(entry: Entry) -> None:
    assert entry.named_by(entry.fault)


@pytest.mark.parametrize("entry", FAULTY, ids=lambda e: e.where)
def test_faults_of_another_kind_are_not_its_name(entry: Entry) -> None:
    """Of the same algorithm: a name that would take them for its own says nothing."""
    others = [e for e in FAULTY if e.like == entry.like and e.group != entry.group]
    confused = [e.name for e in others if entry.named_by(e.fault) and entry.name not in TWO_FAULTS]
    assert not set(confused) - TWO_FAULTS


N, S, D = 40, 20, 3
CURVATURE = np.array([[2, 1, 0.5], [1, 1.5, 0], [0.5, 0, 1]])
NOISE = np.array([[1, 0.25, 0], [0.25, 2, 0.5], [0, 0.5, 1.5]])
START = np.array([1, 0, -0.5])
H = np.array([[1, 0.5, 0.25], [0.5, 1.25, 0.125], [0.25, 0.125, 0.75]])
E = np.array([[0.5, 0.25, 0], [-0.25, 0.5, 0.125], [0.125, 0.125, 0.25]])
KINETIC = {"eta": "1/500", "alpha": "2/5", "beta": "1/10", "tau": "3/2"}
SHRINKING = {"b": "2", "c": "1/2"}
ADAPTIVE = {"alpha": "3/4", "lambda": "1/8"}
PARAMS: dict[str, dict[str, Any]] = {
    "sgd": {"eps": "3/20", "H": H},
    "sgld": {"eps": "1/50", "H": H},
    "lmc": {"gamma": "1/250"},
    "sgfs": {"eps": "1/10", "H": H, "E": E},
    "svrg_ld": {"eps": "1/100", "m": "5"},
    "momentum": {"eps": "1/10", "mu": "3/10", "H": H},
    "nesterov": {"eps": "1/10", "mu": "3/10", "H": H},
    "sgd_m": {"alpha": "3/10", "eta": "3/1000"},
    "iasg": {"eps": "1/10", "T": "8", "H": H},
    "averaged_sgd": {"eps": "1/10", "H": H},
    "sghmc": KINETIC,
    "sghmc_velocity_first": KINETIC,
    "sghmc_refreshed": {**KINETIC, "L": "7"},
    "sghmc_velocity_first_refreshed": {**KINETIC, "L": "7"},
    "sghmc_decreasing": {**KINETIC, **SHRINKING},
    "sgld_decreasing": {"eps": "1/25", **SHRINKING},
    "underdamped": {"eps": "1/20", "gamma": "3", "tau": "3/2"},
    "sgnht": {"eta": "3/100", "a": "3", "tau": "3/2"},
    "msgnht": {"eta": "3/100", "beta": "3/2"},
    "psgld": {"eps": "1/100", **ADAPTIVE},
    "rmsprop": {"eps": "3/100", **ADAPTIVE},
    "adam": {"eta": "1/50", "b1": "1/4", "sigma": "3/4", "lambda": "1/8"},
    "santa_sss": {
        "eta": "1/500", "beta": "3/2", "sigma": "3/4", "gamma": "1/4", "C0": "2", "burnin": "20",
        "lambda": "1/8",
    },
    "sgrld": {"eps": "1/100"},
}  # fmt: skip
TIMES = (1, 3, 13, 60)
CHAINS = 50_000
FALSE_ALARM = 1e-9  # of the whole of the long test; normal limits, so that no more is asked of it


def params(like: str) -> dict[str, Any]:
    return PARAMS[like.partition(":")[0]]


@cache
def reference(like: str, t: int) -> Ensemble:
    """Our own kernel after t steps."""
    sampler = registry.sampler(like)
    written = {k: _rational(v) if isinstance(v, np.ndarray) else v for k, v in params(like).items()}
    problem = Problem.of(
        {"model": "quadratic", "hessian": _rational(CURVATURE), "noise": _rational(NOISE),
         "N": N, "S": S, "params": written, "start": {"theta": _rational(START)}}
    )  # fmt: skip
    how = {"chains": 4 * CHAINS, "steps": t, "seed": 1, "threads": 1, "device": "cpu"}
    return simulate(Setting(sampler, problem.model), problem.values(sampler), **how)


def _rational(array: Any) -> Any:
    return [_rational(row) for row in array] if np.ndim(array) else str(Fraction(float(array)))


def arguments(function: Any, like: str, matrix: Any) -> dict[str, Any]:
    """Of its parameters those that it asks for."""
    given = {
        k: matrix(v) if isinstance(v, np.ndarray) else float(Fraction(v))
        for k, v in params(like).items()
    }
    given |= {"N": N, "S": S}
    asked = inspect.signature(function).parameters.values()
    everything = any(p.kind == p.VAR_KEYWORD for p in asked)
    return {k: v for k, v in given.items() if everything or k in {p.name for p in asked}}


def begun(like: str, theta: Any, normals: Any) -> dict[str, Any]:
    """The first state that the declaration has."""
    given, nothing = params(like), 0 * theta
    if like == "sgnht":
        v = float(Fraction(given["tau"])) ** 0.5 * normals
        return {"theta": theta, "v": v, "xi": nothing + float(Fraction(given["a"]))}
    if like == "msgnht":
        u = normals / float(Fraction(given["beta"])) ** 0.5
        return {"theta": theta, "u": u, "alpha": nothing + 1}
    return {"theta": theta, "v": nothing, "V": nothing, "u": nothing}


def first_of(function: Any) -> str:
    return next(iter(inspect.signature(function).parameters))


def in_numpy(step: Any, like: str, seed: int) -> dict[int, Any]:
    rng = np.random.default_rng(seed)
    root = np.linalg.cholesky(NOISE / S)

    def gradient(x: Any) -> Any:
        return x @ CURVATURE + rng.standard_normal(x.shape) @ root.T

    gradient.full = lambda x: x @ CURVATURE  # type: ignore[attr-defined]
    function = step if inspect.isfunction(step) else type(step).__call__.__get__(step)
    theta = np.tile(START, (CHAINS, 1))
    state: Any = theta
    if first_of(function) == "state":
        initial = getattr(step, "init", None)
        state = initial(theta, rng) if initial else begun(like, theta, rng.standard_normal(theta.shape))
    given, found = arguments(function, like, np.asarray), {}
    with np.errstate(all="ignore"):
        for t in range(1, TIMES[-1] + 1):
            state = function(state, gradient, rng, **given)
            found[t] = seen(state, like)
    return found


def in_jax(step: Any, like: str, seed: int) -> dict[int, Any]:
    jax = importlib.import_module("jax")
    with jax.enable_x64(True):
        return _in_jax(jax, step, like, seed)


def _in_jax(jax: Any, step: Any, like: str, seed: int) -> dict[int, Any]:
    root = jax.numpy.asarray(np.linalg.cholesky(NOISE / S))
    given = arguments(step, like, jax.numpy.asarray)

    def one(state: Any, key: Any) -> Any:
        of_gradients, own = jax.random.split(key)
        calls: list[None] = []

        def gradient(x: Any) -> Any:
            calls.append(None)
            z = jax.random.normal(jax.random.fold_in(of_gradients, len(calls)), x.shape)
            return CURVATURE @ x + root @ z

        return step(state, gradient, own, **given)

    every = jax.jit(jax.vmap(one))
    key = jax.random.PRNGKey(seed)
    theta = jax.numpy.tile(jax.numpy.asarray(START), (CHAINS, 1))
    state: Any = theta
    if first_of(step) == "state":
        initial = getattr(step, "init", None)
        normals = jax.random.normal(jax.random.fold_in(key, 0), theta.shape)
        keys = jax.random.split(key, CHAINS)
        state = jax.vmap(initial)(theta, keys) if initial else begun(like, theta, normals)
    found = {}
    for t in range(1, TIMES[-1] + 1):
        state = every(state, jax.random.split(jax.random.fold_in(key, t), CHAINS))
        found[t] = seen(state, like)
    return found


def in_torch(step: Any, like: str, seed: int) -> dict[int, Any]:
    torch = importlib.import_module("torch")
    torch.manual_seed(seed)
    generator, of_gradients = (torch.Generator().manual_seed(seed + k) for k in (1, 2))
    curvature, root = torch.tensor(CURVATURE), torch.tensor(np.linalg.cholesky(NOISE / S))

    def gradient(x: Any) -> Any:
        return x @ curvature + torch.randn(x.shape, generator=of_gradients, dtype=x.dtype) @ root.T

    function = step if inspect.isfunction(step) else type(step).__call__.__get__(step)
    given, found = arguments(function, like, torch.tensor), {}
    theta = torch.tensor(np.tile(START, (CHAINS, 1)))
    if first_of(function) == "parameters":
        theta.requires_grad_()
        optimizer, scale = function([theta], **given), N if step.loss == "sum" else 1
        for t in range(1, TIMES[-1] + 1):
            theta.grad = scale * gradient(theta.detach())
            optimizer.step()
            found[t] = theta.detach().numpy().copy()
        return found
    state: Any = theta
    if first_of(function) == "state":
        initial = getattr(step, "init", None)
        normals = torch.randn(theta.shape, generator=generator, dtype=theta.dtype)
        state = initial(theta, generator) if initial else begun(like, theta, normals)
    for t in range(1, TIMES[-1] + 1):
        state = function(state, gradient, generator, **given)
        found[t] = seen(state, like)
    return found


def sample_of(like: str) -> str:
    return "m" if like in ("iasg", "averaged_sgd") else "theta"


def seen(state: Any, like: str) -> Any:
    return np.asarray(state[sample_of(like)] if isinstance(state, dict) else state).copy()


def worst(entry: Entry) -> float:
    """The largest distance of a moment from our kernel's, or of a step's law from a normal one."""
    file, _, name = entry.where.partition(".py:")
    step = getattr(importlib.import_module(f"tests.verification.checking.bank.{file}"), name)
    drive = {"numpy": in_numpy, "jax": in_jax, "torch": in_torch}[entry.framework]
    found = drive(step, entry.like, zlib.crc32(entry.where.encode()) % 2**31)
    distances = [_normality(found[1])] if entry.like == "sgld" else []
    for t in TIMES:
        kernel = reference(entry.like, t)
        distances += _moments(found[t], kernel, sample_of(entry.like))
    return float(np.max(np.nan_to_num(distances, nan=np.inf)))


def _moments(x: Any, kernel: Ensemble, sample: str) -> list[float]:
    pair = f"{sample},{sample}"
    mean, error = kernel.mean[sample], kernel.standard_error
    centred = x - x.mean(axis=0)
    covariance = centred.T @ centred / len(x)
    spread = np.sqrt(np.abs((centred**2).T @ centred**2 / len(x) - covariance**2) / len(x))
    tiny = 1e-12  # a position that has not moved yet has no spread; it is then off by nothing
    of_mean = np.hypot(np.sqrt(np.diag(covariance) / len(x)), error["mean"][sample]) + tiny
    of_covariance = np.hypot(spread, error["covariance"][pair]) + tiny
    return [
        float(np.max(np.abs(x.mean(axis=0) - mean) / of_mean)),
        float(np.max(np.abs(covariance - kernel.covariance[pair]) / of_covariance)),
    ]


def _normality(x: Any) -> float:
    """Of fourth cumulants after a step from one place, in standard errors: 24/n is their variance."""
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    return float(np.max(np.abs((z**4).mean(axis=0) - 3)) / np.sqrt(24 / len(x)))


LIMIT = float(norm.isf(FALSE_ALARM / (2 * len(ENTRIES) * len(TIMES) * (D + D * D) + D)))


@pytest.mark.long
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.where)
def test_right_ones_agree_with_our_kernel_and_faulty_ones_do_not(entry: Entry) -> None:
    if entry.absent:
        pytest.skip(f"{entry.absent} is not here")
    assert (worst(entry) < LIMIT) == entry.right
