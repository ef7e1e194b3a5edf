# The truth for adamw.cu in FP64.
import numpy as np


def reference(inputs, params):
    w, g, step = inputs["weights"], inputs["gradients"], params["STEP"]
    b1, b2 = float(np.float32(0.9)), float(np.float32(0.95))
    m = b1 * inputs["m"] + (1 - b1) * g
    v = b2 * inputs["v"] + (1 - b2) * g * g
    m_hat, v_hat = m / (1 - b1**step), v / (1 - b2**step)
    w = w - inputs["rate"] * (m_hat / (np.sqrt(v_hat) + 1e-8) + inputs["decay"] * w)
    return {"m": m, "v": v, "weights": w, "halves": w, "m_hat": m_hat, 
            "m_hat.scale": 4 * (b1 * abs(inputs["m"]) + (1 - b1) * abs(g)) / (1 - b1**step)}
