"""Supplement A: the printed solutions of the three parts into which SDE (1) is split."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from verification.claims.flow import Flow
from verification.papers.chen2016santa.supplement_letters import (
    DRIFT,
    G1,
    NOISE,
    PUSH,
    STATE,
    Xi,
    beta,
    h,
    p,
    theta,
    zeta,
)

QUIET = ((0,), (0,), (0,))

part_a = Flow(
    "eq6.A",
    at="supplement A, Eq. 6, part A",
    title="Solution of the first sub-SDE",
    says="In a time h the position moves by G_1 p h and the thermostat by (p^2 - 1/beta) h"
    " (in one coordinate).",
    process=Diffusion(STATE, (G1 * p, 0, DRIFT[2]), QUIET),
    update=(theta + G1 * p * h, p, Xi + (p**2 - 1 / beta) * h),
    h=h,
)

part_b = Flow(
    "eq6.B",
    at="supplement A, Eq. 6, part B",
    title="Solution of the second sub-SDE",
    says="In a time h the momentum is damped by exp(-Xi h).",
    process=Diffusion(STATE, (0, -Xi * p, 0), QUIET),
    update=(theta, sp.exp(-Xi * h) * p, Xi),
    h=h,
)

part_o = Flow(
    "eq6.O",
    at="supplement A, Eq. 6, part O",
    title="Solution of the third sub-SDE",
    says="In a time h the momentum gains h times its drift and a normal number of variance 2 G_2/beta.",
    process=Diffusion(STATE, (0, PUSH, 0), ((0,), (NOISE,), (0,))),
    update=(theta, p + PUSH * h + NOISE * zeta, Xi),
    h=h,
    noises=(zeta,),
)
