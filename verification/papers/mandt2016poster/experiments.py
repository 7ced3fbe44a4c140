"""Experiments on real-world data."""

from verification.claims.definition import NotMathematical

figures = NotMathematical(
    "experiments.figures",
    at="Experiments on real-world data",
    title="Figures of iterates and of learning curves",
    says="Pictures of the laws of SGD with several steps and preconditioners.",
    because="picture",
)
