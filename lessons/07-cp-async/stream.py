# Thread t adds up the four numbers that thread 127 - t fetched, of every tile.
def reference(inputs, params):
    x = inputs["x"].reshape(-1, 128, 4)[:, ::-1]
    return {"y": x.sum(axis=(0, 2)), "y.scale": abs(x).sum(axis=(0, 2))}
