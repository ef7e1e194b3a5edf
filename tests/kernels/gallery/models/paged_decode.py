# The truth for paged_decode.cu in FP64.
import numpy as np


def reference(inputs, params):
    q, table, lengths = inputs["q"], inputs["table"].astype(int), inputs["lengths"].astype(int)
    out = np.empty_like(q)
    for b, length in enumerate(lengths):
        rows = [inputs[name][table[b]].reshape(-1, *q.shape[1:])[:length] for name in ("keys", "values")]
        scores = np.einsum("hd,rhd->hr", q[b], rows[0]) * inputs["scale"]
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        out[b] = np.einsum("hr,rhd->hd", e / e.sum(axis=1, keepdims=True), rows[1])
    return {"out": out}
