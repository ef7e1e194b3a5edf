# The truth for winograd.cu in FP64.
import numpy as np


def reference(inputs, params):
    x, filters = inputs["x"], inputs["filters"]
    _, height, width = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    y = np.zeros((len(filters), height, width)) + inputs["bias"][:, None, None]
    for i in range(3):
        for j in range(3):
            y += np.einsum("fc,chw->fhw", filters[:, :, i, j], padded[:, i : i + height, j : j + width])
    return {"y": np.maximum(y, 0)}
