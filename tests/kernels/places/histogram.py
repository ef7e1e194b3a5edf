import numpy as np
def reference(i, p): return {"bins": np.bincount(i["x"].astype(int), minlength=64)}
