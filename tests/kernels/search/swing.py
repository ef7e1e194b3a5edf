"""Rows smoothed, and cut off at the top."""

import numpy as np


def reference(inputs, params):
    rows = np.asarray(inputs["x"], np.float64)
    for _ in range(params["TURNS"]):
        wide = np.pad(rows, ((0, 0), (1, 1)), mode="edge")
        rows = np.minimum(0.25 * (wide[:, :-2] + wide[:, 2:]) + 0.5 * rows, inputs["most"])
    return {"y": rows}
