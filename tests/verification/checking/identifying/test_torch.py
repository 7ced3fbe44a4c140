"""What an optimizer of PyTorch is, found out where PyTorch is installed."""

import pytest

from verification.checking.identifying import identify

pytestmark = pytest.mark.strong


def test_an_optimizer_class_with_a_size_of_the_data():
    torch = pytest.importorskip("torch")

    class Langevin(torch.optim.Optimizer):
        def __init__(self, params, lr=1e-3, num_data=1):
            super().__init__(params, {"lr": lr, "num_data": num_data})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(group["num_data"] * p.grad, alpha=-group["lr"] / 2)
                    p.add_(torch.randn_like(p), alpha=group["lr"] ** 0.5)

    found = identify(Langevin)
    assert (found.verdict, found.same[0].like) == ("identified", "sgld")
    assert dict(found.same[0].given)["eps"].name == "lr"
