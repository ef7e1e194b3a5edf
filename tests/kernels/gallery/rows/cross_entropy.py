# The truth for cross_entropy.cu in FP64.
import numpy as np


def reference(inputs, params):
    x, targets = inputs["logits"], inputs["targets"].astype(int)
    most = x.max(axis=1, keepdims=True)
    e = np.exp(x - most)
    total = e.sum(axis=1, keepdims=True)
    counts = targets != inputs["ignored"]
    rows = np.arange(len(x))
    gradients = e / total
    gradients[rows, targets] -= 1
    return {"logits": x, "logits.scale": abs(x), "gradients": gradients * counts[:, None],
            "losses": (np.log(total[:, 0]) + most[:, 0] - x[rows, targets]) * counts}
