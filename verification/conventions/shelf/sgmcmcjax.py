"""SGMCMCJax, as read in version 0.2.13."""

from sympy import Integer, sqrt

from sgtheory.declare import D, N, dot, local, normal, ones, positive, state
from verification.conventions.record import Entry, Library, Match, Series, Wants, declared

theta, v, alpha_, V = state("theta v xi V")
G, P = local("G P")
n = normal("n")
dt, alpha, a, eps = positive("dt alpha a eps")

WANTS = Wants("log density", "sum")
TARGETS = "verification.conventions.targets.sgmcmcjax"
SOURCE = "sgmcmcjax/diffusions.py"
MODEL = "loglikelihood, logprior, data, batch_size"

SGLD = Entry(
    "sgld",
    f"sgmcmcjax.kernels.build_sgld_kernel(dt, {MODEL})",
    WANTS,
    declared(
        "sgmcmcjax.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=((G, WANTS(theta)), (theta, theta + dt * G + sqrt(2 * dt) * n)),
    ),
    SOURCE,
    matches=(
        Match("sgld", (("eps", 2 * dt), ("H", 1))),
        Match("sgfs", (("eps", N * dt), ("H", 1), ("E", sqrt(2 / N)))),
    ),
    target=f"{TARGETS}:sgld",
)

PSGLD = Entry(
    "psgld",
    f"sgmcmcjax.kernels.build_psgld_kernel(dt, {MODEL}, alpha=0.99, eps=1e-5)",
    WANTS,
    declared(
        "sgmcmcjax.psgld",
        WANTS,
        state=(theta, V),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (V, alpha * V + (1 - alpha) * G * G),
            (P, ones / (sqrt(V) + eps * ones)),
            (theta, theta + dt / 2 * P * G + sqrt(dt * P) * n),
        ),
        given=(alpha < 1,),
        defaults=((alpha, "99/100"), (eps, "1/100000")),
    ),
    SOURCE,
    matches=(
        Match(
            "psgld:no_gamma",
            (("eps", dt / N), ("alpha", alpha), ("lambda", eps / N)),
            states=(("V", V / N**2),),
            assumes=("no-prior",),
        ),
    ),
    target=f"{TARGETS}:psgld",
    notes=(
        "The squares that are averaged are those of the summed gradient, the prior's part included.",
    ),
)


def _inner(count: int) -> Entry:
    """SGHMC: a call draws the velocity anew and makes ``count`` steps, a minibatch to each."""
    noises = normal(" ".join(f"n{k}" for k in range(count + 1)))
    velocity = local("u")
    updates = [(velocity, sqrt(dt) * noises[0])]
    for k in range(count):
        updates += [
            (G, WANTS(theta, k)),
            (theta, theta + velocity),
            (velocity, velocity + dt * G - alpha * velocity + sqrt(2 * alpha * dt) * noises[k + 1]),
        ]
    return Entry(
        "sghmc",
        f"sgmcmcjax.kernels.build_sghmc_kernel(dt, L={count}, {MODEL}, alpha=0.01)",
        WANTS,
        declared(
            f"sgmcmcjax.sghmc:{count}",
            WANTS,
            state=(theta,),
            noises=noises[:count],  # the last one reaches no position
            updates=tuple(updates[:-1]),
            given=(alpha <= 1,),
            defaults=((alpha, "1/100"),),
        ),
        "sgmcmcjax/kernels.py",
        matches=(
            Match(
                "sghmc_refreshed",
                (("L", Integer(count)), ("eta", dt), ("alpha", alpha), ("beta", 0), ("tau", 1)),
                every=count,
            ),
        ),
        target=f"{TARGETS}:sghmc",
        notes=("One call draws a new velocity and makes L steps, each on a minibatch of its own.",),
        count=("L", str(count)),
    )


SGNHT = Entry(
    "sgnht",
    f"sgmcmcjax.kernels.build_sgnht_kernel(dt, {MODEL}, a=0.01)",
    WANTS,
    declared(
        "sgmcmcjax.sgnht",
        WANTS,
        state=(theta, v, alpha_),
        noises=(n,),
        updates=(
            (v, v - alpha_ * v + dt * WANTS(theta) + sqrt(2 * a * dt) * n),
            (theta, theta + v),
            (alpha_, alpha_ + (dot(v, v) / D - dt) * ones),
        ),
        start=((v, sqrt(dt) * n), (alpha_, a * ones)),
        defaults=((a, "1/100"),),
    ),
    SOURCE,
    matches=(
        Match(
            "sgnht",
            (("eta", sqrt(dt)), ("a", a / sqrt(dt)), ("tau", 1)),
            states=(("v", v / sqrt(dt)), ("xi", alpha_ / sqrt(dt))),
        ),
    ),
    target=f"{TARGETS}:sgnht",
    notes=("Its friction is called alpha in the library; the thermostat starts at a.",),
)

SGMCMCJAX = Library(
    "sgmcmcjax",
    "sgmcmcjax",
    "0.2.13",
    "https://github.com/jeremiecoullon/SGMCMCJax",
    (SGLD, PSGLD, Series("sghmc", "L", 10, _inner), SGNHT),
    install=("sgmcmcjax", "jax==0.4.30", "jaxlib==0.4.30"),
    module="sgmcmcjax",
    others=(
        ("baoab", "its kernel leaves every position where it began: see the finding"),
        ("badodab", "its kernel leaves every position where it began: see the finding"),
        ("sgldCV, sgld_SVRG", "control variates over the library's own data, not over a gradient"),
    ),
)
