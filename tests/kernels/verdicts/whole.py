def reference(inputs, params):
    return {"c": inputs["a"] + 7, "d": inputs["b"] + 7}
