# The truth for owners.cu in FP64.
def reference(inputs, params):
    x = inputs["in"]
    halves = lambda a: a.sum(axis=0).reshape(2, 32).sum(axis=0)
    sums, size = halves(x), halves(abs(x))
    ends = abs(x[0, ::-1])
    return {"sums": sums[None, :], "sums.scale": size[None, :],
            "out": [*(sums + ends[:32]), *(sums + ends[32:])],
            "out.scale": [*(size + ends[:32]), *(size + ends[32:])]}
