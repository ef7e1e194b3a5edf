import numpy as np
def reference(i, p):
    s = i["q"] @ i["k"].T
    return {"s": np.where(np.triu(np.ones_like(s), 1) > 0, -1e4, s)}
