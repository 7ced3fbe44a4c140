"""Section 4, before 4.1: SGD as approximate inference, the set-up."""

from verification.notation import N
from verification.statements import Compare, Equal, at, letters

mean_loss, log_joint, log_evidence = letters("L log_joint log_evidence", "real")
joint_1, joint_2, posterior_1, posterior_2 = letters("l_1 l_2 p_1 p_2", "real")  # at two parameters

loss = at("sec4.loss_is_negative_log_joint", "section 4, second paragraph").claim(
    "The loss of Eqs. 2 and 3 is the negative log-joint",
    "The loss of Eqs. 2 and 3, an average over examples, is the negative log-joint distribution.",
    given=(Equal(mean_loss, -log_joint / N),),
    read=Equal(mean_loss, -log_joint),
)

posterior = at("sec4.posterior_up_to_constant", "section 4, second paragraph").claim(
    "Negative log-joint and log-posterior differ by a constant",
    "The negative log-joint is the negative log-posterior up to a constant in the parameters: from one"
    " parameter to another $l$, the log-joint, and $p$, the log-posterior, change alike.",
    given=(Equal(joint_1, posterior_1 + log_evidence), Equal(joint_2, posterior_2 + log_evidence)),
    read=Equal(-joint_1 + joint_2, -posterior_1 + posterior_2),
)

point_estimate = at("sec4.map", "section 4, second paragraph").claim(
    "The least loss is at the largest posterior",
    "Where the log-joint $l$ is no smaller, the loss, minus one $N$-th of it, is no larger.",
    given=(Compare(joint_1, "<=", joint_2),),
    read=Compare(-joint_2 / N, "<=", -joint_1 / N),
)
