def reference(inputs, params):
    x = inputs["x"]
    return {"y": 0.375 * x.sum(axis=1), "y.scale": 0.375 * abs(x).sum(axis=1)}
