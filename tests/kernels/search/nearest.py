"""The nearest point of each pixel's centre."""

import numpy as np


def reference(inputs, params):
    p = np.asarray(inputs["points"], np.float64)
    w, h = params["W"], params["H"]
    at = np.stack(np.meshgrid((np.arange(w) + 0.5) / w, (np.arange(h) + 0.5) / h), -1)
    far = ((at[:, :, None, :] - p) ** 2).sum(-1)
    best, least = far.argmin(-1), far.min(-1)
    limit = inputs["reach"] ** 2
    met = least < limit
    return {"id": np.where(met, best, -1), "far": np.where(met, least, -1.0), "met": (far < limit).sum(-1)}
