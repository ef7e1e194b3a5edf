import numpy as np


def reference(inputs, params):
    m = inputs["matrices"].astype(np.float64)
    return {"inverses": np.linalg.inv(m), "log_det": np.linalg.slogdet(m)[1]}
