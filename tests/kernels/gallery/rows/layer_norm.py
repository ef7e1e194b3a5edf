# The truth for layer_norm.cu in FP64.
import numpy as np


def reference(inputs, params):
    x = inputs["x"]
    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True) + 1e-5)
    return {"y": (x - mean) * rstd * inputs["gamma"] + inputs["beta"], "mean": mean[:, 0], "rstd": rstd[:, 0]}
