import numpy as np


def reference(inputs, params):
    x, length = inputs["x"].astype(np.float64), inputs["length"]
    return {"sums": np.array([row[:n].sum() for row, n in zip(x, length)]), "turned": x.T}
