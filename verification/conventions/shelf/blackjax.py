"""BlackJAX, as read in version 1.7.1."""

from typing import Any

from sympy import Integer, sqrt

from sgtheory.declare import D, N, dot, local, nonnegative, normal, ones, positive, state
from verification.conventions.record import Entry, Library, Match, Series, Wants, declared

theta, p, xi = state("theta p xi")
G = local("G")
n = normal("n")
step_size, temperature, alpha = positive("step_size temperature alpha")
beta = nonnegative("beta")

WANTS = Wants("log density", "sum")
TARGETS = "verification.conventions.targets.blackjax"
SOURCE = "blackjax/sgmcmc/diffusions.py"
NOISE = sqrt(step_size * temperature * (2 * alpha - step_size * temperature * beta))

SGLD = Entry(
    "sgld",
    "blackjax.sgld(grad_estimator).step(key, position, minibatch, step_size, temperature=1)",
    WANTS,
    declared(
        "blackjax.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta + step_size * G + sqrt(2 * temperature * step_size) * n),
        ),
        defaults=((temperature, 1),),
    ),
    SOURCE,
    matches=(
        Match("sgld", (("eps", 2 * step_size), ("H", 1)), holds=((temperature, 1),)),
        Match("sgfs", (("eps", N * step_size), ("H", 1), ("E", sqrt(2 * temperature / N)))),
    ),
    target=f"{TARGETS}:sgld",
)


def _inner(count: int) -> Entry:
    """SGHMC: a call draws the momentum anew and makes ``count`` steps on one minibatch."""
    noises: Any = normal(" ".join(f"n{k}" for k in range(count + 1)))
    momentum = local("m")
    updates = [(momentum, noises[0])]
    for k in range(count):
        updates += [
            (G, WANTS(theta)),
            (theta, theta + step_size * momentum),
            (momentum, (1 - alpha * step_size) * momentum + step_size * G + NOISE * noises[k + 1]),
        ]
    return Entry(
        "sghmc",
        f"blackjax.sghmc(grad_estimator, num_integration_steps={count}, alpha=0.01, beta=0)"
        ".step(key, position, minibatch, step_size, temperature=1)",
        WANTS,
        declared(
            f"blackjax.sghmc:{count}",
            WANTS,
            state=(theta,),
            noises=noises[:count],  # the last one reaches no position
            updates=tuple(updates[:-1]),
            given=(step_size * temperature * beta <= 2 * alpha,),
            defaults=((temperature, 1), (alpha, "1/100"), (beta, 0)),
        ),
        "blackjax/sgmcmc/sghmc.py",
        matches=(
            Match(
                "sghmc_refreshed",
                (
                    ("L", Integer(count)),
                    ("eta", step_size**2),
                    ("alpha", alpha * step_size),
                    ("beta", beta * step_size**2 / 2),
                    ("tau", 1),
                ),
                holds=((temperature, 1),),
                every=count,
                assumes=("full-gradients",),
            ),
        ),
        target=f"{TARGETS}:sghmc",
        notes=(
            "One call draws a new momentum, of variance 1 at any temperature, and makes"
            " num_integration_steps steps.",
            "All of them see the same minibatch.",
            "The last momentum is dropped: with one integration step no gradient reaches the position.",
        ),
        count=("num_integration_steps", str(count)),
    )


SGNHT = Entry(
    "sgnht",
    "blackjax.sgnht(grad_estimator, alpha=0.01, beta=0)"
    ".step(key, state, minibatch, step_size, temperature=1)",
    WANTS,
    declared(
        "blackjax.sgnht",
        WANTS,
        state=(theta, p, xi),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta + step_size * p),
            (p, (ones - xi * step_size) * p + step_size * G + NOISE * n),
            (xi, xi + step_size * (dot(p, p) / D - temperature) * ones),
        ),
        start=((p, n), (xi, alpha * ones)),
        given=(step_size * temperature * beta <= 2 * alpha,),
        defaults=((temperature, 1), (alpha, "1/100"), (beta, 0)),
    ),
    SOURCE,
    matches=(
        Match(
            "sgnht",
            (("eta", step_size), ("a", alpha), ("tau", temperature)),
            states=(("v", p), ("xi", xi)),
            holds=((beta, 0),),
        ),
    ),
    target=f"{TARGETS}:sgnht",
)

BLACKJAX = Library(
    "blackjax",
    "blackjax",
    "1.7.1",
    "https://github.com/blackjax-devs/blackjax",
    (SGLD, Series("sghmc", "num_integration_steps", 10, _inner), SGNHT),
    install=("blackjax", "jax==0.10.2"),
    module="blackjax",
    others=(("csgld", "its steps depend on energies, and on a histogram of all of them"),),
)
