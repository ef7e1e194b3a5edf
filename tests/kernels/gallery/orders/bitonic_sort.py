# The truth for bitonic_sort.cu; equal keys do not occur.
import numpy as np


def reference(inputs, params):
    order = np.argsort(inputs["keys"], axis=1, kind="stable")
    sorted_keys = np.take_along_axis(inputs["keys"], order, axis=1)
    return {"sorted": sorted_keys, "sorted.scale": abs(sorted_keys), "order": order}
