# The truth for strays.cu in FP64.
import numpy as np


def reference(inputs, params):
    a, b = inputs["a"], inputs["b"]
    front, back = a + b, b + b[::-1]
    first = np.arange(64) < 32
    return {"out": np.where(first, front, back), "spare": np.where(first, back, front),
            "out.scale": np.where(first, abs(a) + abs(b), abs(b) + abs(b[::-1])),
            "spare.scale": np.where(first, abs(b) + abs(b[::-1]), abs(a) + abs(b))}
