"""Measures which element each of a warpgroup's 128 lanes holds where in wgmma's a and d, and writes
OUT/warpgroup_sm90.npz: member "wgmma.m64n64k16 c f32" is (2, 128, elements a lane), the row of each element, then the column;
"movmatrix d" (2, 32, 2) the place in the matrix that was handed in.

usage: warpgroup_maps.py OUT

b always lies in shared memory, K-major without swizzle: 8 rows of 16 bytes are a core matrix, those of one row of them
128 bytes apart, rows of them 256. d is read off a product of two matrices in shared memory, whose elements spell the
number of their row or of their column, a digit at a time, in column 0 of k. Then a comes from registers whose elements
spell their own lane and place, and b picks columns of k.
"""
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tensor_core import BITS, encode  # noqa: E402

ROW_BYTES = 32  # of a and of b along k, whatever the type
CORES = (8 << 16) | (16 << 32)  # matrix descriptor, PTX ISA 9.0, 9.7.15.5.1: leading 128 bytes, stride 256, no swizzle
ANY_N = range(8, 257, 8)
INTEGER_N = (8, 16, 24, *range(32, 257, 16))
# type of a and b, types of d, sizes n, what follows the type words, what follows scale-d (both in shared; a in registers)
KINDS = (
    ("f16", ("f32", "f16"), ANY_N, "", ", 1, 1, 0, 0", ", 1, 1, 0"),
    ("bf16", ("f32",), ANY_N, "", ", 1, 1, 0, 0", ", 1, 1, 0"),
    ("tf32", ("f32",), ANY_N, "", ", 1, 1", ", 1, 1"),
    ("e4m3", ("f32", "f16"), ANY_N, "", ", 1, 1", ", 1, 1"),
    ("e5m2", ("f32", "f16"), ANY_N, "", ", 1, 1", ", 1, 1"),
    ("s8", ("s32",), INTEGER_N, "", "", ""),
    ("u8", ("s32",), INTEGER_N, "", "", ""),
    ("b1", ("s32",), INTEGER_N, ".and.popc", "", ""),
)


def text(kind, n, d):
    """PTX of two entries, `shared` and `registers`: parameters a, b, d."""
    dtype, _, _, after, of_shared, of_registers = kind
    count = n // 4 if d == "f16" else n // 2
    word = "f32" if d == "f32" else "b32"
    k = ROW_BYTES * 8 // BITS[dtype]
    registers = ", ".join(f"%d{i}" for i in range(count))
    mnemonic = f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{dtype}.{dtype}{after}"
    copy = (
        "mov.u32 %i, %tid.x;\n{name}:\nsetp.ge.u32 %p, %i, {chunks};\n@%p bra {name}_end;\nmul.wide.u32 %x, %i, 16;\n"
        "add.u64 %g, %{of}, %x;\nld.global.v4.b32 {{%w0, %w1, %w2, %w3}}, [%g];\nmov.u64 %s, {to};\nadd.u64 %s, %s, %x;\n"
        "st.shared.v4.b32 [%s], {{%w0, %w1, %w2, %w3}};\nadd.u32 %i, %i, 128;\nbra {name};\n{name}_end:\n"
    )
    descriptor = "mov.u64 %{name}, {of};\nshr.u64 %{name}, %{name}, 4;\nor.b64 %{name}, %{name}, " + str(CORES) + ";\n"
    entries = []
    for entry in ("shared", "registers"):
        if entry == "shared":
            fetch = copy.format(name="copy_a", of="pa", to="sa", chunks=64 * 2) + descriptor.format(name="da", of="sa")
            a, last = "%da", of_shared
        else:
            fetch = "mov.u32 %i, %tid.x;\nmad.wide.u32 %g, %i, 16, %pa;\nld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%g];\n"
            a, last = "{%a0, %a1, %a2, %a3}", of_registers
        stores = "".join(f"st.global.{word} [%g+{4 * i}], %d{i};\n" for i in range(count))
        entries.append(
            f".visible .entry {entry}(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{{\n"
            f".shared .align 128 .b8 sa[{64 * ROW_BYTES}];\n.shared .align 128 .b8 sb[{n * ROW_BYTES}];\n"
            f".reg .b64 %pa, %pb, %pd, %g, %s, %x, %da, %db; .reg .b32 %i, %w<4>, %a<4>; .reg .{word} %d<{count}>; .reg .pred %p;\n"
            "ld.param.u64 %pa, [p0]; ld.param.u64 %pb, [p1]; ld.param.u64 %pd, [p2];\n"
            + fetch + copy.format(name="copy_b", of="pb", to="sb", chunks=2 * n) + descriptor.format(name="db", of="sb")
            + "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p, 0, 0;\nwgmma.fence.sync.aligned;\n"
            + f"{mnemonic} {{{registers}}}, {a}, %db, %p{last};\n"
            + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
            + f"mov.u32 %i, %tid.x;\nmad.wide.u32 %g, %i, {4 * count}, %pd;\n" + stores + "ret;\n}\n"
        )
    return ".version 8.0\n.target sm_90a\n.address_size 64\n" + "".join(entries)


def packed(dtype, values):
    """Small whole numbers (..., elements) as bytes (..., elements * bits / 8), the first in the lowest bits."""
    values = np.asarray(values)
    if dtype == "b1":
        return np.packbits(values.astype(np.uint8), axis=-1, bitorder="little")
    if dtype in ("s8", "u8"):
        return values.astype(np.uint8)
    bits = np.asarray(encode(dtype, values.astype(np.float64)))
    return np.ascontiguousarray(bits.astype({8: np.uint8, 16: np.uint16, 32: np.uint32}[BITS[dtype]])).view(np.uint8)


def in_cores(dtype, matrix):
    """(rows, k) as it lies in shared memory."""
    rows = packed(dtype, matrix)
    return rows.reshape(len(rows) // 8, 8, 2, 16).transpose(0, 2, 1, 3).tobytes()


def numbers(answer, d):
    words = np.frombuffer(answer, {"f32": np.float32, "f16": np.float16, "s32": np.int32}[d])
    return np.rint(words.astype(np.float64)).astype(np.int64).reshape(128, -1)


class Maps:
    def __init__(self, device, kind, n, d):
        self.device, self.dtype, self.n, self.d = device, kind[0], n, d
        self.k = ROW_BYTES * 8 // BITS[self.dtype]
        self.base = 2 if self.dtype == "b1" else 8
        module = device.load(text(kind, n, d))
        self.entries = {name: device.function(module, name) for name in ("shared", "registers")}

    def product(self, entry, a, b):
        answer = self.device.launch(self.entries[entry], (1, 1, 1), (128, 1, 1), [a, b, bytes(128 * self.n * 2)])[2]
        count = 128 * self.n // 2 * (2 if self.d == "f16" else 4)
        return numbers(answer[:count], self.d)

    def first_column(self, rows, values):
        matrix = np.zeros((rows, self.k), np.int64)
        matrix[:, 0] = values
        return in_cores(self.dtype, matrix)

    def of_d(self):
        place = np.zeros((128, self.n // 2, 2), np.int64)
        for axis, extent in enumerate((64, self.n)):
            weight = 1
            while weight < extent:
                digits = [np.ones(64), np.ones(self.n)]
                digits[axis] = np.arange(extent) // weight % self.base
                a, b = self.first_column(64, digits[0]), self.first_column(self.n, digits[1])
                place[:, :, axis] += weight * self.product("shared", a, b)
                weight *= self.base
        return place

    def of_a(self, of_d):
        each = self.k * 64 // 128
        own = np.arange(128 * each).reshape(128, each)
        spelt = np.zeros((64, self.k), np.int64)
        for first in range(0, self.k, self.n):
            width = min(self.n, self.k - first)
            pick = np.zeros((self.n, self.k), np.int64)
            pick[np.arange(width), first + np.arange(width)] = 1
            b, weight = in_cores(self.dtype, pick), 1
            while weight < own.size:
                answer = self.product("registers", packed(self.dtype, own // weight % self.base).tobytes(), b)
                read = np.zeros((64, self.n), np.int64)
                read[of_d[:, :, 0], of_d[:, :, 1]] = answer
                spelt[:, first : first + width] += weight * read[:, :width]
                weight *= self.base
        place = np.full((128, each, 2), -1, np.int64)
        rows, columns = np.divmod(np.arange(64 * self.k), self.k)
        place.reshape(-1, 2)[spelt.reshape(-1)] = np.stack([rows, columns], axis=1)
        return place


def check_whole(name, place, rows, columns):
    seen = np.unique(place.reshape(-1, 2), axis=0)
    if len(seen) != rows * columns or seen.min() < 0:
        raise SystemExit(f"{name}: {len(seen)} of {rows * columns} elements were found")


def movmatrix(device):
    """ldmatrix fetches an 8x8 matrix of numbers, movmatrix hands it on; the numbers say where each half came from."""
    ptx = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry move(.param .u64 p0, .param .u64 p1)\n{\n"
        ".shared .align 16 .b8 m[128];\n.reg .b64 %g, %o, %s; .reg .b32 %t, %x;\n"
        "ld.param.u64 %g, [p0]; ld.param.u64 %o, [p1]; mov.u32 %t, %tid.x;\nmad.wide.u32 %g, %t, 4, %g; mov.u64 %s, m;\n"
        "mad.wide.u32 %s, %t, 4, %s; ld.global.b32 %x, [%g]; st.shared.b32 [%s], %x; bar.sync 0;\nand.b32 %t, %t, 7;\n"
        "mov.u64 %s, m; mad.wide.u32 %s, %t, 16, %s;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [%s];\n"
        "mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 4, %o; st.global.b32 [%o], %x;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %x, %x; st.global.b32 [%o+128], %x;\nret;\n}\n"
    )
    function = device.function(device.load(ptx), "move")
    answer = device.launch(function, (1, 1, 1), (32, 1, 1), [np.arange(64, dtype=np.uint16).tobytes(), bytes(256)])[1]
    places = np.stack(np.divmod(np.frombuffer(answer, np.uint16).astype(np.int64).reshape(2, 32, 2), 8), axis=-1)
    return {"movmatrix a": places[0], "movmatrix d": places[1]}


def main():
    from conformance_run import describe_device
    from cuda_driver import Device

    out = pathlib.Path(sys.argv[1])
    device = Device()
    name, driver = describe_device()
    maps = movmatrix(device)
    for kind in KINDS:
        for d in kind[1]:
            for n in kind[2]:
                of = Maps(device, kind, n, d)
                shape = f"wgmma.m64n{n}k{of.k}"
                place = of.of_d()
                check_whole(f"{shape} c {d} of {kind[0]}", place, 64, n)
                known = maps.setdefault(f"{shape} c {d}", place)
                if not np.array_equal(known, place):
                    raise SystemExit(f"{shape}: d of {kind[0]} does not lie as that of another type")
                if d == kind[1][0]:
                    maps[f"{shape} a {kind[0]}"] = of.of_a(place)
                    check_whole(f"{shape} a {kind[0]}", maps[f"{shape} a {kind[0]}"], 64, of.k)
    record = np.frombuffer(json.dumps({"device": name, "driver": driver, "sm": "90a"}).encode(), np.uint8)
    np.savez_compressed(out / "warpgroup_sm90.npz", record=record, **{k: v.astype(np.int16).transpose(2, 0, 1) for k, v in maps.items()})
    print(f"{len(maps)} maps of warpgroups written: {name}, driver {driver}")


if __name__ == "__main__":
    main()
