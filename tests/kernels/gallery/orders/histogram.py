# The truth for histogram.cu, by the arithmetic of the kernel: a value on an edge is decided by its rounding.
import numpy as np


def reference(inputs, params):
    count, low = int(inputs["count"]), np.float32(inputs["low"])
    scale = np.float32(count / (inputs["high"] - inputs["low"]))
    bins = np.clip(np.floor((inputs["x"].astype(np.float32) - low) * scale).astype(int), 0, count - 1)
    block = np.arange(len(bins)) // 128 % 3
    mine = np.stack([np.bincount(bins[block == b], minlength=count) for b in range(3)])
    return {"mine": mine, "bins": mine.sum(axis=0)}
