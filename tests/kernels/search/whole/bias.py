def reference(inputs, params):
    g = inputs["gradients"]
    sums = (g[:, :, 0] + 0.5 * g[:, :, 0, ::-1] + g[:, :, 1]).sum(axis=0)
    size = (abs(g[:, :, 0]) + 0.5 * abs(g[:, :, 0, ::-1]) + abs(g[:, :, 1])).sum(axis=0)
    return {"sums": sums, "sums.scale": size}
