"""Turing.jl: SGLD and SGHMC, as read in src/mcmc/sghmc.jl."""

from sympy import sqrt

from sgtheory.declare import local, nonnegative, normal, positive, state, t
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, v = state("theta v")
G = local("G")
n = normal("n")
stepsize, learning_rate, momentum_decay, a, gamma = positive(
    "stepsize learning_rate momentum_decay a gamma"
)
b = nonnegative("b")

WANTS = Wants("log density", "sum")
SOURCE = "src/mcmc/sghmc.jl"
WHOLE = "Its gradient is that of the model's log density, over all of its data at once."

SGLD = Entry(
    "sgld",
    "SGLD(; stepsize = t -> stepsize)",
    WANTS,
    declared(
        "turing.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=((G, WANTS(theta)), (theta, theta + stepsize / 2 * G + sqrt(stepsize) * n)),
    ),
    SOURCE,
    matches=(Match("sgld", (("eps", stepsize), ("H", 1))),),
    notes=(WHOLE,),
)

_AT = a / (t + 1 + b) ** gamma

DECREASING = Entry(
    "sgld_polynomial",
    "SGLD(; stepsize = PolynomialStepsize(a, b=0, gamma=0.55))",
    WANTS,
    declared(
        "turing.sgld_polynomial",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=((G, WANTS(theta)), (theta, theta + _AT / 2 * G + sqrt(_AT) * n)),
        defaults=((b, 0), (gamma, "11/20")),
    ),
    SOURCE,
    matches=(Match("sgld_decreasing", (("eps", a), ("b", b + 1), ("c", gamma))),),
    notes=(WHOLE, "Its first step is number 1."),
)

SGHMC = Entry(
    "sghmc",
    "SGHMC(; learning_rate, momentum_decay)",
    WANTS,
    declared(
        "turing.sghmc",
        WANTS,
        state=(theta, v),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta + v),
            (
                v,
                (1 - momentum_decay) * v
                + learning_rate * G
                + sqrt(2 * learning_rate * momentum_decay) * n,
            ),
        ),
        given=(momentum_decay <= 1,),
    ),
    SOURCE,
    matches=(
        Match(
            "sghmc",
            (("eta", learning_rate), ("alpha", momentum_decay), ("beta", 0), ("tau", 1)),
            states=(("v", v),),
        ),
    ),
    notes=(WHOLE,),
)

TURING = Library(
    "turing",
    "Turing.jl",
    "02f251da",
    "https://github.com/TuringLang/Turing.jl",
    (SGLD, DECREASING, SGHMC),
    language="Julia",
    unrun="it needs Julia, which this script does not install",
)
