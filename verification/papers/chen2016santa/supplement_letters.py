"""Letters of the supplement: SDE (1) in one coordinate and in two, its densities, its generator."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion

theta, p, Xi, zeta = sp.symbols("theta p Xi zeta", real=True)
beta, h, eta, g = sp.symbols("beta h eta g", positive=True)
D = sp.Derivative
RHO = sp.Symbol("rho", positive=True)  # a density

# one coordinate: G_1 and G_2 are numbers that may depend on theta
U = sp.Function("U")(theta)
G1 = sp.Function("G1", positive=True)(theta)
G2 = sp.Function("G2", positive=True)(theta)
STATE = (theta, p, Xi)
PULL = G1 * (Xi - G2) * G2.diff(theta)
PUSH = -G1 * U.diff(theta) + G1.diff(theta) / beta + PULL  # the drift of p in sub-SDE O
DRIFT = (G1 * p, PUSH - Xi * p, p**2 - 1 / beta)
NOISE = sp.sqrt(2 * G2 / beta)
SDE_1 = Diffusion(STATE, DRIFT, ((0,), (NOISE,), (0,)))
H_2 = beta * U + beta * p**2 / 2 + beta * (Xi - G2) ** 2 / 2  # of Eq. (2)
H_11 = p**2 / 2 + U + (Xi - G2) ** 2 / 2  # of Eq. (11)

# two coordinates: diagonal Xi, entries of the metrics with letters of their own
theta_1, theta_2, p_1, p_2, Xi_1, Xi_2 = sp.symbols("theta_1 theta_2 p_1 p_2 Xi_1 Xi_2", real=True)
PLACES, MOMENTA, FRICTIONS = (theta_1, theta_2), (p_1, p_2), (Xi_1, Xi_2)
PLANE = (*PLACES, *MOMENTA, *FRICTIONS)
U_PLANE = sp.Function("U")(*PLACES)
m11, m22, k11, k22 = (sp.Function(n, positive=True)(*PLACES) for n in ("m11", "m22", "k11", "k22"))
m12, k12 = (sp.Function(n)(*PLACES) for n in ("m12", "k12"))
METRIC = ((m11, m12), (m12, m22))  # G_1
SPREAD = (k11, k22)  # the diagonal of a diagonal G_2


def energy_plane(temperature_in: bool = True) -> sp.Expr:
    """H of Eq. (2), or of Eq. (11) without beta, for a diagonal G_2."""
    H = U_PLANE + sum(x**2 for x in MOMENTA) / 2
    H += sum((z - k) ** 2 for z, k in zip(FRICTIONS, SPREAD, strict=True)) / 2
    return beta * H if temperature_in else H


def force_plane(i: int, metric: tuple[tuple[sp.Expr, ...], ...] = METRIC) -> sp.Expr:
    """The drift of p_i without its friction."""
    force = sp.Integer(0)
    for j, place in enumerate(PLACES):
        pulled = (FRICTIONS[j] - SPREAD[j]) * D(SPREAD[j], place) - D(U_PLANE, place)
        force += metric[i][j] * pulled + sp.diff(metric[i][j], place) / beta
    return force
