# The truth for tridiagonal.cu in FP64.
import numpy as np


def reference(inputs, params):
    out = []
    for a, b, c, d in zip(*(inputs[k] for k in "abcd")):
        out.append(np.linalg.solve(np.diag(b) + np.diag(a[1:], -1) + np.diag(c[:-1], 1), d))
    return {"x": np.array(out)}
