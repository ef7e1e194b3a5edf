# The truth for welford.cu in FP64.
def reference(inputs, params):
    x = inputs["x"]
    return {"mean": x.mean(axis=0), "variance": x.var(axis=0, ddof=1)}
