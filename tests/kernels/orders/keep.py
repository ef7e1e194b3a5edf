import numpy as np


def reference(inputs, params):
    x = inputs["in"]
    even = x[x % 2 == 0]
    out = np.zeros_like(x)
    out[: even.size] = 1 + even
    return {"out": out, "count": np.array([even.size])}
