def reference(inputs, params):
    a, b = inputs["A"], inputs["B"]
    return {"C": a @ b, "C.scale": abs(a) @ abs(b)}
