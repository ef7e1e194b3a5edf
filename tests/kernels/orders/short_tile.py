def reference(inputs, params):
    a, b = inputs["a"], inputs["b"]
    return {"c": a @ b, "c.scale": abs(a) @ abs(b)}
