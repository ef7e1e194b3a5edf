import numpy as np
def reference(i, p):
    x = i["x"]
    return {"y": (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * i["g"]}
