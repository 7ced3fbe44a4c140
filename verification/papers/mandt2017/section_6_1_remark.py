"""Section 6.1: what is said of averaging with decreasing rates."""

from verification.claims.definition import NotMathematical

slowly_decreasing = NotMathematical(
    "sec6_1.slowly_decreasing",
    at="section 6.1, second paragraph",
    title="Averaging usually goes with slowly decreasing rates",
    says="Others let rates decrease slowly, to be rid of a bias; the constant rate is ascribed as well.",
    because="attribution",
)
