import numpy as np
def reference(i, p): return {"sum": np.array([i["x"].sum()]), "out": np.full(4, i["x"].mean())}
