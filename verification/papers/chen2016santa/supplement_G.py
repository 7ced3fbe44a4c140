"""Supplement G: further learning curves."""

from verification.statements import at

fnn = at("fig4", "supplement G, Fig. 4").picture(
    "Learning curves on MNIST, 800 hidden units", "Curves of a feedforward network of size 800 on MNIST."
)

music = at("fig5", "supplement G, Fig. 5").picture(
    "Learning curves on four sets of polyphonic music",
    "Curves of recurrent networks, for several algorithms.",
)
