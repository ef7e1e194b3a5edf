# The truth for layer_norm_backward.cu in FP64.
def reference(inputs, params):
    dy, x, gamma = inputs["dy"], inputs["x"], inputs["gamma"]
    mean, rstd = inputs["mean"][:, None], inputs["rstd"][:, None]
    n, dn = (x - mean) * rstd, dy * gamma
    size = (abs(x) + abs(mean)) * rstd
    mean_dn, mean_dn_n = dn.mean(axis=1, keepdims=True), (dn * n).mean(axis=1, keepdims=True)
    sizes = abs(dn).mean(axis=1, keepdims=True), (abs(dn) * size).mean(axis=1, keepdims=True)
    return {"dx": rstd * (dn - mean_dn - n * mean_dn_n), "dx.scale": rstd * (abs(dn) + sizes[0] + size * sizes[1]),
            "dgamma": (dy * n).sum(axis=0), "dgamma.scale": (abs(dy) * size).sum(axis=0),
            "dbeta": dy.sum(axis=0), "dbeta.scale": abs(dy).sum(axis=0),
            "mean_dn": mean_dn[:, 0], "mean_dn.scale": sizes[0][:, 0]}
