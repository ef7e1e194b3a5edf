def reference(inputs, params):
    y = 3 * inputs["x"]
    return {"y": y, "y.scale": abs(y)}
