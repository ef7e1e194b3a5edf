def reference(inputs, params):
    y = inputs["x"].copy()
    y[0, 0] *= 1e6
    return {"y": y}
