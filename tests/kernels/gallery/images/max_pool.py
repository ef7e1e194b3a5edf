# The truth for max_pool.cu.
import numpy as np


def reference(inputs, params):
    image = inputs["in"]
    n, h, w = image.shape
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    where = np.pad(np.arange(h * w).reshape(h, w), 1, constant_values=-1)
    shifts = [(y, x) for y in range(3) for x in range(3)]
    values = np.stack([padded[:, y : y + h, x : x + w][:, ::2, ::2] for y, x in shifts])
    places = np.stack([where[y : y + h, x : x + w][::2, ::2] for y, x in shifts])
    best = values.argmax(axis=0)
    out = values.max(axis=0)
    rows, cols = np.indices(best.shape[1:])
    return {"out": out, "out.scale": abs(out), "places": places[best, rows, cols]}
