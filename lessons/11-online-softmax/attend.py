import numpy as np


def reference(inputs, params):
    s, v = inputs["s"], inputs["v"]
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return {"o": p @ v / p.sum(axis=1)}
