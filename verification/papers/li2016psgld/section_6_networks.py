"""Experiments: tables and settings of neural networks; conclusion."""

from verification.claims.definition import NotMathematical
from verification.statements import All, Equal, Letter, claim, letter

SIZES = ("400", "800", "1200")


def row(name: str) -> tuple[Letter, ...]:
    """One method's test errors, a letter for each network size."""
    return tuple(letter(f"{name}_{size}") for size in SIZES)


wide, unit, distilled, sgld, rmsprop, spectral, sgd, gaussian, mixture, dropout = (
    row(name)
    for name in (
        "pSGLD_wide",
        "pSGLD",
        "distilled",
        "SGLD",
        "RMSprop",
        "RMSspectral",
        "SGD",
        "BPB_Gaussian",
        "BPB_mixture",
        "dropout",
    )
)
TABLE_2 = (
    (wide, "1.40", "1.26", "1.14"),
    (unit, "1.45", "1.32", "1.24"),
    (distilled, "1.44", "1.40", "1.41"),
    (sgld, "1.64", "1.41", "1.40"),
    (rmsprop, "1.59", "1.43", "1.39"),
    (spectral, "1.65", "1.56", "1.46"),
    (sgd, "1.72", "1.47", "1.47"),
    (gaussian, "1.82", "1.99", "2.04"),
    (mixture, "1.32", "1.34", "1.32"),
    (dropout, "1.51", "1.33", "1.36"),
)


def printed_errors(*rows: tuple[Letter, ...]) -> dict[Letter, str]:
    """The numbers of some rows."""
    return {
        size: error
        for sizes, *errors in TABLE_2
        if sizes in rows
        for size, error in zip(sizes, errors, strict=True)
    }


def below(first: tuple[Letter, ...], second: tuple[Letter, ...]) -> All:
    """Smaller at every size."""
    return All(*(a < b for a, b in zip(first, second, strict=True)))


def falling(errors: tuple[Letter, ...]) -> All:
    """Smaller with every size."""
    return All(errors[1] < errors[0], errors[2] < errors[1])


side = letter("side")

pixels = claim(
    "sec6.pixels",
    at="feedforward networks, on MNIST",
    title="Inputs of 784 dimensions",
    says="Images of 28 by 28 points are inputs of the network 784-X-X-10.",
    printed=Equal(28 * side, 784),
    numbers={side: "28"},
)

better_than_rmsprop = claim(
    "table2.psgld",
    at="Table 2",
    title="pSGLD is better than RMSprop",
    says="At every size the sampler has a smaller error than its counterpart in optimization.",
    read=All(below(wide, rmsprop), below(unit, rmsprop)),
    numbers=printed_errors(wide, unit, rmsprop),
)

better_than_sgd = claim(
    "table2.sgld",
    at="Table 2",
    title="SGLD is better than SGD",
    says="The other pair of counterparts.",
    read=below(sgld, sgd),
    numbers=printed_errors(sgld, sgd),
)

better_than_sgld = claim(
    "table2.psgld_and_sgld",
    at="introduction, and Table 2",
    title="pSGLD is better than SGLD",
    says="At every size pSGLD has a smaller error than SGLD.",
    read=All(below(wide, sgld), below(unit, sgld)),
    numbers=printed_errors(wide, unit, sgld),
)

wide_prior = claim(
    "table2.prior",
    at="Table 2",
    title="The wider prior performs better",
    says="With a prior variance of 100 errors are smaller than with 1, at every size.",
    read=below(wide, unit),
    numbers=printed_errors(wide, unit),
)

state_of_the_art = claim(
    "table2.best",
    at="after Table 2, and abstract",
    title="pSGLD is ahead of all methods compared",
    says="State-of-the-art test accuracy: no other row of the table has a smaller error at any size.",
    read=All(
        *(below(wide, other) for other in (sgld, rmsprop, spectral, sgd, gaussian, dropout, mixture))
    ),
    numbers=printed_errors(wide, sgld, rmsprop, spectral, sgd, gaussian, dropout, mixture),
)

larger_is_better = claim(
    "table2.size",
    at="after Table 2",
    title="pSGLD gains with the size of the network",
    says="Its errors fall from each size to the next.",
    read=All(falling(wide), falling(unit)),
    numbers=printed_errors(wide, unit),
)

others_do_not = claim(
    "table2.size_of_others",
    at="after Table 2",
    title="Other methods do not gain with the size",
    says="The errors of BPB and of SGD with dropout do not fall from 800 to 1200, or from 400 to 800.",
    read=All(gaussian[1] > gaussian[0], mixture[1] > mixture[0], dropout[2] > dropout[1]),
    numbers=printed_errors(gaussian, mixture, dropout),
)

fast_version = NotMathematical(
    "table2.distilled",
    at="feedforward networks, on distilled pSGLD",
    title="The distilled version performs well",
    says="The performance of the distilled version is called good.",
    because="opinion",
)

figure_4 = NotMathematical(
    "fig4",
    at="Fig. 4",
    title="Weights and learning curves of the large network",
    says="Wider priors are shown with wider weights, and pSGLD as the fastest and best.",
    because="picture",
)

distilling = NotMathematical(
    "sec6.distilling",
    at="feedforward networks, on distilled pSGLD",
    title="One network in the place of many",
    says="That a single network can learn the average of many is ascribed to Korattikara et al.",
    because="attribution",
)

ensemble_cost = NotMathematical(
    "sec6.ensemble_cost",
    at="feedforward networks, last paragraph",
    title="Ensembles cost more in testing",
    says="An ensemble takes more computation than one network.",
    because="timing",
)

psgld, trained = letter("pSGLD"), letter("SGD")

table_3 = claim(
    "table3",
    at="convolutional networks, text on Table 3",
    title="pSGLD improves a convolutional network",
    says="Its error of 0.45 % is below the 0.82 % of SGD.",
    read=psgld < trained,
    numbers={psgld: "0.45", trained: "0.82"},
)

figure_5 = NotMathematical(
    "fig5",
    at="Fig. 5",
    title="Learning curves of the convolutional network",
    says="Learning curves for the errors of Table 3.",
    because="picture",
)

conclusion = NotMathematical(
    "conclusion.controllable",
    at="conclusion",
    title="A controllable finite-time error",
    says="The method is said to adapt to local geometry with a controllable error.",
    because="opinion",
)
