"""Appendix D, its end: why the underbraced term is said to vanish, index by index.

xi stands for any antisymmetric matrix. A sum over k of A_ik xi_kj is entry (i, j) of A xi, and one of
xi_ki A_jk is entry (j, i) of it.
"""

from sympy import Add, Symbol

from verification.notation import A
from verification.statements import Equal, claim
from verification.terms.kinds import Transpose

Xi, M = (Symbol(n, commutative=False) for n in ("xi", "M"))
ANTISYMMETRIC = (("xi", "antisymmetric"),)
TERM = A * Xi + Transpose(Xi) * A

symmetric = claim(
    "appD.term_symmetric",
    at="Appendix D, last paragraph",
    title="The term is symmetric",
    says="A matrix plus its own transpose is symmetric.",
    read=Equal(Transpose(TERM), TERM),
    kinds=ANTISYMMETRIC,
)

index_first = claim(
    "appD.index_first",
    at="Appendix D, last paragraph, first equality of the calculation",
    title="The transpose of xi written as minus xi",
    says="In the second sum the transpose is traded for a sign, and the indices are exchanged as well.",
    printed=Equal(A * Xi + Transpose(Xi) * Transpose(A), A * Xi - Transpose(A * Xi)),
    kinds=ANTISYMMETRIC,
)

index_second = claim(
    "appD.index_second",
    at="Appendix D, last paragraph, second equality of the calculation",
    title="Two factors exchanged under a sum",
    says="The entries of A and xi are numbers, so that their order does not matter.",
    printed=Equal(A * Xi - Transpose(Xi) * Transpose(A), A * Xi - Transpose(A * Xi)),
    kinds=ANTISYMMETRIC,
)

index_swap = claim(
    "appD.index_swap",
    at="Appendix D, last paragraph, after the calculation",
    title="The last expression changes its sign with i and j exchanged",
    says="What the calculation ends with is antisymmetric.",
    read=Equal(Transpose(A * Xi - Transpose(A * Xi)), -(A * Xi - Transpose(A * Xi))),
    kinds=ANTISYMMETRIC,
)

simultaneously_antisymmetric = claim(
    "appD.term_antisymmetric",
    at="Appendix D, last paragraph",
    title="The term is antisymmetric as well",
    says="The calculation is taken to show that the term changes its sign under transposition.",
    read=Equal(Transpose(TERM), -TERM),
    kinds=ANTISYMMETRIC,
)

both_vanish = claim(
    "appD.both_vanish",
    at="Appendix D, last sentence",
    title="What is symmetric and antisymmetric is zero",
    says="Twice a matrix is what symmetry makes zero plus what antisymmetry makes zero.",
    read=Equal(2 * M, Add(M - Transpose(M), M + Transpose(M), evaluate=False)),
    kinds=(("M", "any"),),
)
