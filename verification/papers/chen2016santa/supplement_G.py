"""Supplement G: further learning curves."""

from verification.claims.definition import NotMathematical

fnn = NotMathematical(
    "fig4",
    at="supplement G, Fig. 4",
    title="Learning curves on MNIST, 800 hidden units",
    says="Curves of a feedforward network of size 800 on MNIST.",
    because="picture",
)

music = NotMathematical(
    "fig5",
    at="supplement G, Fig. 5",
    title="Learning curves on four sets of polyphonic music",
    says="Curves of recurrent networks, for several algorithms.",
    because="picture",
)
