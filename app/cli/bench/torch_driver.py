"""PyTorch's scaled dot-product attention on the inputs of a kernel: one line of JSON.

Arguments: folder with Q.npy, K.npy and V.npy, causal (0 or 1), samples, launches, L2 bytes.
Each back end is timed as the kernel is: CUDA graphs of launches between events, the same arrays again and again
(warm) and arrays in turn that are together more than twice L2 (cold).
"""
import json
import pathlib
import statistics
import sys
import time

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION,
            "memory-efficient": SDPBackend.EFFICIENT_ATTENTION, "math": SDPBackend.MATH}
WARM_UP = 0.3  # seconds


def timed(replay, launches, samples):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def once():
        begin.record()
        replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / launches

    until = time.monotonic() + WARM_UP
    while time.monotonic() < until:
        once()
    return statistics.median(once() for _ in range(samples))


def graph_of(call, sets, launches):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call(*sets[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for k in range(launches):
            call(*sets[k % len(sets)])
    return graph


def main():
    folder, causal = pathlib.Path(sys.argv[1]), sys.argv[2] == "1"
    samples, launches, l2 = (int(word) for word in sys.argv[3:6])
    inputs = [torch.from_numpy(np.load(folder / f"{name}.npy")).cuda() for name in "QKV"]
    size = 4 * inputs[0].nbytes
    sets = [[x.clone() for x in inputs] for _ in range(min(256, max(2, 2 * l2 // size + 1)))]
    out = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "backends": {}}
    for name, backend in BACKENDS.items():
        def call(q, k, v, backend=backend):
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

        try:
            row = {}
            many = max(launches, len(sets))
            row["warm"] = timed(graph_of(call, sets[:1], launches).replay, launches, samples)
            row["cold"] = timed(graph_of(call, sets, many).replay, many, samples)
        except RuntimeError as error:
            row = {"refused": str(error).splitlines()[0]}
        out["backends"][name] = row
    print(json.dumps(out))


main()
