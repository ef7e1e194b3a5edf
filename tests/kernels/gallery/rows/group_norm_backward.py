# The truth for group_norm_backward.cu in FP64.
import numpy as np


def reference(inputs, params):
    groups, dy, x = params["GROUPS"], inputs["dy"], inputs["x"]
    split = (x.shape[0], groups, params["WIDTH"], x.shape[2])
    mean, inverse = (inputs[k][:, :, None, None] for k in ("mean", "inverse"))
    normal = (x.reshape(split) - mean) * inverse
    g = (dy * inputs["gamma"][None, :, None]).reshape(split)
    dx = inverse * (g - g.mean((2, 3), keepdims=True) - normal * (g * normal).mean((2, 3), keepdims=True))
    means = g.mean((2, 3))
    return {"mean_g": means, "dx": dx.reshape(x.shape), "dbeta": dy.sum((0, 2)), "dgamma": (dy * normal.reshape(x.shape)).sum((0, 2))}
