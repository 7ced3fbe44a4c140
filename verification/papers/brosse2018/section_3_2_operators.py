"""Section 3.2: the operators K, H and G."""

from sympy import Symbol, symbols

from verification.claims.base import Printed
from verification.claims.definition import Definition
from verification.notation import N, S, trace
from verification.papers.brosse2018.letters import D2U
from verification.statements import Equal, Order, claim, vanishing
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Expectation,
    FixedSquare,
    columns,
    outer,
    total,
)
from verification.terms.kinds import LOSS, PARAMETER, Transpose, column, number, square
from verification.theories.minibatches.drawing import REPLACED

hessian = D2U
argument, image, of_H, of_G, noise_K, left, right, tensor, first, other = (
    Symbol(name, commutative=False)
    for name in ("Q", "image", "H_Q", "G_Q", "K_Q", "A_1", "A_2", "tensor", "theta_1", "theta_2")
)
spread = Symbol("sum_R_Q_R", commutative=False)
step, batch = symbols("gamma p", positive=True)
CURVATURE = LOSS / PARAMETER**2
LETTERS = (
    (hessian, square(CURVATURE)),
    (argument, square(PARAMETER**2)),
    (image, square(LOSS)),
    (of_H, square(LOSS)),
    (of_G, square(LOSS)),
    (noise_K, square(LOSS**2 / PARAMETER**2)),
    (step, number(PARAMETER**2 / LOSS)),
)

kronecker = Definition(
    "sec3_2.kronecker",
    at="section 3.2, notation before Eq. 7",
    title="Kronecker products as maps on matrices",
    says="The product of A_1 and A_2 takes Q to A_1 Q A_2, and the square of A takes it to A Q A.",
    printed=(
        Printed(image, left * argument * right),
        Printed(noise_K, hessian * argument * hessian),
    ),
    declared=((left, square(CURVATURE)), (right, square()), *LETTERS),
)

tensor_product = Definition(
    "sec3_2.tensor",
    at="section 3.2, notation before Eq. 7",
    stands="read",
    title="Tensor products of vectors, and the trace",
    says="The tensor product of two vectors is the matrix of products of their coordinates.",
    printed=(Printed(tensor, first * Transpose(other)),),
    declared=(
        (tensor, square(PARAMETER**2)),
        (first, column(PARAMETER)),
        (other, column(PARAMETER)),
    ),
)

eq7 = Definition(
    "eq7",
    at="Eq. 7",
    title="The operator K",
    says="K takes Q to N/p times the sum of R_i Q R_i, R_i what an example's Hessian is off the mean.",
    printed=(Printed(noise_K, N / batch * spread),),
    declared=(
        (noise_K, square(LOSS**2 / PARAMETER**2)),
        (spread, square(LOSS**2 / PARAMETER**2)),
        (N, number()),
        (batch, number()),
    ),
)

h = columns("h")  # an example's Hessian is h h^T
Q = FixedSquare("Q", commutative=False)
R_i, R_S = outer(h) - Average(outer(h)), BatchAverage(outer(h)) - Average(outer(h))

eq7_noise = claim(
    "eq7.noise",
    at="Eq. 7, and the remark after Eq. 9",
    title="K is the noise of a minibatch's Hessian",
    says="N/p times the sum of R_i Q R_i is the mean of what the noise of N times the minibatch's"
    " Hessian makes of Q (examples with Hessians of rank one, as in regression; p is written S).",
    given=(REPLACED,),
    read=Equal(N / S * total(R_i * Q * R_i), N**2 * Expectation(R_S * Q * R_S)),
)

eq8 = Definition(
    "eq8",
    at="Eq. 8",
    title="The operator H",
    says="H takes Q to the Hessian times Q, plus Q times the Hessian, less gamma times both.",
    printed=(
        Printed(of_H, hessian * argument + argument * hessian - step * hessian * argument * hessian),
    ),
    declared=LETTERS,
)

eq9 = Definition(
    "eq9",
    at="Eq. 9",
    title="The operator G",
    says="G is H less gamma times K.",
    printed=(
        Printed(
            of_G,
            hessian * argument + argument * hessian - step * (hessian * argument * hessian + noise_K),
        ),
    ),
    declared=LETTERS,
)

H_OF_Q = hessian * argument + argument * hessian - step * hessian * argument * hessian

whole_noise = claim(
    "sec3_2.perturbed_square",
    at="section 3.2, after Eq. 9",
    title="With K the square of the Hessian is that of a minibatch's",
    says="Hessian squared plus K is what N times a minibatch's Hessian makes of Q from both sides, on"
    " average (p is written S).",
    given=(REPLACED,),
    read=Equal(
        N**2 * Average(outer(h)) * Q * Average(outer(h)) + N / S * total(R_i * Q * R_i),
        N**2 * Expectation(BatchAverage(outer(h)) * Q * BatchAverage(outer(h))),
    ),
)

noise_of_G = claim(
    "sec3_2.noise_of_G",
    at="section 3.2, after Eq. 9",
    title="G is off H by the noise of Hessians alone",
    says="What distinguishes G from H is gamma times K, the noise of minibatches' Hessians.",
    read=Equal(
        hessian * argument
        + argument * hessian
        - step * (hessian * argument * hessian + noise_K)
        - H_OF_Q,
        -step * noise_K,
    ),
    kinds=(("Q", "positive definite"), ("D2U", "positive definite"), ("K_Q", "positive definite")),
)

noise_of_H = claim(
    "sec3_2.noise_of_H",
    at="section 3.2, after Eq. 9",
    title="H is perturbed by the noise of stochastic gradients",
    says="K, H and G are read as perturbed by the noise of stochastic gradients; then, without that"
    " noise, H would take Q to the Hessian times Q plus Q times the Hessian.",
    read=Equal(H_OF_Q, hessian * argument + argument * hessian),
    kinds=(("Q", "positive definite"), ("D2U", "positive definite")),
)

WITH_Q = trace(Transpose(argument) * H_OF_Q)  # zero where H takes Q to zero

H_invertible = claim(
    "sec3_2.H_invertible",
    at="section 3.2, after Eq. 9",
    title="H is invertible for small steps",
    says="For small enough gamma the operator H is invertible: it takes no Q but zero to zero, for the"
    " inner product of Q and H(Q) stays away from zero.",
    read=Order(WITH_Q, "Theta", 1, vanishing(step)),
    kinds=(("Q", "nonzero"), ("D2U", "positive definite")),
)

G_invertible = claim(
    "sec3_2.G_invertible",
    at="section 3.2, after Eq. 9",
    title="G is invertible for small steps",
    says="For small enough gamma the operator G is invertible: the same of G, whatever K takes Q to.",
    read=Order(WITH_Q - step * trace(Transpose(argument) * noise_K), "Theta", 1, vanishing(step)),
    kinds=(("Q", "nonzero"), ("D2U", "positive definite"), ("K_Q", "any")),
)
