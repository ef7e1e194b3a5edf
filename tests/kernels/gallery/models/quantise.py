# The truth for quantise.cu; the scale and the quotient are those of FP32, as an element between two bytes is decided
# by their rounding.
import numpy as np


def reference(inputs, params):
    x = inputs["x"].astype(np.float32)
    most = abs(x).max(axis=1)
    scale = most / np.float32(127)
    q = np.rint(x / scale[:, None]).astype(int)
    return {"most": most, "most.scale": most, "q": q, "scales": scale, "scales.scale": scale, "sums": q.sum(axis=1)}
