def reference(inputs, params):
    return {"p.y": inputs["p"]["x"]}
