"""Section 6.2: step sizes that windows need, what samples cost, and whether anything is cheaper."""

from verification import notation
from verification.papers.mandt2017.hypotheses import A5
from verification.papers.mandt2017.section_6_2 import A_PASS, ONE_PASS, T, chain, fitted
from verification.statements import (
    All,
    Assumption,
    Compare,
    Equal,
    Order,
    Section,
    at,
    growing,
    letter,
    letters,
)
from verification.terms.batchwords import Average, columns, outer
from verification.terms.notation import A, C, H, I, N, S, Sigma, eps
from verification.theories.matrices.words import rank
from verification.theories.time.words import averaged, lagged, long_run

c, smallest, largest, d = letters("c lambda_min lambda_max d")
M, n = letters("M n", "count")
gamma, V = letter("gamma"), letter("V", "matrix")  # V is a covariance
sample = columns("x")  # of N that are drawn
# half the variance of how far the sum over a window moves as the window moves by one step
MOVED = (2 * Sigma - lagged(T, 0) - lagged(0, T)) / 2
error = Section(at="section 6.2, Approximation error")
fitted_error = Section(at=error.at, of="sgd", given=fitted.given)
efficiency = Section(at="section 6.2, Efficiency")
samples = Section(at=efficiency.at, of="sgd", given=fitted.given)

large_enough = fitted_error("sec6_2.step_large_enough", "second display").claim(
    "A large step makes the relative error small",
    "Where $eps/S$ exceeds $c/(N lambda)$ the variance is off by at most $1/c$ of the posterior's, too"
    " small or too large.",
    read=All(
        Compare(I - N * A * averaged(N / S), "<=", S / (eps * N) * A**-1),
        Compare(N * A * averaged(N / S) - I, "<=", S / (eps * N) * A**-1),
    ),
)

must_be_large = fitted_error("sec6_2.step_must_be_large", "second display").claim(
    "A small relative error needs a large step",
    "The share that is missed is at least $1/(1 + eps N lambda/S)$, so small steps miss much.",
    read=Compare(I - N * A * averaged(N / S), ">=", (I + eps * N / S * A) ** -1),
)

larger_data = error("sec6_2.larger_data_smaller_steps", "after the second display").claim(
    "More data let steps be smaller",
    "The least step $c S/(N lambda_min)$ falls as the data grow.",
    given=(Compare(N, "<=", n),),
    read=Compare(c * S / (n * smallest), "<=", c * S / (N * smallest)),
)

unstable_above = error("sec6_2.unstable_above_two_over_curvature", "third paragraph").claim(
    "Gradient descent is unstable above $2/lambda_max$",
    "Beyond that step a deviation along the steepest direction grows.",
    given=(Compare(2 / largest, "<", eps),),
    read=Compare(1, "<", (1 - eps * largest) ** 2),
)

stable_below = error("sec6_2.stable_below_two_over_curvature", "third paragraph").claim(
    "And it is stable below",
    "Below that step no deviation grows: it is the step at which stability is lost.",
    given=(Compare(eps, "<=", 2 / largest),),
    read=Compare((1 - eps * largest) ** 2, "<=", 1),
)

window_of_steps = error("sec6_2.window_of_steps", "third display").claim(
    "Both conditions on the step bound the condition number",
    "If a step meets both conditions, $S/N$ times the condition number is below $2/c$.",
    given=(Compare(2 / (S * largest), ">", eps / S), Compare(eps / S, ">", c / (N * smallest))),
    read=Compare(2 / c, ">", S / N * largest / smallest),
)

needs_data = error("sec6_2.data_against_condition_number", "after the third display").claim(
    "Data have to outnumber the condition number",
    "Under both conditions $N$ exceeds a multiple of $S$ times the condition number.",
    given=(*window_of_steps.given,),
    read=Compare(N, ">", c * S / 2 * largest / smallest),
)

preconditioned = fitted_error("sec6_2.inverse_hessian_as_preconditioner", "last sentence").claim(
    "Windows of a chain preconditioned with the inverse Hessian",
    "With $eps H$ the inverse of $A$ means over one pass have the posterior's covariance.",
    read=Equal(averaged(T, H), A**-1 / N),
    where=ONE_PASS,
    given=(Equal(H, A**-1 / eps),),
)

condition_number = error("sec6_2.effective_condition_number", "last sentence").claim(
    "The effective Hessian is the identity",
    "With $H$ the inverse of $A$ all eigenvalues of $H A$ are equal.",
    read=Equal(A**-1 * A, I),
)

cost_of_window = efficiency("sec6_2.cost_of_a_window", "first paragraph").claim(
    "A window costs as much as a pass",
    "A window of $N/S$ steps with minibatches of $S$ costs $N D$ operations.",
    given=(Equal(N, S * T),),
    printed=Equal(S * T * d, N * d),
)

long_windows = samples.within("long windows")
at_least_a_pass = long_windows("sec6_2.a_pass_per_sample", "first paragraph").claim(
    "A sample takes $N$ observations at least",
    "Iterate averaging analyses no fewer than $N$ examples for a posterior sample's worth.",
    read=Compare(S * N * A * long_run(), ">=", N * I),
)

autocorrelation = samples.at_steps("sec6_2.moving_means_are_correlated", "first paragraph").claim(
    "Averaging induces a strong autocorrelation",
    "Means over windows one step apart share all but one of their $T$ values: their covariance, on the"
    " left, is in the end the variance of either.",
    time="discrete",
    read=Order(averaged(T) - MOVED / T**2, "~", averaged(T), growing(T)),
)

every_window = samples("sec6_2.every_window_is_enough", "first paragraph").claim(
    "Only every $T$-th moving mean counts",
    "Means of every $T$-th moving mean are as precise as means of all of them.",
    read=Order(averaged(M * T), "~", long_run() / (M * T), growing(M)),
)

newton = efficiency("sec6_2.newton_cost", "second paragraph").claim(
    "Newton's method costs $N D^2 + D^3$",
    "A Hessian of $N$ examples, symmetric, and its factor take these operations to leading order as $D$"
    " grows, up to numbers.",
    read=Order(N * d * (d + 1) / 2 + d**3 / 3 + d**2, "Theta", N * d**2 + d**3, growing(d)),
)

full_rank = efficiency("sec6_2.samples_for_full_rank", "second paragraph").claim(
    "A covariance of full rank takes $D$ samples",
    "Fewer samples than dimensions cannot have a covariance of full rank; $N$ counts samples here.",
    given=(Compare(rank(Average(outer(sample))), ">=", notation.D),),
    read=Compare(N, ">=", notation.D),
)

many_samples = efficiency("sec6_2.cost_of_as_many_samples_as_dimensions", "second paragraph").claim(
    "$D$ samples cost $N D^2$",
    "$D$ windows of $N/S$ steps with minibatches of $S$ cost $N D^2$ operations.",
    given=(Equal(N, S * T),),
    read=Equal(d * S * T * d, N * d**2),
)

constant_cost = efficiency("sec6_2.within_a_constant_of_newton", "second paragraph").claim(
    "With more data than dimensions costs compare",
    "Where $N$ exceeds $D$ the cost $N D^2 + D^3$ is at most twice $N D^2$.",
    given=(Compare(d, "<", N),),
    read=Compare(N * d**2 + d**3, "<=", 2 * N * d**2),
)

principal_components = efficiency("sec6_2.principal_components_in_one_pass", "third paragraph").opinion(
    "First principal components may come quickly",
    "It is thought conceivable that $O(N D)$ operations show the posterior's main directions.",
)

smallest_components = efficiency("sec6_2.components_of_posterior_and_hessian", "third paragraph").claim(
    "Wide directions of the posterior are flat ones of $A$",
    "The posterior's covariance has the eigenvectors of $A$ with inverse eigenvalues.",
    read=Equal(A * (N * A) ** -1, I / N),
)

mean_of_samples = efficiency("sec6_2.mean_of_posterior_samples", "fourth paragraph").claim(
    "Covariance of the mean of $M$ posterior samples",
    "The mean of $M$ independent posterior samples is printed to have covariance $A^(-1)/M$.",
    printed=Equal(V, A**-1 / M),
    where=((V, (N * A) ** -1 / M),),
)

same_covariance = samples("sec6_2.averaging_to_the_printed_covariance", "fourth paragraph").claim(
    "Averaging needs $M N$ gradients for that covariance",
    "Iterate averaging with $M N$ gradients has the covariance that is printed for $M$ samples.",
    read=Equal(S * long_run() / (M * N), A**-1 / M),
)

samples_covariance = long_windows(
    "sec6_2.averaging_to_the_covariance_of_samples", "fourth paragraph"
).claim(
    "Averaging needs $M N$ gradients for that of $M$ samples",
    "Iterate averaging with $M N$ gradients is as precise as the mean of $M$ posterior samples.",
    read=Equal(S * long_run() / (M * N), A**-1 / (M * N)),
)

fewer_operations = efficiency("sec6_2.fewer_operations", "fourth paragraph").claim(
    "Cheap samples would beat averaging",
    "Samples at $d < N$ operations each would need fewer than the $M N$ of averaging.",
    given=(Compare(d, "<", N),),
    read=Compare(M * N, ">", d * M),
)

polyak_juditsky = chain(
    "sec6_2.no_oracle_outperforms_averaging", "section 6.2, Efficiency, fourth paragraph"
).claim(
    "No stochastic-gradient algorithm outperforms averaging",
    "A mean of iterates of a linear chain needs $N$ gradients for a posterior sample's worth.",
    given=(A5,),
    time="discrete",
    read=A_PASS,
    scope="linear chains",
)

no_sublinear = chain(
    "sec6_2.no_sublinear_sampler", "section 6.2, second paragraph and end, and section 1, contribution 5"
).claim(
    "No sampler in sublinear time",
    "No linear chain that sees the data through gradients with plain noise costs less than a pass.",
    given=(A5,),
    time="discrete",
    read=A_PASS,
    scope="linear chains",
)

distinct = chain("sec6_2.no_sublinear_sampler_distinct", "section 6.2, end, with section 3.1").claim(
    "No sampler in sublinear time, distinct examples",
    "The same where the examples of a minibatch are drawn without replacement.",
    given=(Equal(C, (N - S) / (N - 1) * A), Compare(S, "<", N)),
    time="discrete",
    read=A_PASS,
    scope="linear chains",
)

control_variates = fitted.at_steps(
    "sec6_2.knowledge_of_the_noise_helps", "section 6.2, footnote 2"
).claim(
    "Control variates sample in sublinear time",
    "With gradients corrected at the mode, whose noise is a share $gamma$ of the uncorrected one, of"
    " the order $1/N$ as the posterior's spread is, a sample costs a vanishing share of a pass.",
    of="sgldfp",
    given=(Assumption("the corrected gradient has the noise covariance $gamma B B^T$"),),
    time="discrete",
    read=Order(S * A * long_run(), "o", I, growing(N, (gamma, c / N))),
)

optimistic = at("sec6_2.assumptions_are_optimistic", "section 6.2, last paragraph").opinion(
    "Other problems are hardly easier",
    "Problems that violate the assumptions are not expected to be easier.",
)
