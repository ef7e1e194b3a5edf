def reference(inputs, params):
    p, v = inputs["P"], inputs["V"]
    return {"O": p @ v, "O.scale": abs(p) @ abs(v)}
