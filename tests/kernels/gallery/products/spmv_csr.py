# The truth for spmv_csr.cu in FP64.
import numpy as np


def reference(inputs, params):
    starts = inputs["starts"].astype(int)
    products = inputs["values"] * inputs["x"][inputs["columns"].astype(int)]
    rows = [products[a:b] for a, b in zip(starts[:-1], starts[1:])]
    y, alpha, beta = inputs["y"], inputs["alpha"], inputs["beta"]
    return {"y": alpha * np.array([r.sum() for r in rows]) + beta * y,
            "y.scale": alpha * np.array([abs(r).sum() for r in rows]) + beta * abs(y)}
