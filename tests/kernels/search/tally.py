"""Which numbers are large, and how many there are of each whole number."""

import numpy as np


def reference(inputs, params):
    staged = 2 * np.asarray(inputs["x"], np.float64)
    bins = np.bincount(np.minimum(staged.astype(np.int64), 7), minlength=8)
    met = staged > inputs["least"]
    return {"kept": np.where(met, staged, 0.0), "met": met, "bins": bins}
