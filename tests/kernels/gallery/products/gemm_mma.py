# The truth for gemm_mma.cu in FP64.
def reference(inputs, params):
    a, b = inputs["A"], inputs["B"].T
    return {"C": a @ b, "C.scale": abs(a) @ abs(b)}
