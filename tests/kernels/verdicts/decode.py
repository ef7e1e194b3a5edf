def reference(inputs, params):
    return {"o": inputs["v"].mean(axis=0)}
