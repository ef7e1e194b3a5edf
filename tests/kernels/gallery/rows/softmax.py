# The truth for softmax.cu in FP64.
import numpy as np


def reference(inputs, params):
    x = inputs["x"] * inputs["scale"]
    e = np.exp(x - x.max(axis=1, keepdims=True))
    y = e / e.sum(axis=1, keepdims=True)
    return {"y": y, "row": y, "row.scale": y * (60 + abs(x) * 4)}
