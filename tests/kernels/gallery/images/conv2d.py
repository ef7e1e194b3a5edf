# The truth for conv2d.cu in FP64.
import numpy as np


def convolved(image, weights, stride):
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    h, w = image.shape[1:]
    taps = [padded[:, y : y + h, x : x + w][:, ::stride, ::stride] for y in range(3) for x in range(3)]
    return np.einsum("fct,tcyx->fyx", weights.reshape(*weights.shape[:2], 9), np.stack(taps))


def reference(inputs, params):
    image, weights, bias = inputs["in"], inputs["weights"], inputs["bias"][:, None, None]
    stride, taps = int(params["STRIDE"]), inputs["weights"].reshape(len(inputs["weights"]), -1)
    return {"taps": taps, "taps.scale": abs(taps), "out": convolved(image, weights, stride) + bias,
            "out.scale": convolved(abs(image), abs(weights), stride) + abs(bias)}
