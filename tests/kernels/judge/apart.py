import numpy as np


def reference(inputs, params):
    within = np.arange(params["COLS"]) >= inputs["from"][:, None]
    within &= np.arange(params["COLS"]) < params["REACH"]
    return {"out": np.where(within, inputs["x"].astype("float64"), 0).sum(axis=1) + inputs["fixed"]}
