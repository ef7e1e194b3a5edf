import numpy as np


def reference(inputs, params):
    y = 2 * inputs["x"]
    says = params["SAYS"]
    if says == 1:
        return {"y": y[:1]}
    if says == 2:
        y[1:] = np.nan
    if says == 3:
        y[:] = np.nan
    if says == 4:
        return {"y": y.ravel()}
    if says == 5:
        return {"Y": y}
    if says == 6:
        return {}
    if says == 7:
        raise ValueError("no truth today")
    return {"y": y, "y.scale": abs(y[:1] if says == 8 else y)}
