"""Measures what cp.async.bulk.tensor makes of a tile: where its elements lie in shared memory, and what stands for those
outside of the tensor. Writes OUT/tensor_tiles_sm90.json: device, and for each case its map, the coordinates, the way, its
kernel, and the bytes from the first to the last that changed: of shared memory by a copy in, of the tensor by a copy out or
a reduction.

usage: tensor_tiles.py OUT

The tensor holds the numbers of its elements (of 8 bits: the low ones). Shared memory is 0xee before a copy in, and holds
the numbers of its own elements before a copy out.
"""
import ctypes
import json
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

SHARED = 16384
U8, U16, U32, F16, F32 = 0, 1, 2, 6, 7
BYTES = {U8: 1, U16: 2, U32: 4, F16: 2, F32: 4}


def cases():
    def case(type, extents, box, at, swizzle=0, steps=None, fill=0, way="in", pad=0):
        return {"type": type, "extents": extents, "box": box, "at": at, "swizzle": swizzle,
                "steps": steps or [1] * len(box), "fill": fill, "way": way, "pad": pad}

    for swizzle, box0 in ((0, 32), (1, 16), (2, 32), (3, 64)):
        yield case(U16, [128, 40], [box0, 24], [16, 8], swizzle)
        yield case(U16, [128, 40], [box0 // 2, 24], [8, 3], swizzle)  # lines of half the swizzle
        yield case(U16, [128, 40], [box0, 24], [-5, -3], swizzle)
        yield case(U16, [128, 40], [box0, 24], [119, 30], swizzle)
        yield case(U16, [128, 40], [box0, 16], [16, 30], swizzle, way="out")
    yield case(U8, [256], [64], [100])
    yield case(U8, [256], [64], [-7])
    yield case(U32, [20, 6, 5], [8, 4, 3], [2, 1, 3], 1, pad=16)
    yield case(U32, [20, 6, 5, 3], [8, 4, 3, 2], [-2, 4, 3, 2], 1)
    yield case(U16, [40, 6, 5, 3, 2], [16, 3, 2, 2, 2], [30, -1, 4, 1, 1], 1)
    yield case(U16, [64, 40], [32, 15], [4, 2], 0, [1, 2])
    yield case(U16, [64, 40], [32, 15], [4, 35], 2, [1, 3])
    yield case(F16, [64, 40], [32, 8], [50, 36], 2, fill=1)
    yield case(F32, [64, 40], [16, 8], [50, 36], 2, fill=1)
    yield case(F16, [64, 40], [32, 8], [50, 36], 2, fill=0)
    yield case(U32, [32, 24], [16, 8], [20, 18], 2, way="add")
    yield case(U32, [32, 24], [16, 8], [-3, -2], 0, way="max")
    yield case(F32, [32, 24], [16, 8], [20, 18], 2, way="add")
    yield case(F16, [32, 24], [16, 8], [20, 18], 1, way="add")


def text(case):
    rank = len(case["box"])
    names = ", ".join(f"%c{i}" for i in range(rank))
    coordinates = "".join(f"mov.s32 %c{i}, {x};\n" for i, x in enumerate(case["at"]))
    way = case["way"]
    if way == "in":
        size = BYTES[case["type"]]
        for extent, step in zip(case["box"], case["steps"]):
            size *= -(-extent // step)
        move = (
            "mbarrier.init.shared.b64 [%b], 1;\nfence.proxy.async.shared::cta;\n"
            f"mbarrier.arrive.expect_tx.shared.b64 %x, [%b], {size};\n"
            f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%m, {{{names}}}], [%b];\n"
            "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p, [%b], 0;\n@!%p bra WAIT;\n"
        )
    else:
        op = "cp.async.bulk.tensor" if way == "out" else "cp.reduce.async.bulk.tensor"
        reduces = "" if way == "out" else f".{way}"
        move = (
            f"fence.proxy.async.shared::cta;\n{op}.{rank}d.global.shared::cta{reduces}.tile.bulk_group [%m, {{{names}}}], [%s];\n"
            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
        )
    return (
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .align 64 .b8 map[128], .param .u64 p)\n{\n"
        f".shared .align 1024 .b8 s[{SHARED}];\n.shared .align 8 .b64 bar;\n"
        ".reg .b64 %m, %g, %a, %x; .reg .b32 %c<5>, %s, %b, %i, %w, %t; .reg .pred %p;\n"
        "mov.b64 %m, map;\ncvta.param.u64 %m, %m;\nld.param.u64 %g, [p];\nmov.u32 %s, s;\nmov.u32 %b, bar;\n" + coordinates
        + f"mov.u32 %i, 0;\nFILL:\nadd.u32 %t, %s, %i;\ncvt.u64.u32 %a, %i;\nadd.u64 %a, %g, %a;\nld.global.b32 %w, [%a];\n"
        f"st.shared.b32 [%t], %w;\nadd.u32 %i, %i, 4;\nsetp.lt.u32 %p, %i, {SHARED};\n@%p bra FILL;\n" + move
        + "mov.u32 %i, 0;\nDRAIN:\nadd.u32 %t, %s, %i;\ncvt.u64.u32 %a, %i;\nadd.u64 %a, %g, %a;\nld.shared.b32 %w, [%t];\n"
        f"st.global.b32 [%a], %w;\nadd.u32 %i, %i, 4;\nsetp.lt.u32 %p, %i, {SHARED};\n@%p bra DRAIN;\nret;\n}}\n"
    )


def numbers(type, count):
    if type == F16:
        return struct.pack(f"<{count}e", *[float(k % 2048) for k in range(count)])
    if type == F32:
        return struct.pack(f"<{count}f", *[float(k) for k in range(count)])
    size = BYTES[type]
    return b"".join((k % 256**size).to_bytes(size, "little") for k in range(count))


def strides(case):
    out, bytes_ = [], BYTES[case["type"]]
    for axis, extent in enumerate(case["extents"][:-1]):
        bytes_ = -(-bytes_ * extent // 16) * 16 + (case["pad"] if axis == 0 else 0)
        out.append(bytes_)
    return out


def tensor(case):
    size = (strides(case) or [BYTES[case["type"]] * case["extents"][0]])[-1]
    total = size * case["extents"][-1] if len(case["extents"]) > 1 else size
    return numbers(case["type"], total // BYTES[case["type"]])


def answer(case):
    from cuda_driver import Device

    device = Device()
    rank, data = len(case["box"]), tensor(case)
    at, shared_at = device.arena, device.arena + (1 << 20)
    device.put(at, data)
    before = b"\xee" * SHARED if case["way"] == "in" else numbers(case["type"], SHARED // BYTES[case["type"]])
    device.put(shared_at, before)
    raw = ctypes.create_string_buffer(128 + 64)
    map_at = (ctypes.addressof(raw) + 63) // 64 * 64
    device._check(
        "cuTensorMapEncodeTiled", ctypes.c_void_p(map_at), case["type"], rank, ctypes.c_uint64(at),
        (ctypes.c_uint64 * rank)(*case["extents"]), (ctypes.c_uint64 * max(1, rank - 1))(*strides(case)),
        (ctypes.c_uint32 * rank)(*case["box"]), (ctypes.c_uint32 * rank)(*case["steps"]), 0, case["swizzle"], 0, case["fill"],
    )
    function = device.function(device.load(text(case)), "k")
    shape = {"grid": (1, 1, 1), "block": (1, 1, 1), "shared": 0, "cooperative": False}
    device.start(function, shape, [ctypes.string_at(map_at, 128), struct.pack("<Q", shared_at)])
    after = device.get(shared_at, SHARED) if case["way"] == "in" else device.get(at, len(data))
    was = before if case["way"] == "in" else data
    changed = [k for k in range(len(was)) if was[k] != after[k]]
    begin, end = (changed[0], changed[-1] + 1) if changed else (0, 0)
    return {**case, "strides": strides(case), "ptx": text(case), "begin": begin, "after": after[begin:end].hex()}


def main():
    """A process a case: what faults takes nothing but its own context along."""
    from conformance_run import describe_device

    out, every = pathlib.Path(sys.argv[1]), list(cases())
    if len(sys.argv) > 2:
        print(json.dumps(answer(every[int(sys.argv[2])])))
        return
    name, driver = describe_device()
    answers, failed = [], []
    for k, case in enumerate(every):
        try:
            run = subprocess.run([sys.executable, __file__, str(out), str(k)], capture_output=True, text=True, timeout=10)
        except subprocess.TimeoutExpired:
            failed.append({**case, "why": "it does not end"})
            continue
        if run.returncode == 0:
            answers.append(json.loads(run.stdout))
        else:
            failed.append({**case, "why": run.stderr.strip().splitlines()[-1]})
    record = {"device": name, "driver": driver, "sm": "90a", "cases": answers, "failed": failed}
    (out / "tensor_tiles_sm90.json").write_text(json.dumps(record, indent=1) + "\n")
    print(f"{len(answers)} tiles written, {len(failed)} failed: {name}, driver {driver}")
    for case in failed:
        print(case)


if __name__ == "__main__":
    main()
