import numpy as np


def smooth(x):
    padded = np.concatenate([x[:1], x, x[-1:]])
    return 0.25 * padded[:-2] + 0.5 * x + 0.25 * padded[2:]


def reference(inputs, params):
    a = 2 * inputs["a"]
    doubled = a
    b = a
    for _ in range(int(params["TURNS"])):
        b = smooth(a)
        a = smooth(b)
    return {"doubled": doubled, "a": a / params["TURNS"], "b": b}
