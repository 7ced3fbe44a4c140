"""Arguments about matrices of any size: a normal form, derivatives, and equalities under hypotheses.

Letters are D x D matrices of which only assumptions are known. Sums of products of them have a
normal form, so equality is a subtraction; what the normal form does not show is decided by
completing the relations, or by a counterexample in exact numbers, or left open and said to be.

>>> import sympy as sp
>>> from sgtheory.matrices import *
>>> A, C, H = matrices("A C H", "positive_definite")
>>> eps, N, S = sp.symbols("eps N S", positive=True)
>>> Sigma = eps / (2 * S) * C * H * A**-1
>>> divergence = (N * tr(A * Sigma) - logdet(N * A * Sigma) - D) / 2
>>> stationary = equation(gradient(divergence, H).value, 0)
>>> solve_for(stationary, H).equation
H^-1 = N*eps*C/(2*S)
"""

from sgtheory.language import D
from sgtheory.matrices.calculus import (
    Gradient,
    derivative,
    differential,
    gradient,
    second_differential,
)
from sgtheory.matrices.convexity import quadratic_sign
from sgtheory.matrices.definite import Sign, sign
from sgtheory.matrices.evaluation import determinant, evaluate
from sgtheory.matrices.hypotheses import Commute, Equation, all_commute, commute, equation
from sgtheory.matrices.interchange import from_sympy, to_sympy
from sgtheory.matrices.inverses import inverse, root
from sgtheory.matrices.letters import Letter
from sgtheory.matrices.proof import Proof, prove_equal
from sgtheory.matrices.scalars import diagonal_part, logdet, symmetric_part, tr
from sgtheory.matrices.solving import Solution, both_sides, solve_for, trace_of
from sgtheory.matrices.substitution import congruence, substitute, under
from sgtheory.matrices.sums import ZERO, I, Matrix, letter_of, matrices, matrix
from sgtheory.matrices.witnesses import Witness
from sgtheory.matrices.writing import latex, plain

__all__ = [
    "ZERO",
    "Commute",
    "D",
    "Equation",
    "Gradient",
    "I",
    "Letter",
    "Matrix",
    "Proof",
    "Sign",
    "Solution",
    "Witness",
    "all_commute",
    "both_sides",
    "commute",
    "congruence",
    "derivative",
    "determinant",
    "diagonal_part",
    "differential",
    "equation",
    "evaluate",
    "from_sympy",
    "gradient",
    "inverse",
    "latex",
    "letter_of",
    "logdet",
    "matrices",
    "matrix",
    "plain",
    "prove_equal",
    "quadratic_sign",
    "root",
    "second_differential",
    "sign",
    "solve_for",
    "substitute",
    "symmetric_part",
    "to_sympy",
    "tr",
    "trace_of",
    "under",
]
