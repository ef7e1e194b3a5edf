def reference(inputs, params):
    return {"out": 2 * inputs["x"]}
