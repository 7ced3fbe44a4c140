"""Sections 5.2 to 5.4: settings, and what is said of Tables 1 and 2, held against their numbers."""

from collections.abc import Mapping

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.statements import Adds, All, Equal, Letter, claim, growing, letter, sqrt, term
from verification.terms.kinds import number

t, N = sp.symbols("t N", positive=True)
loss, total = sp.symbols("loss total", real=True)
FNN = {
    "Santa": ("1.21", "1.16"),
    "Santa_E": ("1.41", "1.27"),
    "Santa_r": ("1.45", "1.40"),
    "Adam": ("1.53", "1.47"),
    "RMSprop": ("1.59", "1.43"),
    "SGD_M": ("1.66", "1.72"),
    "SGD": ("1.72", "1.47"),
    "SGLD": ("1.64", "1.41"),
    "BPB": ("1.32", "1.34"),
    "dropout": ("1.51", "1.33"),
}
CNN = {
    "Santa": "0.47",
    "Santa_E": "0.58",
    "Santa_r": "0.49",
    "Adam": "0.59",
    "RMSprop": "0.64",
    "SGD_M": "0.77",
    "SGD": "0.81",
    "SGLD": "0.71",
    "pooling": "0.47",
    "NIN": "0.47",
    "maxout": "0.45",
}
RNN = {
    "Santa": ("7.60", "3.39", "7.20", "8.46"),
    "Adam": ("8.00", "3.70", "7.56", "8.51"),
    "RMSprop": ("7.70", "3.48", "7.22", "8.52"),
    "SGD_M": ("8.32", "3.60", "7.69", "8.59"),
    "SGD": ("11.13", "5.26", "10.08", "10.81"),
    "HF": ("7.66", "3.89", "7.19", "8.58"),
    "SGD_M_2012": ("8.37", "4.46", "8.13", "8.71"),
}
OWN = ("Adam", "RMSprop", "SGD_M", "SGD")


Rows = Mapping[str, tuple[str, ...]]


def entry(name: str, column: int = 0) -> Letter:
    """A number of a table."""
    return letter(f"{name}_{column}" if column else name)


def table(rows: Rows) -> dict[Letter, str]:
    """All numbers of a table."""
    return {entry(n, k + 1): x for n, row in rows.items() for k, x in enumerate(row)}


def best(rows: Rows, others: tuple[str, ...]) -> All:
    """Santa's numbers are below those of others, column by column."""
    columns = range(1, len(rows["Santa"]) + 1)
    return All(*(entry("Santa", k) < entry(n, k) for n in others for k in columns))


CONVOLUTIONAL = {entry(n): x for n, x in CNN.items()}


settings = NotMathematical(
    "sec5_2.settings",
    at="section 5.2, first paragraph",
    title="Networks, epochs, and learning rates found on a grid",
    says="Exploration takes half of all iterations; rates are 4e-6 for Santa and larger for the others.",
    because="timing",
)

schedules = claim(
    "sec5_2.finite_sum",
    at="section 5.2, settings, against section 4.3 and its sixth footnote",
    title="The annealing sequences have finite sums",
    says="They are t to powers from 0.1 to 1; these are the first and the last.",
    derived=All(
        Adds(t ** sp.Rational(1, 10), "to a finite sum", growing(t)),
        Adds(t, "to a finite sum", growing(t)),
    ),
)

best_fnn = claim(
    "table1.fnn",
    at="section 5.2 and Table 1",
    title="Santa has the least error among all algorithms, with feedforward networks",
    says="In both columns of the table.",
    read=best(FNN, tuple(n for n in FNN if n != "Santa")),
    numbers=table(FNN),
)

euler_worse = claim(
    "table1.euler",
    at="section 5.2 and Table 1",
    title="The Euler scheme is slightly worse",
    says="In both columns for feedforward networks, and in that for convolutional ones.",
    read=All(*(entry("Santa", k) < entry("Santa_E", k) for k in (1, 2, 0))),
    numbers=table(FNN) | CONVOLUTIONAL,
)

without_exploration = claim(
    "table1.refinement_alone",
    at="section 5.2 and Table 1",
    title="Without exploration it is worse",
    says="In both columns for feedforward networks, and in that for convolutional ones.",
    read=All(*(entry("Santa", k) < entry("Santa_r", k) for k in (1, 2, 0))),
    numbers=table(FNN) | CONVOLUTIONAL,
)

figure_2 = NotMathematical(
    "fig2",
    at="Figure 2 and section 5.2",
    title="Santa converges as fast, to a better local optimum",
    says="What is read off learning curves.",
    because="picture",
)

error_cnn = claim(
    "table1.cnn_error",
    at="section 5.3, against Table 1",
    title="Santa has an error of 0.45 %",
    says="The text has this number; the table has another in Santa's row.",
    printed=Equal(entry("Santa"), "0.45"),
    numbers=CONVOLUTIONAL,
)

best_cnn = claim(
    "table1.cnn",
    at="section 5.3 and Table 1",
    title="Santa outperforms other algorithms, with convolutional networks",
    says="Those that were run beside it: Adam, RMSprop, SGD with and without momentum, SGLD.",
    read=All(*(entry("Santa") < entry(n) for n in (*OWN, "SGLD"))),
    numbers=CONVOLUTIONAL,
)

count = letter("n")
difference = (entry("Adam") - entry("Santa")) / 100
variance = (entry("Adam") + entry("Santa")) / 100 / count

significantly = claim(
    "table1.cnn_significantly",
    at="section 5.3 and Table 1",
    title="It does so significantly",
    says="The difference to Adam is more than two standard errors of two shares of 10,000 test digits.",
    read=difference > 2 * sqrt(variance),
    numbers=CONVOLUTIONAL | {count: "10000"},
)

comparable = claim(
    "table1.cnn_state_of_the_art",
    at="section 5.3 and Table 1",
    title="It is comparable to recent systems with more complex architectures",
    says="Its error is at most a tenth larger than that of each of the three that are cited.",
    read=All(*(entry("Santa") <= term("1.1") * entry(n) for n in ("pooling", "NIN", "maxout"))),
    numbers=CONVOLUTIONAL,
)

eq5 = Definition(
    "eq5",
    at="Eq. 5",
    title="The loss of a recurrent network",
    says="The mean over N sequences of minus the log likelihood, summed over each sequence.",
    printed=(Printed(loss, total / N),),
    declared=((loss, number()), (total, number()), (N, number())),
)

settings_rnn = NotMathematical(
    "sec5_4.settings",
    at="section 5.4, third paragraph",
    title="Settings of the recurrent networks",
    says="Rates 0.001 and 0.0002, schedule t^(1/2); gradients clipped by the norm of the parameters.",
    because="timing",
)

best_rnn = claim(
    "table2",
    at="section 5.4 and Table 2",
    title="Santa has the best test likelihoods",
    says="In all four columns, among all algorithms of the table.",
    read=best(RNN, tuple(n for n in RNN if n != "Santa")),
    numbers=table(RNN),
)

best_rnn_related = claim(
    "table2.related",
    at="sections 5.4 and 6, and Table 2",
    title="Santa has the best test likelihoods among related stochastic optimisers",
    says="In all four columns, among Adam, RMSprop and SGD with and without momentum.",
    read=best(RNN, (*OWN, "SGD_M_2012")),
    numbers=table(RNN),
)

figure_3 = NotMathematical(
    "fig3",
    at="Figure 3 and section 5.4",
    title="Santa converges fast but overfits",
    says="What is read off learning curves.",
    because="picture",
)
