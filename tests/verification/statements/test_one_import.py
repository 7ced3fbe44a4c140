"""All that can be said is imported from one place."""

from __future__ import annotations

from typing import Any

import verification.statements as said
from verification.statements import *  # noqa: F403
from verification.terms.term import Applied, term
from verification.terms.words import lexicon

# what relations and theories write when they work something out: no author does
_OF_THE_ENGINE = {
    *("derived", "put", "generated"),  # derivatives at arguments, and a step put into a function
    *("exp_block", "spread_block"),  # what an equation comes to after a unit of time
    *("double_integral", "double_sum"),  # what averages over a window come to
}


def spoken() -> list[Any]:
    """A term with each word, by the names that are imported."""
    a, b = said.letters("a b")
    x, n = said.letter("x", "real"), said.letter("n", "count")
    (u,), f, s = said.sequences("u"), said.function("f"), said.variable("s")
    z = said.columns("z")
    (lmc, sgld), M, t = map(said.law, ("lmc", "sgld")), said.A * said.C, said.index("t")
    functions = ("exp", "log", "sqrt", "sinh", "cosh", "tanh", "size", "mean", "mean_given_past",
                 "sin", "cos", "erf", "sign")  # fmt: skip
    bent, kick = said.chain("bent", x - x**3, x), said.variable("kick")
    coins = said.chain("coins", x / 2 + kick, x, said.of_law(kick, "signs"))
    of_matrices = ("trace", "tr", "det", "rank", "transpose", "Diagonal", "Trace", "Determinant", "expm",
                   "SmallestEigenvalue", "LargestEigenvalue", "Transpose")  # fmt: skip
    of_data = ("Average", "BatchAverage", "First", "Expectation", "Online")
    of_chains = ("off", "second_about_mode", "cov", "bias", "gradient_noise", "spread", "run_off")
    return [
        *(getattr(said, name)(a) for name in functions),
        *(getattr(said, name)(M) for name in of_matrices),
        *(getattr(said, name)(z) for name in of_data),
        *(getattr(said, name)("lmc") for name in of_chains),
        *(said.undone(name, said.IDENTITY) for name in "HGL"),
        *(
            a + b,
            a - b,
            a * b,
            a / b,
            -a,
            a**b,
            said.largest(a, b),
            said.smallest(a, b),
            said.pi,
            said.E,
        ),
        *(u[n], said.over(u[t], t, 1, n), f(x), said.partial(f(x), x), said.density(f(x))),
        *(said.log_integral(-(x**2), x), said.mean_under(-(x**2), x, x), said.OverNoise(z, z)),
        *(said.Gradient(said.Inner(z, said.theta)), said.Hessian(said.Inner(z, said.theta))),
        *(said.Degree(said.Inner(z, said.theta)), said.At(said.Inner(z, said.theta), z)),
        *(said.third(said.IDENTITY), said.HESSIAN, said.NOISE, said.W2(lmc, sgld)),
        *(said.Entry(said.A, 0, 1), said.elsewhere(said.Sigma, (said.eps, 2)), said.FormAt(M, said.A)),
        *(
            said.MeanForm(M, M, "q"),
            said.MeanLogDensity(M, "f", M, "q"),
            said.Divergence(M, "q", M, "f"),
            said.Transported(M, "q", M, "f"),
            said.TotalVariation(M, "q", M, "f"),
            bent.mean(x),
            bent.laws,
            coins.unlike("uniform"),
        ),
        *(said.lagged(n, 0), said.averaged(n), said.remembered(n), said.long_run()),
        *(said.of_process(said.Sigma), said.integral(s, (s, 0, a)), said.derivative(a * x, x)),
    ]


def test_every_word_of_an_author_is_reached_by_one_import() -> None:
    parts = (part for one in spoken() for part in term(one).subterms())
    heads = {part.head for part in parts if isinstance(part, Applied)}
    assert heads == set(lexicon()) - _OF_THE_ENGINE


def test_everything_is_listed_once_and_is_there() -> None:
    assert len(said.__all__) == len(set(said.__all__))
    assert all(globals()[name] is getattr(said, name) for name in said.__all__ if name in globals())
    assert set(said.__all__) <= set(globals())


def test_names_that_two_languages_share_are_told_apart() -> None:
    assert str(said.E) == "e"
    assert said.position != said.theta
    assert said.second_about_mode is not said.second
