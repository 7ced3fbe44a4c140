"""Sections 5 and 6: the double well and its schedule; Tables 1 and 2; what is concluded."""

from collections.abc import Mapping

import sympy as sp

from verification.papers.chen2016santa import section_4_3
from verification.relations import Adds, All, Compare, Equal, Moves, growing
from verification.statements import Printed, Stated, at, sqrt
from verification.terms.kinds import number
from verification.terms.term import Letter, Term, letter, letters, product, total

theta = sp.Symbol("theta", real=True)
s, mode = sp.symbols("s t", positive=True)
low, high, lower, higher = letters("theta_1 theta_2 theta_3 theta_4", "real")
WELL = (theta + 4) * (theta + 1) * (theta - 1) * (theta - 3) / 14 + sp.Rational(1, 2)


def slope(at: Term) -> Term:
    """The slope of the double well: the product rule on its four factors."""
    factors = (at + 4, at + 1, at - 1, at - 3)
    return total(product(f for f in factors if f is not one) for one in factors) / 14


modes = at("sec5_1.modes", "section 5.1, the double-well potential").claim(
    "The double well has its modes at -3 and 2",
    "Its slope is zero at either.",
    read=All(Equal(slope(low), 0), Equal(slope(high), 0)),
    numbers={low: "-3", high: "2"},
)

rounded_modes = at("sec5_1.modes_rounded", "section 5.1, the double-well potential").claim(
    "To the nearest whole number they are -3 and 2",
    "The slope changes its sign within a half of either, from below to above: between $theta_1 = -3.5$"
    " and $theta_2 = -2.5$, between $theta_3 = 1.5$ and $theta_4 = 2.5$.",
    read=All(slope(low) < 0, slope(high) > 0, slope(lower) < 0, slope(higher) > 0),
    numbers={low: "-3.5", high: "-2.5", lower: "1.5", higher: "2.5"},
)

optimum = at("sec5_1.optimum", "section 5.1, the double-well potential").claim(
    "The global optimum is the left mode",
    "Everywhere right of zero, at a positive $s$, the potential is above its value at -3.",
    read=Compare(WELL.subs(theta, -3), "<=", sp.expand(WELL.subs(theta, s))),
)

step_decreases = at("sec5_1.step", "section 5.1, settings").claim(
    "The learning rate decreases",
    "It is $t^(-0.3)$ over ten.",
    read=Moves(mode ** sp.Rational(-3, 10) / 10, "shrinks", growing(mode)),
)

schedule_increases = at("sec5_1.schedule", "section 5.1, settings").claim(
    "The inverse temperature increases",
    "It is the square of $t$.",
    read=Moves(mode**2, "grows", growing(mode)),
)

sum = at("sec5_1.finite_sum", "section 5.1, settings, against section 4.3 and its sixth footnote").claim(
    "The annealing sequence has a finite sum",
    "That is, word by word, the condition after Theorem 2, which the footnote says may be neglected.",
    derived=Adds(mode**2, "to a finite sum", growing(mode)),
)

sum_of_temperatures = at("sec5_1.finite_sum.temperatures", sum.at).claim(
    "The sequence of temperatures has a finite sum",
    "The term in question is a mean of $B_t/beta_t$: read of $1/beta_t$ the condition is met.",
    derived=Adds(mode**-2, "to a finite sum", growing(mode)),
)

starts_near = at("sec5_1.start", "section 5.1, settings").claim(
    "The start is nearer to the local mode",
    "From 4 the mode read as 2 is nearer than that read as -3.",
    read=higher - high < higher - low,
    numbers={higher: "4", high: "2", low: "-3"},
)

figure_1 = at("fig1", "Figure 1 and section 5.1").picture(
    "Santa leaves the local mode, RMSprop does not",
    "What is read off one run; neither its length nor the settings of RMSprop are given.",
)

t, N = sp.symbols("t N", positive=True)
loss, of_all = sp.symbols("loss total", real=True)


def rows(text: str) -> dict[str, tuple[str, ...]]:
    """Lines of a table: a name, then a number for each column."""
    return {name: tuple(numbers) for name, *numbers in (line.split() for line in text.split(","))}


FNN = rows(
    "Santa 1.21 1.16, Santa_E 1.41 1.27, Santa_r 1.45 1.40, Adam 1.53 1.47, RMSprop 1.59 1.43,"
    "SGD_M 1.66 1.72, SGD 1.72 1.47, SGLD 1.64 1.41, BPB 1.32 1.34, dropout 1.51 1.33"
)
CNN = rows(
    "Santa 0.47, Santa_E 0.58, Santa_r 0.49, Adam 0.59, RMSprop 0.64, SGD_M 0.77, SGD 0.81, SGLD 0.71,"
    "pooling 0.47, NIN 0.47, maxout 0.45"
)
RNN = rows(
    "Santa 7.60 3.39 7.20 8.46, Adam 8.00 3.70 7.56 8.51, RMSprop 7.70 3.48 7.22 8.52,SGD_M 8.32 3.60"
    " 7.69 8.59, SGD 11.13 5.26 10.08 10.81, HF 7.66 3.89 7.19 8.58,SGD_M_2012 8.37 4.46 8.13 8.71"
)
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


CONVOLUTIONAL = {entry(n): x for n, (x,) in CNN.items()}

settings = at("sec5_2.settings", "section 5.2, first paragraph").setting(
    "Networks, epochs, and learning rates found on a grid",
    "Exploration takes half of all iterations; rates are $4e-6$ for Santa and larger for the others.",
)

schedules = at(
    "sec5_2.finite_sum", "section 5.2, settings, against section 4.3 and its sixth footnote"
).claim(
    "The annealing sequences have finite sums",
    "They are $t$ to powers from 0.1 to 1; the first and the last. (Sums of $1/beta_t$ are not either;"
    " but $1/beta_t$ tends to 0, so that the term in question vanishes.)",
    derived=All(
        Adds(t ** sp.Rational(1, 10), "to a finite sum", growing(t)),
        Adds(t, "to a finite sum", growing(t)),
    ),
)

best_fnn = at("table1.fnn", "section 5.2 and Table 1").claim(
    "Santa has the least error among all algorithms, with feedforward networks",
    "In both columns of the table.",
    read=best(FNN, tuple(n for n in FNN if n != "Santa")),
    numbers=table(FNN),
)


def ahead(key: str, name: str, title: str) -> Stated:
    """Santa's errors are below those of one of its variants."""
    return at(f"table1.{key}", "section 5.2 and Table 1").claim(
        title,
        "In both columns for feedforward networks, and in that for convolutional ones.",
        read=All(*(entry("Santa", k) < entry(name, k) for k in (1, 2, 0))),
        numbers=table(FNN) | CONVOLUTIONAL,
    )


euler_worse = ahead("euler", "Santa_E", "The Euler scheme is slightly worse")
without_exploration = ahead("refinement_alone", "Santa_r", "Without exploration it is less good")

figure_2 = at("fig2", "Figure 2 and section 5.2").picture(
    "Santa converges as fast, to a better local optimum", "What is read off learning curves."
)

error_cnn = at("table1.cnn_error", "section 5.3, against Table 1").claim(
    "Santa has an error of 0.45 %",
    "The text has this number; the table has another in Santa's row.",
    printed=Equal(entry("Santa"), "0.45"),
    numbers=CONVOLUTIONAL,
)

best_cnn = at("table1.cnn", "section 5.3 and Table 1").claim(
    "Santa outperforms other algorithms, with convolutional networks",
    "Those that were run beside it: Adam, RMSprop, SGD with and without momentum, SGLD.",
    read=All(*(entry("Santa") < entry(n) for n in (*OWN, "SGLD"))),
    numbers=CONVOLUTIONAL,
)

# Of 10,000 digits a method has 100 times its error wrong. A difference varies by chance like the root of
# how many digits just one method has wrong: at least the difference, at most all that either has wrong.
more, both = ((entry("Adam") + sign * entry("Santa")) * 100 for sign in (-1, 1))
significantly = at("table1.cnn_significantly", "section 5.3 and Table 1").degree(
    "It does so significantly",
    "Two error rates on one test set do not fix it: what counts are digits that one method gets wrong"
    " and the other does not. The difference to Adam, in standard deviations, is between two numbers.",
    {
        "the difference where no digit is wrong for both": more / sqrt(both),
        "the difference where all that Santa has wrong is wrong for Adam too": sqrt(more),
    },
    CONVOLUTIONAL,
)

comparable = at("table1.cnn_state_of_the_art", "section 5.3 and Table 1").degree(
    "It is comparable to recent systems with more complex architectures, or better",
    "Comparable or even better than some systems of others, of which three are in the table.",
    {f"its error over that of {n}": entry("Santa") / entry(n) for n in ("pooling", "NIN", "maxout")},
    CONVOLUTIONAL,
)

eq5 = at("eq5", "Eq. 5").definition(
    "The loss of a recurrent network",
    "The mean over $N$ sequences of minus the log likelihood, summed over each sequence.",
    Printed(loss, of_all / N),
    kinds={loss: number(), of_all: number(), N: number()},
    stands="read",
)

settings_rnn = at("sec5_4.settings", "section 5.4, third paragraph").setting(
    "Settings of the recurrent networks",
    "Rates 0.001 and 0.0002, schedule $t^(1/2)$; gradients clipped by the norm of the parameters.",
)

best_rnn = at("table2", "section 5.4 and Table 2").claim(
    "Santa has the best test likelihoods",
    "In all four columns, among all algorithms of the table.",
    read=best(RNN, tuple(n for n in RNN if n != "Santa")),
    numbers=table(RNN),
)

best_rnn_related = at("table2.related", "sections 5.4 and 6, and Table 2").claim(
    "Santa has the best test likelihoods among related stochastic optimisers",
    "In all four columns, among Adam, RMSprop and SGD with and without momentum.",
    read=best(RNN, (*OWN, "SGD_M_2012")),
    numbers=table(RNN),
)

figure_3 = at("fig3", "Figure 3 and section 5.4").picture(
    "Santa converges fast but overfits", "What is read off learning curves."
)

global_optima = at("sec6.global_optima", "section 6").again(
    section_4_3.corollary,
    "The theory on convergence to the global optimum needs Assumption 1",
    stands="derived",
)
