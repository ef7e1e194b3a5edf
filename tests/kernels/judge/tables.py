import numpy as np


def reference(inputs, params):
    return {"counts": 2 * np.bincount(inputs["x"].astype(int), minlength=32)}
