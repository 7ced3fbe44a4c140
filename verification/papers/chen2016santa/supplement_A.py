"""Supplement A: the printed solutions of the three parts into which SDE (1) is split."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
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
from verification.statements import All, Equal, at, solution

QUIET = ((0,), (0,), (0,))


def solved(process: Diffusion, update: tuple[sp.Expr, ...], noises: tuple[sp.Symbol, ...] = ()) -> All:
    """How mean and covariance of a printed solution start and move."""
    return All(*(Equal(*pair) for pair in solution(process, update, h, noises)))


on_a_line = at.within("one coordinate")
part_a = on_a_line("eq6.A", "supplement A, Eq. 6, part A").claim(
    "Solution of the first sub-SDE",
    "In a time $h$ the position moves by $G_1 p h$ and the thermostat by $(p^2 - 1/beta) h$.",
    states=(*STATE, h),
    printed=solved(
        Diffusion(STATE, (G1 * p, 0, DRIFT[2]), QUIET),
        (theta + G1 * p * h, p, Xi + (p**2 - 1 / beta) * h),
    ),
)

part_b = on_a_line("eq6.B", "supplement A, Eq. 6, part B").claim(
    "Solution of the second sub-SDE",
    "In a time $h$ the momentum is damped by $exp(-Xi h)$.",
    states=(*STATE, h),
    printed=solved(Diffusion(STATE, (0, -Xi * p, 0), QUIET), (theta, sp.exp(-Xi * h) * p, Xi)),
)

part_o = at("eq6.O", "supplement A, Eq. 6, part O").claim(
    "Solution of the third sub-SDE",
    "In a time $h$ the momentum gains $h$ times its drift and a normal number of variance $2 G_2/beta$.",
    states=(*STATE, h),
    printed=solved(
        Diffusion(STATE, (0, PUSH, 0), ((0,), (NOISE,), (0,))),
        (theta, p + PUSH * h + NOISE * zeta, Xi),
        (zeta,),
    ),
)
