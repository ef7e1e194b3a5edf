# The truth for rope.cu in FP64.
import numpy as np


def reference(inputs, params):
    x, dim = inputs["x"], int(params["DIM"])
    angle = inputs["positions"][:, None] * inputs["base"] ** (-2.0 * np.arange(dim // 2) / dim)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    a, b = x[..., : dim // 2], x[..., dim // 2 :]
    return {"y": np.concatenate([a * c - b * s, a * s + b * c], axis=-1)}
