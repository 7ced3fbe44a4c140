"""Section 6: what is concluded. The statements themselves are recorded where the paper makes them."""

from verification.claims.definition import NotMathematical

global_optima = NotMathematical(
    "sec6.global_optima",
    at="section 6",
    title="There is theory on convergence to the global optimum",
    says="It is Theorem 2 and Corollary 3, recorded with section 4.3.",
    because="opinion",
)
