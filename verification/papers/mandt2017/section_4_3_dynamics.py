"""Section 4.3, its end: what momentum does to the dynamics while eps/mu is held fixed.

The rate eps/mu is the letter r. A chain's autocorrelation time can mean three things here: the time in
which its slowest direction relaxes, or the integrated time of the position, or that of its square.
Sigma_lags is the sum (integral) of the position's autocovariances over all lags, Squares_lags the same
for its square.
"""

from sympy import Symbol

from sgtheory.notation.matrixwords import Entry
from verification.claims.definition import NotMathematical
from verification.laws.lagsums import correlation_time, correlation_time_of_square
from verification.notation import eps, mu
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.refuter.conditions import OneDimensional
from verification.statements import Exists, Moves, Not, Stable, claim, letter, term, vanishing
from verification.theories.matrices.relaxation import RELAXATION

r = Symbol("r", positive=True)
nu = letter("nu", "up to one")  # another damping
AT_FIXED_RATE = ((eps, r * mu),)
ONE_MODE = OneDimensional(())  # what follows is said of each eigenvector by itself

steadier = claim(
    "sec4_3.steadier",
    at="section 4.3, end",
    title="Less damping sometimes makes the algorithm stable",
    says="At a given effective rate a smaller mu can make the discretised dynamics stable.",
    of="momentum",
    given=(*USUAL, CONVEX),
    read=Exists(Stable(), Not(Stable((mu, nu))), term(mu) < nu),
    sets=AT_FIXED_RATE,
    kinds=(("mu", "up to one"),),
    time="discrete",
)

observed = NotMathematical(
    "sec4_3.observed",
    at="section 4.3, end",
    title="An observation of Sutskever et al.",
    says="That less damping can steady the algorithm is quoted as seen by others.",
    because="attribution",
)

relaxation = claim(
    "sec4_3.relaxation_time",
    at="section 4.3, end",
    title="Little damping slows the chain down",
    says="With eps/mu held fixed, very small mu eventually lengthens the relaxation time.",
    of="momentum",
    given=(*USUAL, CONVEX),
    read=Moves(RELAXATION, "grows", vanishing(mu, *AT_FIXED_RATE)),
)

autocorrelation = claim(
    "sec4_3.autocorrelation_time",
    at="section 4.3, end",
    title="Little damping increases the autocorrelation time",
    says="Read as a coordinate's integrated time: it eventually grows as mu vanishes.",
    of="momentum",
    given=(*USUAL, CONVEX, ONE_MODE),
    read=Moves(correlation_time(lambda m: Entry(m, 0, 0)), "grows", vanishing(mu, *AT_FIXED_RATE)),
)

autocorrelation_of_square = claim(
    "sec4_3.autocorrelation_time_of_square",
    at="section 4.3, end",
    title="Little damping increases that of squares",
    says="Read as the integrated time of a coordinate's square, which is what estimates a variance.",
    of="momentum",
    given=(*USUAL, CONVEX, ONE_MODE),
    read=Moves(
        correlation_time_of_square(lambda m: Entry(m, 0, 0)), "grows", vanishing(mu, *AT_FIXED_RATE)
    ),
)

negligible = NotMathematical(
    "sec4_3.negligible",
    at="section 4.3, end",
    title="The effect is often negligible",
    says="How much it matters in practice is a judgement.",
    because="opinion",
)
