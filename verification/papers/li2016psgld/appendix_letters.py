"""Letters of the appendices: sequences over steps, and single numbers, of one coordinate."""

import sympy as sp

from verification.claims.base import Assumption
from verification.sequences.words import T, numbers, over, t

eps = numbers("epsilon", positive=True)  # step sizes
S_T = over(eps[t])
SQUARES = over(eps[t] ** 2)  # what the remainders of single steps add up to
psi, phi = numbers("psi"), numbers("phi")  # at theta_t
L_psi = numbers("L_psi")  # the generator applied to psi, at theta_t
P = numbers("mean_psi")  # the mean of psi(theta_t), given theta_(t-1)
x = numbers("x")  # psi(theta_t) minus that mean: what the noise adds
d = numbers("d")  # Delta V_t applied to psi, at theta_(t-1)
r = numbers("r")  # what one step leaves over, in units of eps_t^2
A_1 = sp.Symbol("a", real=True)  # psi(theta_0) - E psi(theta_T)
RATE = sp.Rational(3, 2)

STEPS = ((eps, "steps"),)
CENTRED = Assumption("given the past, the noise and the minibatch have mean zero")
SMOOTH = Assumption("psi and its derivatives up to the third are bounded by a function (Assumption 2)")
ONE = Assumption("one coordinate: the preconditioner is diagonal")
LAST = T
