def reference(inputs, params):
    return {"y": inputs["x"] * inputs["scale"]}
