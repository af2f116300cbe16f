"""The classifier as a torch module, and seeded ones with meaningful scores."""

from typing import Dict

import numpy as np
import torch
from torch import nn


class MLPClassifier(nn.Module):
    """Linear → BatchNorm → ReLU → dropout → Linear, its parts named as in the published file."""

    def __init__(self, inputs: int, hidden: int = 512, classes: int = 2):
        super().__init__()
        self.hidden_layer = nn.Linear(inputs, hidden)
        self.bn1 = nn.BatchNorm1d(hidden)
        self.output_layer = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.bn1(self.hidden_layer(x)))
        return self.output_layer(self.dropout(hidden))


def scores(module: nn.Module, merged: torch.Tensor) -> torch.Tensor:
    """[frames, 2]: probabilities of `others` and `virus`, softmax in fp32."""
    with torch.no_grad():
        return torch.softmax(module(merged).float(), dim=-1)


def calibrated(embeddings: torch.Tensor, hidden: int, seed: int, rms: float = 2.0) -> MLPClassifier:
    """A seeded classifier whose logit difference over `embeddings` has mean 0 and the given rms.

    Embeddings of random sequences lie close together; an uncalibrated classifier would give all of
    them the same label and hide errors.
    """
    torch.manual_seed(seed)
    module = MLPClassifier(embeddings.shape[1], hidden).eval()
    with torch.no_grad():
        activations = module.hidden_layer(embeddings)
        module.bn1.running_mean.copy_(activations.mean(dim=0))
        module.bn1.running_var.copy_(activations.var(dim=0, unbiased=False))
        module.bn1.weight.add_(0.1 * torch.randn(hidden))
        module.bn1.bias.copy_(0.1 * torch.randn(hidden))
        logits = module(embeddings)
        difference = logits[:, 1] - logits[:, 0]
        scale = rms / difference.std(unbiased=False)
        module.output_layer.weight.mul_(scale)
        module.output_layer.bias.mul_(scale)
        module.output_layer.bias[1] -= scale * difference.mean()
    return module


def tensors(module: nn.Module) -> Dict[str, np.ndarray]:
    """Its parameters and running statistics, in the form that weight_files uses."""
    state = {name: value.detach().numpy() for name, value in module.state_dict().items()}
    return {name: value for name, value in state.items() if value.ndim > 0}


def from_tensors(values: Dict[str, np.ndarray]) -> MLPClassifier:
    hidden, inputs = values["hidden_layer.weight"].shape
    module = MLPClassifier(inputs, hidden)
    module.load_state_dict({name: torch.from_numpy(value) for name, value in values.items()})
    return module.eval()
