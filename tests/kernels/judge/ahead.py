import numpy as np

def reference(inputs, params):
    n, levels = int(params["N"]), int(params["LEVELS"])
    halves = np.zeros((2, n))
    halves[0] = inputs["x"]
    for level in range(levels):
        halves[(level + 1) % 2] = np.roll(halves[level % 2], -1) + 1
    return {"rows": halves}
