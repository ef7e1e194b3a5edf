# softmax(scale Q K^T) V in FP64 as a reference of the user's own: what prove_bench compares v2c_3 with.
import numpy as np


def reference(inputs, params):
    q, k, v = inputs["Q"], inputs["K"], inputs["V"]
    scale = 1 / np.sqrt(params["D"])
    scores = scale * q @ np.swapaxes(k, -1, -2)
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return {"scores": scores, "scores.scale": scale * abs(q) @ abs(np.swapaxes(k, -1, -2)),
            "O": p @ v, "O.scale": p @ abs(v)}
