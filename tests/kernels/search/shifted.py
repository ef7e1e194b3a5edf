def reference(inputs, params):
    x = inputs["x"]
    mean = x.mean(axis=1, keepdims=True)
    return {"y": x - mean, "y.scale": abs(x) + abs(x).mean(axis=1, keepdims=True)}
