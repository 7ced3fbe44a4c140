"""Conclusion."""

from verification.claims.definition import NotMathematical

criteria = NotMathematical(
    "conclusion.criteria",
    at="Conclusion",
    title="SGD as approximate Bayesian inference",
    says="Constant SGD samples approximately, and small divergences are criteria for its parameters.",
    because="opinion",
)
