import numpy as np


def reference(inputs, params):
    return {"counts": np.bincount(inputs["x"].astype(int), minlength=32)}
