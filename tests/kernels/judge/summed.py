import numpy as np


def reference(inputs, params):
    x = inputs["x"]
    whole = x.max() + np.log(np.exp(x - x.max()).sum())
    return {"whole": np.array([whole]), "less": x - whole}
