# y[r] is the mean of rows r - 1, r and r + 1; rows outside are zero.
import numpy as np


def reference(inputs, params):
    x = np.pad(inputs["x"], ((1, 1), (0, 0)))
    a = abs(x)
    return {"y": (x[:-2] + x[1:-1] + x[2:]) / 3, "y.scale": (a[:-2] + a[1:-1] + a[2:]) / 3}
