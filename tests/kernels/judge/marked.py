import numpy as np


def reference(inputs, params):
    large = int((inputs["x"] > 0.5).sum())
    return {"marks": np.arange(int(params["N"])) < large}
