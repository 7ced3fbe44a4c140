"""Section 6: what is concluded. The statements themselves are recorded where the paper makes them."""

from verification.statements import at

global_optima = at("sec6.global_optima", "section 6").opinion(
    "There is theory on convergence to the global optimum",
    "It is Theorem 2 and Corollary 3, recorded with section 4.3.",
)
