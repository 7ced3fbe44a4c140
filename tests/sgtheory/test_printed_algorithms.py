"""Declared steps against the papers' pseudo-code, written out here once more, line by line, in NumPy.

Each function below is one printed algorithm: it gets the old states, the stochastic gradient of the mean
loss, the injected noise and the parameters, and returns the new states. A declaration must make the same
step from the same numbers, and the step of every other printing must be another one.
"""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from reports.pages.sampler import example
from sgtheory import registry
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators import interpret
from simulators.bind import bind
from simulators.lower import lower

CLOCK = 3  # the papers' t is one more


def rmsprop(x, g, z, p):
    V = p.alpha * x.V + (1 - p.alpha) * g * g
    return {"V": V, "theta": x.theta - p.eps * g / (p.lam + np.sqrt(V))}


def adagrad(x, g, z, p):
    V = x.V + g * g
    return {"V": V, "theta": x.theta - p.eps * g / (p.lam + np.sqrt(V))}


def psgld(x, g, z, p, gamma, old=False):
    V = p.alpha * x.V + (1 - p.alpha) * g * g
    G = 1 / (p.lam + np.sqrt(x.V if old else V))
    # dG/dtheta = dG/dV dV/dtheta, with dg/dtheta the diagonal of A
    Gamma = -1 / (p.lam + np.sqrt(V)) ** 2 / (2 * np.sqrt(V)) * 2 * (1 - p.alpha) * g * p.slope
    bracket = {"outside": -G * p.N * g + Gamma, "inside": G * (-p.N * g + Gamma), "none": -G * p.N * g}
    theta = x.theta + p.eps / 2 * bracket[gamma] + np.sqrt(p.eps * G) * z
    return {"V": V, "theta": theta}


def sgrld(x, g, z, p, inside):
    G, Gamma = 1 / (1 + x.theta**2), -2 * x.theta / (1 + x.theta**2) ** 2
    drift = G * (-p.N * g + Gamma) if inside else -G * p.N * g + Gamma
    return {"theta": x.theta + p.eps / 2 * drift + np.sqrt(G) * np.sqrt(p.eps) * z}


def sgd_m(x, g, z, p):
    u = (1 - p.alpha) * x.u - p.N * g
    return {"u": u, "theta": x.theta + p.eta * u}


def msgnht(x, g, z, p):
    u = (1 - p.eta * x.alpha) * x.u - p.eta * p.N * g + np.sqrt(2 * p.eta / p.beta) * z
    return {"u": u, "theta": x.theta + p.eta * u, "alpha": x.alpha + p.eta * (u * u - 1 / p.beta)}


def sgnht(x, g, z, p):
    v = x.v - x.xi * x.v * p.eta - p.N * g * p.eta + np.sqrt(2 * p.a * p.eta) * z
    energy = (v * v).sum(axis=1, keepdims=True) / v.shape[1]
    return {"v": v, "theta": x.theta + v * p.eta, "xi": x.xi + (energy - 1) * p.eta}


def adam(x, g, z, p, corrected):
    m = (1 - p.b1) * x.u + p.b1 * g
    v = p.sigma * x.v + (1 - p.sigma) * g**2
    n = CLOCK + 1
    m_hat, v_hat = (m / (1 - (1 - p.b1) ** n), v / (1 - p.sigma**n)) if corrected else (m, v)
    return {"u": m, "v": v, "theta": x.theta - p.eta * m_hat / (np.sqrt(v_hat) + p.lam)}


def supplement_f(x, g, z, p, form):
    f = p.N * g
    v = p.sigma * x.v + (1 - p.sigma) * f * f
    g_t = 1 / np.sqrt(p.lam + np.sqrt(v))
    if form == 1:
        u = (1 - p.b1) * x.u + p.b1 * f
        return {"u": u, "v": v, "theta": x.theta + p.eta * (g_t * g_t) * u}
    u = (1 - p.b1) * x.u - p.eta * (g_t * p.b1 * f)
    return {"u": u, "v": v, "theta": x.theta - g_t * u}


def preconditioners(x, f, p):
    v = p.sigma * x.v + (1 - p.sigma) / p.S**2 * f * f
    return v, 1 / np.sqrt(p.lam + np.sqrt(v)), 1 / np.sqrt(p.lam + np.sqrt(x.v))


def santa_euler(x, g, z, p, number):
    f = p.N * g
    v, g_t, g_before = preconditioners(x, f, p)
    alpha, u = x.alpha, 0
    if p.t < p.burnin:
        alpha = x.alpha + (x.u * x.u - p.eta / p.beta_t)
        if number == 1:
            u = (
                p.eta / p.beta_t * (1 - g_before / g_t) / x.u
                + np.sqrt(2 * p.eta / p.beta_t) * g_before * z
            )
        else:
            u = np.sqrt(2 * g_before * p.eta ** (3 / 2) / p.beta_t) * z
    u = u + (1 - alpha) * x.u - p.eta * g_t * f
    return {"theta": x.theta + g_t * u, "u": u, "alpha": alpha, "v": v}


def santa_sss(x, g, z, p, number, warm=True, explore=True):
    f = p.N * g
    v, g_t, g_before = preconditioners(x, f, p)
    theta, alpha, u = x.theta + g_t * x.u / 2, x.alpha, x.u
    explore = explore and p.t < p.burnin
    warm = warm and (explore or number == "r")
    if warm:
        alpha = alpha + (u * u - p.eta / p.beta_t) / 2
    u = np.exp(-alpha / 2) * u
    u = u - g_t * f * p.eta
    if explore:
        power = {2: 1, 4: 3 / 2}[number]
        u = u + np.sqrt(2 * g_before * p.eta**power / p.beta_t) * z
        if number == 2:
            u = u + p.eta / p.beta_t * (1 - g_before / g_t) / x.u
    u = np.exp(-alpha / 2) * u
    if warm:
        alpha = alpha + (u * u - p.eta / p.beta_t) / 2
    return {"theta": theta + g_t * u / 2, "u": u, "alpha": alpha, "v": v}


def algorithm7(x, g, z, p):
    f = p.N * g
    v, g_t, _ = preconditioners(x, f, p)
    u = (1 - x.alpha) * x.u - p.eta * g_t * f
    return {"theta": x.theta + g_t * u, "u": u, "alpha": x.alpha, "v": v}


def vem_sgd(x, g, z, p):
    """Eq. 22 on the mean loss with Eq. 35's prior, lambda |theta|^2/2 - (D/2) log(lambda), over N."""
    lam, D = getattr(x, "lambda"), x.theta.shape[1]
    by_lambda = (x.theta**2).sum(axis=1, keepdims=True) / 2 - D / (2 * lam)
    return {
        "theta": x.theta - p.eps * (g + lam * x.theta / p.N),
        "lambda": lam - p.rho * p.t**-p.c * by_lambda / p.N,
    }


def svrg_ld(x, g, z, p):
    """Algorithm 2 within an epoch, the gradient there being linear but for a noise that cancels."""
    drift = p.N * ((x.theta - x.s) @ p.A.T + x.g)
    return {"theta": x.theta - p.eps / 2 * drift + np.sqrt(p.eps) * z, "s": x.s, "g": x.g}


PRINTED = {
    "vem_sgd": vem_sgd,
    "svrg_ld": svrg_ld,
    "rmsprop": rmsprop,
    "adagrad": adagrad,
    "psgld:algorithm1": lambda *a: psgld(*a, "outside"),
    "psgld:eq3": lambda *a: psgld(*a, "inside"),
    "psgld:no_gamma": lambda *a: psgld(*a, "none"),
    "psgld:preconditioner_of_old_gradient": lambda *a: psgld(*a, "none", old=True),
    "sgrld": lambda *a: sgrld(*a, inside=False),
    "sgrld_printed": lambda *a: sgrld(*a, inside=True),
    "sgd_m": sgd_m,
    "msgnht": msgnht,
    "sgnht": sgnht,
    "adam:kingma_ba": lambda *a: adam(*a, corrected=True),
    "adam:no_correction": lambda *a: adam(*a, corrected=False),
    "adam:supplement_f_1": lambda *a: supplement_f(*a, 1),
    "adam:supplement_f_2": lambda *a: supplement_f(*a, 2),
    "santa_euler:algorithm1": lambda *a: santa_euler(*a, 1),
    "santa_euler:algorithm6": lambda *a: santa_euler(*a, 6),
    "santa_sss:algorithm2": lambda *a: santa_sss(*a, 2),
    "santa_sss:algorithm4": lambda *a: santa_sss(*a, 4),
    "santa_refinement:algorithm5": lambda *a: santa_sss(*a, 5, warm=False, explore=False),
    "santa_refinement:algorithm7": algorithm7,
    "santa_refinement:santa_r": lambda *a: santa_sss(*a, "r", explore=False),
}


def one_step(name, burnin, D=2, chains=7):
    """The declared step from random states on random noise, and what the pseudo-code needs."""
    sampler = registry.sampler(name)
    known = {p.name for p in sampler.parameters}
    given = {"gamma": "1/2", "beta": "3/2", "burnin": burnin, "lambda": "1/3"}
    problem = Problem.of(json.loads(example(sampler)))
    problem = problem.with_params(**{k: v for k, v in given.items() if k in known})
    values = problem.values(sampler)
    bound = bind(lower(Setting(sampler, problem.model)), values)
    source = np.random.default_rng(5)
    state = {s: abs(source.normal(size=(chains, D))) for s in bound.program.states}
    noise = {d.name: source.normal(size=(chains, D)) for d in bound.program.body.draws}
    after = interpret.interpret(bound, np.arange(chains), CLOCK, 1, 0, state, noise=lambda _: noise)
    A, C = (np.array(values.matrices[k], float) for k in "AC")
    B = np.linalg.cholesky(C)
    g = state["theta"] @ A.T + noise.get("w0", 0 * state["theta"]) @ B.T / np.sqrt(
        float(values.scalars["S"])
    )
    p = SimpleNamespace(**{k: float(v) for k, v in values.scalars.items() if k != "lambda"})
    p.lam, p.t, p.slope, p.A = 1 / 3, CLOCK + 1, np.diag(A), A
    p.beta_t = float(values.scalars.get("beta", 1)) * p.t**0.5
    injected = next((z for k, z in noise.items() if k != "w0"), 0.0)
    return after, (SimpleNamespace(**state), g, injected, p)


def gap(printed, after, given):
    expected = printed(*given)
    return max(float(np.max(abs(after[s] - e) / (1 + abs(e)))) for s, e in expected.items())


CASES = [
    (name, burnin)
    for name in PRINTED
    for burnin in (100, CLOCK + 2, CLOCK + 1, 1)
    if burnin == 100 or name.startswith("santa")
]


@pytest.mark.parametrize(("name", "burnin"), CASES)
def test_a_step_is_the_printed_one_and_no_other(name, burnin):
    after, given = one_step(name, burnin)
    assert gap(PRINTED[name], after, given) < 1e-12
    family, exploring = name.partition(":")[0], burnin > CLOCK + 1
    for other, printed in PRINTED.items():
        if other != name and other.startswith(f"{family}:") and (exploring or "refinement" in name):
            assert gap(printed, after, given) > 1e-4, other


def test_starts_are_the_printed_ones():
    for name in ("santa_euler", "santa_sss", "santa_refinement"):
        sampler = registry.sampler(name)
        problem = Problem.of(json.loads(example(sampler))).with_params(eta="1/4", C0="3")
        bound = bind(lower(Setting(sampler, problem.model)), problem.values(sampler))
        begun = interpret.start(bound, np.arange(4000), 1)
        assert (begun["alpha"] == 1.5).all()  # sqrt(eta) C
        assert (begun["v"] == 0).all()
        assert begun["u"].std() == pytest.approx(0.5, rel=0.05)  # sqrt(eta) times a normal vector
