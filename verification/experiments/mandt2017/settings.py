"""What section 7.1 prints about its figures and its table, and what it leaves open."""

from __future__ import annotations

from verification.experiments.mandt2017.readings import NEAREST
from verification.experiments.mandt2017.rows import PROPORTIONAL
from verification.experiments.record import Setting

SECTION = "section 7.1"
WINE = (
    Setting("wine: N, D, S", "4898, 11, 100", SECTION),
    Setting("model of wine and protein", "linear regression", SECTION),
    Setting("noise of the outcome", "", SECTION, "variance 1"),
    Setting("regulariser", "1", SECTION, "half the squared length of theta, once in the whole loss"),
    Setting(
        "scaling", "rescaled the feature to unit length", SECTION, f"{NEAREST.scaling} (see Table 1)"
    ),
    Setting("scaling of the outcome and intercept", "", SECTION, f"{NEAREST.target}, none"),
    Setting("rate of constant SGD", "Eq. 15", SECTION),
    Setting("number and start of iterates", "", SECTION, "from the mode; independent chains"),
)
SKIN = (
    Setting("skin: N, D, S", "245057, 3, 10000", SECTION),
    Setting("model of skin", "logistic regression", SECTION),
)
BBVI = (
    Setting(
        "optimisation of BBVI",
        "",
        SECTION,
        "1000 steps, 16 draws, rate decreasing from 0.1 (skin 0.03)",
    ),
)
TABLE = (
    Setting("protein: N, D, S", "45730, 8, 100", SECTION,
            f"of the nine features F{(NEAREST.left_out or 0) + 1} is left out"),
    Setting("which of nine features is left out", "", SECTION, "each was tried"),
    Setting("direction of the divergence", "", "Table 1", NEAREST.direction),
    Setting("rates of SGLD: wine, protein, skin", "1e-3, 1e-6, 1e-5", SECTION),
    Setting("rate of SGFS", "Eq. 15", SECTION),
    Setting("injected noise E of SGFS", "", "section 5.2", PROPORTIONAL),
    Setting("whether C is true or estimated online", "", "section 4.1", "the true one at the mode"),
)  # fmt: skip
