# The truth for stream_k.cu in FP64.
import numpy as np


def reference(inputs, params):
    return {"c": np.maximum(inputs["a"] @ inputs["b"] + inputs["bias"], 0)}
