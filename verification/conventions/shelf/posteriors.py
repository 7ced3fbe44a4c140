"""posteriors, as read in version 0.1.3."""

from sympy import exp, sqrt

from sgtheory.declare import D, N, dot, local, nonnegative, normal, ones, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, m, xi = state("theta m xi")
G, old = local("G old")
n = normal("n")
lr, temperature, alpha, sigma, zeta = positive("lr temperature alpha sigma zeta")
beta = nonnegative("beta")

WANTS = Wants("log density", "sum")
TARGETS = "verification.conventions.targets.posteriors"
NOISE = sqrt(temperature * lr * (2 * alpha - temperature * lr * beta))
PARAMETERS = "lr, alpha=0.01, beta=0.0, sigma=1.0, temperature=1.0"
DEFAULTS = ((alpha, "1/100"), (beta, 0), (sigma, 1), (temperature, 1))
TANDEM = (
    "Its guide divides the log posterior by the data size and sets temperature = 1/N instead:"
    " then G is -g, and lr is N times what it is here."
)

SGLD = Entry(
    "sgld",
    "posteriors.sgmcmc.sgld.build(log_posterior, lr, beta=0.0, temperature=1.0)",
    WANTS,
    declared(
        "posteriors.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta + lr * G + sqrt(temperature * lr * (2 - temperature * lr * beta)) * n),
        ),
        given=(temperature * lr * beta <= 2,),
        defaults=((beta, 0), (temperature, 1)),
    ),
    "posteriors/sgmcmc/sgld.py",
    matches=(
        Match("sgld", (("eps", 2 * lr), ("H", 1)), holds=((temperature, 1), (beta, 0))),
        Match(
            "sgfs",
            (
                ("eps", N * lr),
                ("H", 1),
                ("E", sqrt(temperature * (2 - temperature * lr * beta) / N)),
            ),
            back=((beta, 0),),
        ),
    ),
    target=f"{TARGETS}:sgld",
    notes=(TANDEM,),
)

SGHMC = Entry(
    "sghmc",
    f"posteriors.sgmcmc.sghmc.build(log_posterior, {PARAMETERS}, momenta=None)",
    WANTS,
    declared(
        "posteriors.sghmc",
        WANTS,
        state=(theta, m),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta + lr / sigma**2 * m),
            (m, m + lr * G - lr / sigma**2 * alpha * m + NOISE * n),
        ),
        start=((m, n),),
        given=(temperature * lr * beta <= 2 * alpha,),
        defaults=DEFAULTS,
    ),
    "posteriors/sgmcmc/sghmc.py",
    matches=(
        Match(
            "sghmc",
            (
                ("eta", lr**2 / sigma**2),
                ("alpha", lr * alpha / sigma**2),
                ("beta", lr**2 * temperature * beta / (2 * sigma**2)),
                ("tau", temperature),
            ),
            states=(("v", lr / sigma**2 * m),),
            back=((sigma, 1),),
        ),
    ),
    target=f"{TARGETS}:sghmc",
    notes=(TANDEM, "The first momentum has variance 1, whatever sigma and the temperature are."),
)

SGNHT = Entry(
    "sgnht",
    f"posteriors.sgmcmc.sgnht.build(log_posterior, {PARAMETERS}, momenta=None, xi=None)",
    WANTS,
    declared(
        "posteriors.sgnht",
        WANTS,
        state=(theta, m, xi),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (old, m),
            (theta, theta + lr / sigma**2 * m),
            (m, m + lr * G - lr / sigma**2 * xi * m + NOISE * n),
            (xi, xi + lr * (dot(old, old) / (sigma**2 * D) - temperature) * ones),
        ),
        start=((m, n), (xi, alpha * ones)),
        given=(temperature * lr * beta <= 2 * alpha,),
        defaults=DEFAULTS,
    ),
    "posteriors/sgmcmc/sgnht.py",
    matches=(
        Match(
            "sgnht",
            (("eta", lr), ("a", alpha), ("tau", temperature)),
            states=(("v", m), ("xi", xi)),
            holds=((beta, 0), (sigma, 1)),
        ),
    ),
    target=f"{TARGETS}:sgnht",
    notes=(TANDEM, "The thermostat sees the momentum before it is moved."),
)

BAOA = Entry(
    "baoa",
    "posteriors.sgmcmc.baoa.build(log_posterior, lr, alpha=0.01, sigma=1.0, temperature=1.0,"
    " momenta=None)",
    WANTS,
    declared(
        "posteriors.baoa",
        WANTS,
        state=(theta, m),
        noises=(n,),
        updates=(
            (m, m + lr * WANTS(theta)),
            (theta, theta + lr / (2 * sigma**2) * m),
            (m, zeta * m + sigma * sqrt(temperature) * sqrt(1 - zeta**2) * n),
            (theta, theta + lr / (2 * sigma**2) * m),
        ),
        where=((zeta, exp(-lr * alpha / sigma**2)),),
        start=((m, n),),
        given=(zeta < 1,),
        defaults=tuple(d for d in DEFAULTS if d[0] != beta),
        limit="step",
    ),
    "posteriors/sgmcmc/baoa.py",
    matches=(
        Match(
            "underdamped:BAOA",
            (("eps", lr / sigma), ("gamma", alpha / sigma), ("tau", temperature)),
            states=(("v", m / sigma),),
            back=((sigma, 1),),
        ),
    ),
    target=f"{TARGETS}:baoa",
    notes=(TANDEM, "The first momentum has variance 1, whatever sigma and the temperature are."),
)

POSTERIORS = Library(
    "posteriors",
    "posteriors",
    "0.1.3",
    "https://github.com/normal-computing/posteriors",
    (SGLD, SGHMC, SGNHT, BAOA),
    install=("posteriors", "torch==2.14.1"),
    module="posteriors",
)
