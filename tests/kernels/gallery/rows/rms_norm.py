# The truth for rms_norm.cu in FP64, but for the residual, which is half precision in between.
import numpy as np


def reference(inputs, params):
    exact = inputs["x"] + inputs["residual"]
    kept = exact.astype(np.float16).astype(float)
    squares = kept**2
    rms = np.sqrt(squares.mean(axis=1, keepdims=True) + 1e-6)
    warp = np.arange(kept.shape[1]) // 8 % 128 // 32
    sums = np.stack([squares[:, warp == w].sum(axis=1) for w in range(4)], axis=1)
    return {"sums": sums, "sums.scale": sums, "residual": exact,
            "residual.scale": abs(inputs["x"]) + abs(inputs["residual"]), "y": kept / rms * inputs["weight"]}
