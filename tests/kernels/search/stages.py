"""Sums over near points in FP64."""

import numpy as np


def reference(inputs, params):
    soft = lambda v: v / (1 + np.abs(v))
    raw = soft(inputs["raw"].astype(np.float64))
    box = 2.5
    d = (raw[:, :, None] - raw[:, None, :]) * box
    d -= box * np.rint(d / box)
    r2 = (d * d).sum(0)
    near = np.where((r2 <= 1.25) & ~np.eye(raw.shape[1], dtype=bool), soft(np.exp(-r2) - 0.5), 0)
    return {"out": 0.5 * near.sum(1), "squares": near.sum(1) ** 2}
