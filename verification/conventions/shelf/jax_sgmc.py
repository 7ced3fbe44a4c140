"""jax-sgmc's integrators, as read in version 0.1.5."""

from typing import Any

from sympy import exp, sqrt

from sgtheory.declare import N, local, normal, positive, state
from verification.conventions.record import Entry, Library, Match, Series, Wants, declared

theta, m = state("theta m")
G = local("G")
n, n1, n2 = normal("n n1 n2")
c = positive("c")
step_size, temperature, friction = positive("step_size temperature friction")

WANTS = Wants("loss", "sum")
TARGETS = "verification.conventions.targets.jax_sgmc"
SOURCE = "jax_sgmc/integrator.py"

SGLD = Entry(
    "langevin_diffusion",
    "jax_sgmc.integrator.langevin_diffusion(potential, data)",
    WANTS,
    declared(
        "jax_sgmc.langevin_diffusion",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta - step_size * G + sqrt(2 * temperature * step_size) * n),
        ),
        defaults=((temperature, 1),),
    ),
    SOURCE,
    matches=(
        Match("sgld", (("eps", 2 * step_size), ("H", 1)), holds=((temperature, 1),)),
        Match("sgfs", (("eps", N * step_size), ("H", 1), ("E", sqrt(2 * temperature / N)))),
    ),
    target=f"{TARGETS}:langevin_diffusion",
)

OBABO = Entry(
    "obabo",
    "jax_sgmc.integrator.obabo(potential, data, steps=10, friction=1)",
    WANTS,
    declared(
        "jax_sgmc.obabo",
        WANTS,
        state=(theta, m),
        noises=(n1, n2),
        updates=(
            (m, c * m + sqrt(temperature) * sqrt(1 - c**2) * n1),
            (m, m - step_size / 2 * WANTS(theta)),
            (theta, theta + step_size * m),
            (m, m - step_size / 2 * WANTS(theta, 1)),
            (m, c * m + sqrt(temperature) * sqrt(1 - c**2) * n2),
        ),
        where=((c, exp(-friction * step_size / 2)),),
        given=(c < 1,),
        defaults=((temperature, 1), (friction, 1)),
    ),
    SOURCE,
    matches=(
        Match(
            "underdamped:OBABO",
            (("eps", step_size), ("gamma", friction), ("tau", temperature)),
            states=(("v", m),),
        ),
    ),
    target=f"{TARGETS}:obabo",
    notes=("What runs is one step to a call, with a minibatch to each half kick; masses are 1.",),
)


def _inner(count: int) -> Entry:
    """SGHMC: a call draws the momentum anew and makes ``count`` steps, a minibatch to each."""
    noises: Any = normal(" ".join(f"n{k}" for k in range(count + 1)))
    momentum = local("p")
    updates = [(momentum, noises[0])]
    for k in range(count):
        updates += [
            (theta, theta + step_size * momentum),
            (
                momentum,
                (1 - step_size * friction) * momentum
                - step_size * WANTS(theta, k)
                + friction * sqrt(2 * step_size) * noises[k + 1],
            ),
        ]
    return Entry(
        "friction_leapfrog",
        f"jax_sgmc.alias.sghmc(potential, data, integration_steps={count}, friction=1)",
        WANTS,
        declared(
            f"jax_sgmc.friction_leapfrog:{count}",
            WANTS,
            state=(theta,),
            noises=noises[:count],  # the last one reaches no position
            updates=tuple(updates[:-1]),
            given=(step_size * friction <= 1,),
            defaults=((friction, 1),),
        ),
        SOURCE,
        matches=(),
        target=f"{TARGETS}:friction_leapfrog",
        notes=(
            "The noise has variance 2 step_size friction^2 where SGHMC has 2 step_size friction: without"
            " a new momentum it would keep the temperature friction. At friction 1, the default, it is"
            " SGHMC.",
            "One call draws a new momentum of variance 1 and makes all steps; the momentum drawn last"
            " reaches no position.",
        ),
        count=("steps", str(count)),
    )


JAX_SGMC = Library(
    "jax_sgmc",
    "jax-sgmc",
    "0.1.5",
    "https://github.com/tummfm/jax-sgmc",
    (SGLD, OBABO, Series("friction_leapfrog", "steps", 10, _inner)),
    install=("jax-sgmc", "jax==0.4.25", "jaxlib==0.4.25", "scipy<1.13", "numpy<2"),
    module="jax_sgmc",
    others=(
        ("reversible_leapfrog", "a part of AMAGOLD, whose solver accepts or rejects by energies"),
        ("alias.re_sgld", "parallel tempering: its swaps depend on energies"),
    ),
)
