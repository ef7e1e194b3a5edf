import numpy as np


def reference(inputs, params):
    x, gate = inputs["x"].astype(np.float64), inputs["gate"].astype(np.float64)
    y = np.maximum(gate, 0) * x
    return {"y": y, "sum": y.sum(keepdims=True)}
