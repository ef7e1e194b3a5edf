"""Breadth first, in order."""

import numpy as np


def reference(inputs, params):
    hop, n, steps = inputs["hop"].astype(int), params["N"], np.full(params["N"], -1)
    steps[params["SOURCE"]], level = 0, [params["SOURCE"]]
    for k in range(params["LEVELS"]):
        level = sorted({(v + s) % n for v in level for s in (1, hop[v])} - set(np.flatnonzero(steps >= 0)))
        steps[level] = k + 1
    return {"steps": steps}
