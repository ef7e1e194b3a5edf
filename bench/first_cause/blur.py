# The truth for blur.cu in FP64.
import numpy as np


def reference(inputs, params):
    rows = np.pad(inputs["in"], ((0, 0), (1, 1)), mode="edge")
    sums = rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]
    return {"out": sums / 4, "out.scale": (abs(rows[:, :-2]) + 2 * abs(rows[:, 1:-1]) + abs(rows[:, 2:])) / 4}
