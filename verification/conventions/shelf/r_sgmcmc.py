"""The R package sgmcmc, as read in R/dynamics.R of its repository."""

from sympy import Integer, Rational, sqrt

from sgtheory.declare import D, dot, local, normal, ones, positive, state
from verification.conventions.record import Entry, Library, Match, Series, Wants, declared

theta, u, thermostat = state("theta u alpha")
G = local("G")
n = normal("n")
stepsize, alpha, a = positive("stepsize alpha a")

WANTS = Wants("log density", "sum")
SOURCE = "R/dynamics.R"
COMMON = "logLik, dataset, params, stepsize, logPrior = NULL, minibatchSize = 0.01"

SGLD = Entry(
    "sgld",
    f"sgld({COMMON})",
    WANTS,
    declared(
        "r_sgmcmc.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=((G, WANTS(theta)), (theta, theta + stepsize / 2 * G + sqrt(stepsize) * n)),
    ),
    SOURCE,
    matches=(Match("sgld", (("eps", stepsize), ("H", 1))),),
)


def _inner(count: int) -> Entry:
    """SGHMC: a call draws the velocity anew and makes ``count`` steps, a minibatch to each."""
    noises = normal(" ".join(f"n{k}" for k in range(count + 1)))
    nu = local("nu")
    updates = [(nu, Rational(1, 2) * sqrt(2 * stepsize) * noises[0])]
    for k in range(count):
        updates += [
            (G, WANTS(theta, k)),
            (nu, nu + stepsize * G - alpha * nu + sqrt(2 * alpha * stepsize) * noises[k + 1]),
            (theta, theta + nu),
        ]
    refreshed = "sghmc_velocity_first_refreshed"
    ours = (("L", Integer(count)), ("eta", stepsize), ("alpha", alpha), ("beta", 0), ("tau", 1))
    return Entry(
        "sghmc",
        f"sghmc({COMMON}, alpha = 0.01, L = {count})",
        WANTS,
        declared(
            f"r_sgmcmc.sghmc:{count}",
            WANTS,
            state=(theta,),
            noises=noises,
            updates=tuple(updates),
            given=(alpha <= 1,),
            defaults=((alpha, "1/100"),),
        ),
        SOURCE,
        matches=(Match(refreshed, ours, every=count),),
        notes=(
            "One call draws a new velocity and makes L steps, each on a minibatch of its own.",
            "The new velocity is 0.5 times a noise of variance 2 stepsize: variance stepsize/2.",
        ),
        count=("L", str(count)),
    )


SGNHT = Entry(
    "sgnht",
    f"sgnht({COMMON}, a = 0.01)",
    WANTS,
    declared(
        "r_sgmcmc.sgnht",
        WANTS,
        state=(theta, u, thermostat),
        noises=(n,),
        updates=(
            (u, u + stepsize * WANTS(theta) - thermostat * u + sqrt(2 * a * stepsize) * n),
            (theta, theta + u),
            (thermostat, thermostat + (dot(u, u) / D - stepsize) * ones),
        ),
        start=((u, sqrt(stepsize) * n), (thermostat, a * ones)),
        defaults=((a, "1/100"),),
    ),
    SOURCE,
    matches=(
        Match(
            "sgnht",
            (("eta", sqrt(stepsize)), ("a", a / sqrt(stepsize)), ("tau", 1)),
            states=(("v", u / sqrt(stepsize)), ("xi", thermostat / sqrt(stepsize))),
        ),
    ),
)

R_SGMCMC = Library(
    "r_sgmcmc",
    "sgmcmc",
    "6c9b18e9",
    "https://github.com/STOR-i/sgmcmc",
    (SGLD, Series("sghmc", "L", 5, _inner), SGNHT),
    language="R",
    unrun="it needs R with TensorFlow 1, which this script does not install",
)
