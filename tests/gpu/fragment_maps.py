"""Measures which element of a matrix each lane holds where, and writes OUT/fragments_sm90.jsonl.

usage: fragment_maps.py OUT

wmma.load, ldmatrix, stmatrix and movmatrix are read off directly: the matrix in memory holds one bit of each element's
number at a time. mma.sync has no memory side: the map of the ISA (tensor_core.layout) is confirmed element by element.
A one in A's element (i, k) beside a B of ones must show in exactly row i of D; beside a B with a one only at (k, 0) in
exactly D(i, 0); and the same for B. A map that fails is written with "confirmed": false. Of mma.sp, the elements of
A as stored are confirmed so with metadata that place every pair first in its group of four, and the metadata are read
off: a nibble that is changed to place its pair last shows in the row and the group that it is for.
"""
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from conformance_run import describe_device  # noqa: E402
from cuda_driver import Device, DriverError  # noqa: E402
from tensor_core import BITS, Gpu, Mma, layout, to_fragment  # noqa: E402

FLOAT_SHAPES = [(s, t, d) for s in ("m16n8k8", "m16n8k16") for t, d in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32"))]
PRODUCTS = (
    [Mma(s, t, t, d) for s, t, d in FLOAT_SHAPES]
    + [Mma(s, "tf32", "tf32", "f32") for s in ("m16n8k4", "m16n8k8")]
    + [Mma(s, "e4m3", "e4m3", "f32") for s in ("m16n8k16", "m16n8k32")]
    + [Mma(s, "f64", "f64", "f64") for s in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")]
    + [Mma(s, "s8", "s8", "s32") for s in ("m8n8k16", "m16n8k16", "m16n8k32")]
    + [Mma(s, "s4", "s4", "s32") for s in ("m8n8k32", "m16n8k32", "m16n8k64")]
    + [Mma(s, "b1", "b1", "s32", ".and.popc") for s in ("m8n8k128", "m16n8k128", "m16n8k256")]
)
QUAD_PAIRS = [Mma("m8n8k4", "f16", "f16", d, order=f"{a}.{b}") for d in ("f32", "f16") for a in ("row", "col") for b in ("row", "col")]
SPARSE = [
    Mma(shape, t, t, d, selector=f)
    for shape, t, d, selectors in (
        ("m16n8k16", "f16", "f32", range(4)), ("m16n8k32", "f16", "f32", range(2)), ("m16n8k16", "bf16", "f32", range(4)),
        ("m16n8k32", "bf16", "f32", range(2)), ("m16n8k8", "tf32", "f32", range(4)), ("m16n8k16", "tf32", "f32", range(2)),
        ("m16n8k32", "s8", "s32", range(2)), ("m16n8k64", "s8", "s32", range(1)), ("m16n8k64", "s4", "s32", range(2)),
        ("m16n8k128", "s4", "s32", range(1)), ("m16n8k64", "e4m3", "f32", range(1)),
    )
    for f in selectors
]
WMMA = [(s, t) for s in ("m16n16k16", "m8n32k16", "m32n8k16") for t in ("f16", "bf16", "s8", "u8")]
WMMA += [("m16n16k8", "tf32"), ("m8n8k4", "f64"), ("m8n8k32", "s4"), ("m8n8k32", "u4"), ("m8n8k128", "b1")]
ACCUMULATORS = [(s, t) for s in ("m16n16k16", "m8n32k16", "m32n8k16") for t in ("f16", "f32", "s32")]
ACCUMULATORS += [("m16n16k8", "f32"), ("m8n8k4", "f64"), ("m8n8k32", "s32"), ("m8n8k128", "s32")]


def confirm(gpu, mma):
    """Whether D answers as the map of the ISA says, for every element of A and of B."""
    m, n, k = mma.extents

    def nonzero(a, b):
        zeros = np.zeros((len(a), m, n))
        return gpu.bits(mma, a, b, zeros) != 0

    ok = True
    for which, rows, columns in (("a", m, k), ("b", k, n)):
        where = np.array([(r, c) for r in range(rows) for c in range(columns)])
        one = np.zeros((len(where), rows, columns))
        one[np.arange(len(where)), where[:, 0], where[:, 1]] = 1
        inner = where[:, 1] if which == "a" else where[:, 0]
        if which == "a":
            ones, single = np.ones((len(where), k, n)), np.zeros((len(where), k, n))
            single[np.arange(len(where)), inner, 0] = 1
            broad, narrow = nonzero(one, ones), nonzero(one, single)
            expected = np.zeros((len(where), m, n), bool)
            expected[np.arange(len(where)), where[:, 0], :] = True
            point = np.zeros_like(expected)
            point[np.arange(len(where)), where[:, 0], 0] = True
        else:
            ones, single = np.ones((len(where), m, k)), np.zeros((len(where), m, k))
            single[np.arange(len(where)), 0, inner] = 1
            broad, narrow = nonzero(ones, one), nonzero(single, one)
            expected = np.zeros((len(where), m, n), bool)
            expected[np.arange(len(where)), :, where[:, 1]] = True
            point = np.zeros_like(expected)
            point[np.arange(len(where)), 0, where[:, 1]] = True
        ok &= bool(np.array_equal(broad, expected) and np.array_equal(narrow, point))
    return ok


def mma_maps(gpu):
    for mma in PRODUCTS:
        confirmed = confirm(gpu, mma)
        m, n, k = mma.extents
        for which, rows, columns in (("a", m, k), ("b", k, n), ("c", m, n)):
            lanes = layout(mma, which)
            dtype = mma.d if which == "c" else mma.a
            yield {"frag": f"mma.{which}.{mma.shape}.{dtype}", "of": mma.name, "rows": rows, "cols": columns,
                   "num_elements": len(lanes[0]), "confirmed": confirmed, "lanes": lanes}


def confirm_quad_pairs(gpu, mma):
    """As confirm, in each of the four products; the others must stay zero."""
    zeros, ok = np.zeros((32, 32, 8)), True
    for q in range(4):
        a, b = np.zeros((32, 32, 4)), np.zeros((32, 16, 8))
        case, row, k = np.arange(32), np.arange(32) // 4, np.arange(32) % 4
        a[case, 8 * q + row, k] = 1
        b[case, 4 * q + k, :] = 1
        expected = np.zeros((32, 32, 8), bool)
        expected[case, 8 * q + row, :] = True
        ok &= bool(np.array_equal(gpu.bits(mma, a, b, zeros) != 0, expected))
        b[case, 4 * q + k, 1:] = 0
        expected[:, :, 1:] = False
        ok &= bool(np.array_equal(gpu.bits(mma, a, b, zeros) != 0, expected))
        a, b = np.zeros((32, 32, 4)), np.zeros((32, 16, 8))
        column = np.arange(32) // 4
        b[case, 4 * q + k, column] = 1
        a[case, 8 * q : 8 * q + 8, :] = (np.arange(4) == k[:, None])[:, None, :]
        expected = np.zeros((32, 32, 8), bool)
        expected[case[:, None], 8 * q + np.arange(8), column[:, None]] = True
        ok &= bool(np.array_equal(gpu.bits(mma, a, b, zeros) != 0, expected))
    return ok


def quad_pair_maps(gpu):
    for mma in QUAD_PAIRS:
        confirmed = confirm_quad_pairs(gpu, mma)
        for which, rows, columns, order in (("a", 8, 4, mma.order[:3]), ("b", 4, 8, mma.order[4:]), ("c", 8, 8, mma.d)):
            lanes = [[[row // rows, row % rows, column] for row, column in lane] for lane in layout(mma, which)]
            name = f"mma.c.m8n8k4.{mma.d}" if which == "c" else f"mma.{which}.m8n8k4.{order}.f16"
            yield {"frag": name, "of": mma.name, "rows": rows, "cols": columns, "num_elements": len(lanes[0]),
                   "confirmed": confirmed, "lanes": lanes}


def sparse_map(gpu, mma):
    """The stored elements of A, confirmed; the metadata's places (lane, lowest bit, row, group), read off."""
    m, n, k = mma.extents
    group = {32: 2, 4: 8}.get(BITS[mma.a], 4)  # elements of the matrix for four bits of metadata
    first, last = 0x44444444, 0xE  # the pair (0, 1) of every group, and (2, 3); tf32: the first of two, the second
    stored = k // 2
    position = np.array([s // (group // 2) * group + s % (group // 2) for s in range(stored)])
    where = np.array([(r, s) for r in range(m) for s in range(stored)])
    cases = np.arange(len(where))
    a, b = np.zeros((len(where), m, stored)), np.zeros((len(where), k, n))
    a[cases, where[:, 0], where[:, 1]] = 1
    b[cases, position[where[:, 1]], where[:, 1] % n] = 1
    metadata = np.full((len(where), 32), first, np.uint32)
    expected = np.zeros((len(where), m, n), bool)
    expected[cases, where[:, 0], where[:, 1] % n] = True
    confirmed = bool(np.array_equal(gpu.bits(mma, a, b, np.zeros((len(where), m, n)), metadata) != 0, expected))
    # One nibble changed: its group's elements are now the last ones. Columns 0-6 spell the group, column 7 is all ones.
    changed = np.array([(lane, bit) for lane in range(32) for bit in range(0, 32, 4)])
    cases = np.arange(len(changed))
    metadata = np.full((len(changed), 32), first, np.uint32)
    metadata[cases, changed[:, 0]] ^= ((0x4 ^ last) << changed[:, 1]).astype(np.uint32)
    b = np.zeros((k, n))
    for row in range(k):
        if row % group >= group // 2:
            b[row] = [(row // group >> column) & 1 for column in range(7)] + [1]
    answer = gpu.bits(mma, np.ones((len(changed), m, stored)), np.broadcast_to(b, (len(changed), k, n)), np.zeros((len(changed), m, n)), metadata) != 0
    places = []
    for (lane, bit), rows in zip(changed.tolist(), answer):
        hit = np.flatnonzero(rows[:, 7])
        places += [[lane, bit, int(row), int(sum(int(rows[row, column]) << column for column in range(7)))] for row in hit]
    return confirmed, places


def sparse_maps(gpu):
    for mma in SPARSE:
        try:
            confirmed, places = sparse_map(gpu, mma)
        except DriverError as error:
            print("stopped:", mma.name, error)
            continue
        m, n, k = mma.extents
        if mma.selector == 0:
            for which, rows, columns in (("a", m, k // 2), ("b", k, n), ("c", m, n)):
                lanes = layout(mma, which)
                dtype = mma.d if which == "c" else mma.a
                yield {"frag": f"mma.sp.{which}.{mma.shape}.{dtype}", "of": mma.name, "rows": rows, "cols": columns,
                       "num_elements": len(lanes[0]), "confirmed": confirmed, "lanes": lanes}
        yield {"frag": f"mma.sp.metadata.{mma.shape}.{mma.a}", "of": mma.name, "selector": mma.selector, "confirmed": confirmed,
               "places": places}


def extents(shape, which):
    m, rest = shape[1:].split("n")
    n, k = map(int, rest.split("k"))
    return {"a": (int(m), k), "b": (k, n), "c": (int(m), n)}[which]


def wmma_registers(shape, dtype, which):
    rows, columns = extents(shape, which)
    if dtype == "f16" and which != "c":
        return 8
    return max(1, rows * columns * BITS[dtype] // (64 if dtype == "f64" else 32) // 32)


def wmma_map(device, shape, dtype, which, order):
    """Loads the bit planes of the elements' numbers; a lane's element is the number its bits spell."""
    rows, columns = extents(shape, which)
    count, wide = wmma_registers(shape, dtype, which), dtype == "f64"
    bits, size, kind = BITS[dtype], 8 if wide else 4, "f64" if wide else "f32" if dtype == "f32" else "b32"
    stride = columns if order == "row" else rows
    registers = ", ".join(f"%r{i}" for i in range(count))
    stores = "\n".join(f"st.global.{kind} [%o+{i * 32 * size}], %r{i};" for i in range(count))
    text = (
        f"{Gpu.HEADER}.visible .entry load(.param .u64 p0, .param .u64 p1)\n{{\n.reg .b64 %i, %o; .reg .b32 %t; .reg .{kind} %r<{count}>;\n"
        f"ld.param.u64 %i, [p0]; ld.param.u64 %o, [p1]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, {size}, %o;\n"
        f"wmma.load.{which}.sync.aligned.{order}.{shape}.global.{dtype} {{{registers}}}, [%i], {stride};\n{stores}\nret;\n}}\n"
    )
    function = device.function(device.load(text), "load")
    total = rows * columns
    number = np.arange(total).reshape(rows, columns)
    stored = (number if order == "row" else number.T).reshape(-1)  # element at each place of memory
    one = {"f16": 0x3C00, "bf16": 0x3F80, "tf32": 0x3F800000, "f32": 0x3F800000, "f64": 0x3FF0000000000000}.get(dtype, 1)
    per = 1 if wide else 32 // bits
    spelt = np.zeros((32, count * per), np.int64)
    for plane in range(int(total - 1).bit_length()):
        memory = pack([(one if v >> plane & 1 else 0) for v in stored], bits)
        answer = device.launch(function, (1, 1, 1), (32, 1, 1), [memory + bytes(256), bytes(count * 32 * size)])[1]
        words = np.frombuffer(answer, np.uint64 if wide else np.uint32).reshape(count, 32).T.astype(np.uint64)
        elements = np.stack([words >> np.uint64(bits * i) & np.uint64((1 << bits) - 1) for i in range(per)], axis=2).reshape(32, -1)
        spelt |= (elements != 0).astype(np.int64) << plane
    name = {"a": "matrix_a", "b": "matrix_b", "c": "accumulator"}[which]
    return {"frag": f"{name}.{shape}.{dtype}", "layout": f"{order}_major", "rows": rows, "cols": columns,
            "num_elements": count * per, "lanes": [[[int(v) // columns, int(v) % columns] for v in lane] for lane in spelt]}


def pack(values, bits):
    if bits >= 8:
        return np.array(values, {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]).tobytes()
    per = 8 // bits
    return bytes(sum(v << (bits * i) for i, v in enumerate(values[at : at + per])) for at in range(0, len(values), per))


def wmma_maps(device):
    for shape, dtype in WMMA:
        for which in "ab":
            fixed = {"a": "row", "b": "col"}[which] if BITS[dtype] < 8 else None
            for order in [fixed] if fixed else ["row", "col"]:
                yield wmma_map(device, shape, dtype, which, order)
    for shape, dtype in ACCUMULATORS:
        for order in ("row", "col"):
            yield wmma_map(device, shape, dtype, "c", order)


def matrix_move_maps(device):
    """Lane l names row l of 32; its registers' halves come back as (matrix, row, column)."""
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            registers = ", ".join(f"%r{i}" for i in range(count))
            move_in = "".join(f"ld.global.b32 %r{i}, [%o+{i * 128}];\n" for i in range(count))
            move_out = "".join(f"st.global.b32 [%o+{i * 128}], %r{i};\n" for i in range(count))
            for store in (False, True):
                op = f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%s], {{{registers}}};" if store else (
                    f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{registers}}}, [%s];")
                copy = lambda a, b: "".join(f"ld.{a[0]}.b32 %x, [{a[1]}+{4 * i}]; st.{b[0]}.b32 [{b[1]}+{4 * i}], %x;\n" for i in range(4))
                text = (
                    f"{Gpu.HEADER}.visible .entry move(.param .u64 p0, .param .u64 p1)\n{{\n.shared .align 16 .b8 m[512];\n"
                    f".reg .b64 %g, %o, %s; .reg .b32 %t, %x, %r<{count}>;\nld.param.u64 %g, [p0]; ld.param.u64 %o, [p1]; mov.u32 %t, %tid.x;\n"
                    "mov.u64 %s, m; mad.wide.u32 %s, %t, 16, %s; mad.wide.u32 %g, %t, 16, %g; mad.wide.u32 %o, %t, 4, %o;\n"
                    + copy(("global", "%g"), ("shared", "%s")) + (move_in if store else "") + "bar.sync 0;\n" + op + "\nbar.sync 0;\n"
                    + (copy(("shared", "%s"), ("global", "%g")) if store else move_out) + "ret;\n}\n"
                )
                function = device.function(device.load(text), "move")
                memory = np.arange(256, dtype=np.uint16) if not store else np.full(256, 0xFFFF, np.uint16)
                fragment = np.zeros((count, 32, 2), np.uint16)
                if store:
                    fragment[...] = np.arange(count * 64, dtype=np.uint16).reshape(count, 32, 2)
                after = device.launch(function, (1, 1, 1), (32, 1, 1), [memory.tobytes(), fragment.tobytes()])
                name = f"{'stmatrix' if store else 'ldmatrix'}.m8n8.x{count}{trans}.b16"
                lanes = [[None] * (2 * count) for _ in range(32)]
                if store:
                    for place, value in enumerate(np.frombuffer(after[0], np.uint16)[: 64 * count]):
                        register, lane, half = int(value) // 64, int(value) // 2 % 32, int(value) % 2
                        lanes[lane][2 * register + half] = [place // 64, place // 8 % 8, place % 8]
                else:
                    for i, value in enumerate(np.frombuffer(after[1], np.uint16)):
                        register, lane, half = i // 64, i // 2 % 32, i % 2
                        lanes[lane][2 * register + half] = [int(value) // 64, int(value) // 8 % 8, int(value) % 8]
                yield {"frag": name, "num_elements": 2 * count, "lanes": lanes}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    device = Device()
    name, driver = describe_device()
    with open(out / "fragments_sm90.jsonl", "w") as file:
        file.write(json.dumps({"device": name, "driver": driver, "sm": "90"}) + "\n")
        gpu = Gpu(device)
        for maps in (matrix_move_maps(device), wmma_maps(device), mma_maps(gpu), quad_pair_maps(gpu), sparse_maps(gpu)):
            try:
                for line in maps:
                    file.write(json.dumps(line, separators=(",", ":")) + "\n")
                    if line.get("confirmed") is False:
                        print("NOT as the ISA says:", line["of"], line["frag"])
            except DriverError as error:
                print("stopped:", error)
    print("fragment maps written")


if __name__ == "__main__":
    main()
