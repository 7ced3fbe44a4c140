"""Section 6.2: step sizes that windows need, what samples cost, and whether anything is cheaper."""

from verification import notation
from verification.claims.base import Printed
from verification.claims.definition import NotMathematical
from verification.claims.linear_chains import COST, LinearChains
from verification.papers.mandt2017.section_6_2 import GIVEN, IN_WORDS, ONE_PASS, T
from verification.statements import Compare, Equal, Order, claim, growing, letter, letters
from verification.terms.batchwords import Average, columns, outer
from verification.terms.notation import A, H, I, N, S, Sigma, eps
from verification.theories.matrices.words import rank
from verification.theories.time.words import averaged, lagged, long_run

c, smallest, largest, d = letters("c lambda_min lambda_max d")
M, n = letters("M n", "count")
gamma = letter("gamma")
sample = columns("x")  # of N that are drawn
# half the variance of how far the sum over a window moves as the window moves by one step
MOVED = (2 * Sigma - lagged(T, 0) - lagged(0, T)) / 2

large_enough = claim(
    "sec6_2.step_large_enough",
    at="section 6.2, Approximation error, second display",
    title="A large step makes the relative error small",
    says="Where eps/S exceeds c/(N lambda) the variance misses at most 1/c of the posterior's.",
    of="sgd",
    given=GIVEN,
    read=Compare(I - N * A * averaged(N / S), "<=", S / (eps * N) * A**-1),
)

must_choose = claim(
    "sec6_2.step_must_be_large",
    at="section 6.2, Approximation error, second display",
    title="A small relative error needs a large step",
    says="The share that is missed is at least 1/(1 + eps N lambda/S), so small steps miss much.",
    of="sgd",
    given=GIVEN,
    read=Compare(I - N * A * averaged(N / S), ">=", (I + eps * N / S * A) ** -1),
)

larger_data = claim(
    "sec6_2.larger_data_smaller_steps",
    at="section 6.2, Approximation error, after the second display",
    title="More data let steps be smaller",
    says="The least step c S/(N lambda_min) falls as the data grow, or the posterior's variance falls.",
    given=(Compare(N, "<=", n),),
    read=Compare(c * S / (n * smallest), "<=", c * S / (N * smallest)),
)

unstable_above = claim(
    "sec6_2.unstable_above_two_over_curvature",
    at="section 6.2, Approximation error, third paragraph",
    title="Gradient descent is unstable above 2/lambda_max",
    says="Beyond that step a deviation along the steepest direction does not shrink.",
    given=(Compare(2 / largest, "<=", eps),),
    read=Compare(1, "<=", (1 - eps * largest) ** 2),
)

stable_below = claim(
    "sec6_2.stable_below_two_over_curvature",
    at="section 6.2, Approximation error, third paragraph",
    title="And it is stable below",
    says="Below that step no deviation grows: it is the step at which stability is lost.",
    given=(Compare(eps, "<=", 2 / largest),),
    read=Compare((1 - eps * largest) ** 2, "<=", 1),
)

window_of_steps = claim(
    "sec6_2.window_of_steps",
    at="section 6.2, Approximation error, third display",
    title="Both conditions on the step bound the condition number",
    says="If a step meets both conditions, S/N times the condition number is below 2/c.",
    given=(Compare(2 / (S * largest), ">", eps / S), Compare(eps / S, ">", c / (N * smallest))),
    read=Compare(2 / c, ">", S / N * largest / smallest),
)

needs_data = claim(
    "sec6_2.data_against_condition_number",
    at="section 6.2, Approximation error, after the third display",
    title="Data have to outnumber the condition number",
    says="Under both conditions N exceeds a multiple of S times the condition number.",
    given=(*window_of_steps.given,),
    read=Compare(N, ">", c * S / 2 * largest / smallest),
)

preconditioned = claim(
    "sec6_2.inverse_hessian_as_preconditioner",
    at="section 6.2, Approximation error, last sentence",
    title="Windows of a chain preconditioned with the inverse Hessian",
    says="With H the inverse of A means over one pass have the posterior's covariance.",
    of="sgd",
    given=(*GIVEN, Equal(H, A**-1 / eps)),
    read=Equal(averaged(T, H), A**-1 / N),
    where=ONE_PASS,
)

condition_number = claim(
    "sec6_2.effective_condition_number",
    at="section 6.2, Approximation error, last sentence",
    title="The effective Hessian is the identity",
    says="With H the inverse of A all eigenvalues of H A are equal.",
    read=Equal(A**-1 * A, I),
)

cost_of_window = claim(
    "sec6_2.cost_of_a_window",
    at="section 6.2, Efficiency, first paragraph",
    title="A window costs as much as a pass",
    says="A window of N/S steps with minibatches of S costs N D operations.",
    given=(Equal(N, S * T),),
    printed=Equal(S * T * d, N * d),
)

at_least_a_pass = claim(
    "sec6_2.a_pass_per_sample",
    at="section 6.2, Efficiency, first paragraph",
    title="A sample takes N observations at least",
    says="Iterate averaging analyses no fewer than N examples for a posterior sample's worth.",
    of="sgd",
    given=GIVEN,
    read=Compare(S * N * A * long_run(), ">=", N * I),
)

autocorrelation = claim(
    "sec6_2.moving_means_are_correlated",
    at="section 6.2, Efficiency, first paragraph",
    title="Averaging induces a strong autocorrelation",
    says="Means over windows one step apart are the more correlated the longer the window.",
    of="sgd",
    given=GIVEN,
    time="discrete",
    read=Order(averaged(T) - MOVED / T**2, "~", averaged(T), growing(T)),
)

every_window = claim(
    "sec6_2.every_window_is_enough",
    at="section 6.2, Efficiency, first paragraph",
    title="Only every T-th moving mean counts",
    says="Means of every T-th moving mean are as precise as means of all of them.",
    of="sgd",
    given=GIVEN,
    read=Order(averaged(M * T), "~", long_run() / (M * T), growing(M)),
)

newton = NotMathematical(
    "sec6_2.newton_cost",
    at="section 6.2, Efficiency, second paragraph",
    title="Newton's method costs N D^2 + D^3",
    says="The order of what Newton's method and an inverse Hessian cost is recalled.",
    because="attribution",
)

full_rank = claim(
    "sec6_2.samples_for_full_rank",
    at="section 6.2, Efficiency, second paragraph",
    title="A covariance of full rank takes D samples",
    says="Fewer samples than dimensions cannot have a covariance of full rank.",
    given=(Compare(rank(Average(outer(sample))), ">=", notation.D),),
    read=Compare(N, ">=", notation.D),
)

many_samples = claim(
    "sec6_2.cost_of_as_many_samples_as_dimensions",
    at="section 6.2, Efficiency, second paragraph",
    title="D samples cost N D^2",
    says="D windows of N/S steps with minibatches of S cost N D^2 operations.",
    given=(Equal(N, S * T),),
    read=Equal(d * S * T * d, N * d**2),
)

constant_cost = claim(
    "sec6_2.within_a_constant_of_newton",
    at="section 6.2, Efficiency, second paragraph",
    title="With more data than dimensions costs compare",
    says="Where N exceeds D the cost N D^2 + D^3 is at most twice N D^2.",
    given=(Compare(d, "<", N),),
    read=Compare(N * d**2 + d**3, "<=", 2 * N * d**2),
)

principal_components = NotMathematical(
    "sec6_2.principal_components_in_one_pass",
    at="section 6.2, Efficiency, third paragraph",
    title="First principal components may come quickly",
    says="It is thought conceivable that O(N D) operations show the posterior's main directions.",
    because="opinion",
)

smallest_components = claim(
    "sec6_2.components_of_posterior_and_hessian",
    at="section 6.2, Efficiency, third paragraph",
    title="Wide directions of the posterior are flat ones of A",
    says="The posterior's covariance has the eigenvectors of A with inverse eigenvalues.",
    read=Equal(A * (N * A) ** -1, I / N),
)

mean_of_samples = claim(
    "sec6_2.mean_of_posterior_samples",
    at="section 6.2, Efficiency, fourth paragraph",
    title="Covariance of the mean of M posterior samples",
    says="The mean of M independent posterior samples is printed to have covariance A^(-1)/M.",
    printed=Equal((N * A) ** -1 / M, A**-1 / M),
)

same_covariance = claim(
    "sec6_2.averaging_to_the_printed_covariance",
    at="section 6.2, Efficiency, fourth paragraph",
    title="Averaging needs M N gradients for that covariance",
    says="Iterate averaging with M N gradients has the covariance that is printed for M samples.",
    of="sgd",
    given=GIVEN,
    read=Equal(S * long_run() / (M * N), A**-1 / M),
)

samples_covariance = claim(
    "sec6_2.averaging_to_the_covariance_of_samples",
    at="section 6.2, Efficiency, fourth paragraph",
    title="Averaging needs M N gradients for that of M samples",
    says="Iterate averaging with M N gradients is as precise as the mean of M posterior samples.",
    of="sgd",
    given=GIVEN,
    read=Equal(S * long_run() / (M * N), A**-1 / (M * N)),
)

fewer_operations = claim(
    "sec6_2.fewer_operations",
    at="section 6.2, Efficiency, fourth paragraph",
    title="Cheap samples would beat averaging",
    says="Samples at d < N operations each would need fewer than the M N of averaging.",
    given=(Compare(d, "<", N),),
    read=Compare(M * N, ">", d * M),
)

polyak_juditsky = LinearChains(
    "sec6_2.no_oracle_outperforms_averaging",
    at="section 6.2, Efficiency, fourth paragraph",
    stands="read",
    title="No stochastic-gradient algorithm outperforms averaging",
    says="A mean of iterates of a linear chain needs N gradients for a posterior sample's worth.",
    given=IN_WORDS,
    printed=(Printed(COST, notation.N, ">="),),
)

no_sublinear = LinearChains(
    "sec6_2.no_sublinear_sampler",
    at="section 6.2, second paragraph and end, and section 1, contribution 5",
    stands="read",
    title="No sampler in sublinear time",
    says="No linear chain that sees the data through gradients with plain noise costs less than a pass.",
    given=IN_WORDS,
    printed=(Printed(COST, notation.N, ">="),),
)

no_sublinear_distinct = LinearChains(
    "sec6_2.no_sublinear_sampler_distinct",
    at="section 6.2, end, with section 3.1",
    stands="read",
    title="No sampler in sublinear time, distinct examples",
    says="The same where the examples of a minibatch are drawn without replacement.",
    given=IN_WORDS,
    printed=(Printed(COST, notation.N, ">="),),
    noise=(notation.N - notation.S) / (notation.N - 1),
)

control_variates = claim(
    "sec6_2.knowledge_of_the_noise_helps",
    at="section 6.2, footnote 2",
    title="Control variates sample in sublinear time",
    says="With gradients corrected at the mode a sample costs a vanishing share of a pass.",
    of="sgldfp",
    given=GIVEN,
    time="discrete",
    read=Order(S * A * long_run(), "o", I, growing(N, (gamma, c / N))),
)

optimistic = NotMathematical(
    "sec6_2.assumptions_are_optimistic",
    at="section 6.2, last paragraph",
    title="Other problems are hardly easier",
    says="Problems that violate the assumptions are not expected to be easier.",
    because="opinion",
)
