# The truth for dequantise.cu in FP64.
import numpy as np


def weights(inputs):
    shifts = np.arange(0, 32, 4).astype(np.uint64)
    words = inputs["packed"].astype(np.uint64)[:, :, None] >> shifts & np.uint64(15)
    w = words.astype(float).reshape(len(words), -1)
    return (w - inputs["zeros"].repeat(32, axis=1)) * inputs["scales"].repeat(32, axis=1)


def reference(inputs, params):
    w, x = weights(inputs), inputs["x"]
    return {"x": x, "x.scale": abs(x), "y": w @ x, "y.scale": abs(w) @ abs(x)}
