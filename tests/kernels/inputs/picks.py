def reference(inputs, params):
    return {"place": inputs["x"].argmax(axis=1)}
