# The truth for depthwise.cu in FP64.
import numpy as np


def reference(inputs, params):
    x, weights = inputs["x"], inputs["weights"]
    padded = np.pad(x, ((3, 0), (0, 0)))
    sums = inputs["bias"] + sum(weights[:, k] * padded[k : k + len(x)] for k in range(4))
    return {"y": sums / (1 + np.exp(-sums))}
