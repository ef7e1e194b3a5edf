import numpy as np


def reference(inputs, params):
    values, lengths = inputs["values"], inputs["lengths"]
    sums = [(v[:max(n, 0)] * (np.arange(max(n, 0)) + 1)).sum() for v, n in zip(values, lengths)]
    return {"out": np.outer(sums, np.arange(32))}
