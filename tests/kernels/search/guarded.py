# What guarded.cu should leave, in FP64.
import numpy as np


def reference(inputs, params):
    n, turns, threads = params["N"], 4, 32
    depth, table, field, reach = inputs["depth"], inputs["table"], inputs["field"], inputs["reach"]
    blocks = -(-n // threads)
    of_block = depth[:blocks].astype(int)
    i = np.arange(n)[:, None]
    turn = np.arange(turns)[None, :]
    offset = table[depth] - field
    return {
        "first": np.where(of_block >= threads, of_block * 3 % threads, -1),
        "looked": 2 * table[depth] + np.arange(n) % turns + depth,
        "marks": np.where(turn == i % turns, turn, i + turn),
        "field": np.where(offset < -reach, field, 0.5 * (field + np.minimum(offset, reach))),
    }
