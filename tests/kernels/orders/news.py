def reference(inputs, params):
    return {"out": inputs["in"]}
