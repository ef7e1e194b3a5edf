# The truth for gemm_async.cu in FP64.
def reference(inputs, params):
    x, w = inputs["x"], inputs["w"]
    return {"y": x @ w, "y.scale": abs(x) @ abs(w)}
