"""Slopes, spreads and sizes in FP64."""

import numpy as np


def reference(inputs, params):
    x, up, boxes = (inputs[name].astype(np.float64) for name in ("x", "up", "boxes"))
    s = 1 / (1 + np.exp(-x))
    d = np.where(np.arange(64) < 32, 0.5, 0.25)
    left, top, right, bottom = (boxes * 0.25 - 0.5).T
    return {"gates": d * up * (s + x * s * (1 - s)), "ups": d * x * s, "spread": x.var(1, ddof=1),
            "size": left * top + right * right * bottom + x.var(1)}
