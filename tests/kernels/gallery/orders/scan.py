# The truth for scan.cu.
import numpy as np


def reference(inputs, params):
    x = inputs["x"]
    return {"y": np.cumsum(x, axis=1) - x, "totals": x.sum(axis=1)}
