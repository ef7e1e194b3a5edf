# The truth for cholesky.cu in FP64.
import numpy as np


def reference(inputs, params):
    lower = np.tril(inputs["a"])
    n = lower.shape[1]
    full = lower + np.tril(lower, -1).transpose(0, 2, 1) + inputs["ridge"] * np.eye(n)
    factors = np.linalg.cholesky(full)
    return {"l": factors, "logs": 2 * np.log(np.einsum("mii->mi", factors)).sum(1)}
