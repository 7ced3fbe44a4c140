"""torch.optim.SGD itself in our training loop, with its buffers loaded from a checkpoint."""
import torch

torch.set_num_threads(1)


def make_optimizer(model, lr, momentum):
    return torch.optim.SGD(model.parameters(), lr=lr, momentum=momentum)


class Weights(torch.nn.Module):
    def __init__(self, value):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor(value))

    def forward(self, covector):
        return (self.w * covector).sum()


def resume(optimizer, buffers):
    """Puts momentum buffers into the state dict and loads it."""
    checkpoint = optimizer.state_dict()
    checkpoint["state"] = {i: {"momentum_buffer": b} for i, b in enumerate(buffers)}
    optimizer.load_state_dict(checkpoint)


def step(state, gradient, rng, lr, momentum):
    model = Weights(state["theta"])
    optimizer = make_optimizer(model, lr, momentum)
    resume(optimizer, [torch.tensor(-state["v"] / lr)])  # torch's buffer is that of v/lr
    optimizer.zero_grad()
    model(torch.tensor(gradient(state["theta"]))).backward()
    optimizer.step()
    theta = model.w.detach().numpy()
    return {"theta": theta, "v": theta - state["theta"]}
