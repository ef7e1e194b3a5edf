def reference(inputs, params):
    q, k = inputs["Q"], inputs["K"]
    return {"Q": q, "K": k, "S": q @ k.T, "S.scale": abs(q) @ abs(k.T)}
