"""Rows whose elements become the mean of their neighbours."""

import numpy as np


def reference(inputs, params):
    rows = np.asarray(inputs["x"], np.float64)
    for _ in range(inputs["turns"]):
        wide = np.pad(rows, ((0, 0), (1, 1)), mode="edge")
        rows = 0.5 * (wide[:, :-2] + wide[:, 2:])
    return {"y": rows}
