import numpy as np


def reference(inputs, params):
    x = inputs["x"]
    p = np.exp(x - x.max(axis=1, keepdims=True))
    return {"y": p / p.sum(axis=1, keepdims=True)}
