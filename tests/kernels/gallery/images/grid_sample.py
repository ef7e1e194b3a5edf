# The truth for grid_sample.cu in FP64.
import numpy as np


def reference(inputs, params):
    image, flow, dout = inputs["image"], inputs["flow"], inputs["dout"]
    h, w = image.shape[1:]
    fx, fy = ((flow[..., 0] + 1) * w - 1) / 2, ((flow[..., 1] + 1) * h - 1) / 2
    y0, x0 = np.floor(fy).astype(int), np.floor(fx).astype(int)
    out, back = np.zeros(dout.shape), np.zeros(image.shape)
    for j in (0, 1):
        for i in (0, 1):
            y, x = y0 + j, x0 + i
            weight = (1 - abs(fy - y)) * (1 - abs(fx - x)) * ((y >= 0) & (x >= 0) & (y < h) & (x < w))
            y, x = y.clip(0, h - 1), x.clip(0, w - 1)
            out += weight * image[:, y, x]
            for c in range(image.shape[0]):
                np.add.at(back[c], (y, x), weight * dout[c])
    return {"out": out, "dimage": back}
