import numpy as np
def reference(i, p):
    x = np.pad(i["x"], (0, -len(i["x"]) % 128))
    return {"y": np.cumsum(x.reshape(-1, 128), 1).ravel()[:len(i["x"])]}
