import numpy as np
def reference(i, p):
    e = np.exp(i["x"] - i["x"].max(1, keepdims=True))
    return {"y": e / e.sum(1, keepdims=True)}
