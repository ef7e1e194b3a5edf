import numpy as np


def reference(inputs, params):
    seen = np.zeros(params["WORDS"], dtype=np.int64)
    for x in inputs["x"]:
        seen[int(x) // 32] |= 1 << (int(x) % 32)
    return {"seen": seen}
