# The truth for lora.cu in FP64.
def reference(inputs, params):
    x, w, a, b = (inputs[name] for name in "xwab")
    alpha = inputs["alpha"] / inputs["rank"]
    low, low_scale = x @ a.T, abs(x) @ abs(a).T
    scale = abs(x) @ abs(w).T + alpha * low_scale @ abs(b).T
    return {"y": x @ w.T + alpha * low @ b.T, "y.scale": scale, "low": low, "low.scale": low_scale}
