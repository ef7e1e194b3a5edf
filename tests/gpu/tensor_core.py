"""mma.sync from Python: element formats, the ISA's fragment layouts, and one launch of many products.

A product is D = A * B + C of one warp; `multiply` runs n of them, A[n, M, K], B[n, K, N], C[n, M, N] as float64 whose
values are representable in the formats (integers for integer types), and returns D[n, M, N] as float64.
"""
import dataclasses

import numpy as np


def small_float(exponent_bits, mantissa_bits, bias, has_infinity):
    """All 256 values of an 8-bit float, by code."""
    values = np.zeros(256)
    for code in range(256):
        e, m = code >> mantissa_bits & (1 << exponent_bits) - 1, code & (1 << mantissa_bits) - 1
        v = m * 2.0 ** (1 - bias - mantissa_bits) if e == 0 else (1 + m / (1 << mantissa_bits)) * 2.0 ** (e - bias)
        if has_infinity and e == (1 << exponent_bits) - 1:
            v = np.inf if m == 0 else np.nan
        elif not has_infinity and code & 0x7F == 0x7F:
            v = np.nan
        values[code] = -v if code >> 7 else v
    return values


SMALL = {"e4m3": small_float(4, 3, 7, False), "e5m2": small_float(5, 2, 15, True)}
BITS = {"b1": 1, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64}


def encode(dtype, values):
    """Bits of representable values, one uint64 each."""
    v = np.asarray(values, np.float64)
    if dtype == "f16":
        return v.astype(np.float16).view(np.uint16).astype(np.uint64)
    if dtype == "bf16":
        return (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint64)
    if dtype in ("f32", "tf32"):
        return v.astype(np.float32).view(np.uint32).astype(np.uint64)
    if dtype == "f64":
        return v.view(np.uint64)
    if dtype in SMALL:
        table = SMALL[dtype]
        order = np.argsort(np.where(np.isnan(table), np.inf, table), kind="stable")
        code = order[np.searchsorted(table[order], v)]
        code = np.where((v == 0) & np.signbit(v), 0x80, np.where(v == 0, 0, code))
        assert np.array_equal(table[code], v), "a value is not representable"
        return code.astype(np.uint64)
    return v.astype(np.int64).astype(np.uint64) & np.uint64((1 << BITS[dtype]) - 1)


def decode(dtype, bits):
    b = np.asarray(bits, np.uint64)
    if dtype == "f16":
        return b.astype(np.uint16).view(np.float16).astype(np.float64)
    if dtype == "f32":
        return b.astype(np.uint32).view(np.float32).astype(np.float64)
    if dtype == "f64":
        return b.view(np.float64)
    assert dtype == "s32"
    return b.astype(np.uint32).view(np.int32).astype(np.float64)


@dataclasses.dataclass(frozen=True)
class Mma:
    shape: str  # "m16n8k16"
    a: str
    b: str
    d: str  # c has the same type
    suffix: str = ""  # ".and.popc"
    order: str = "row.col"  # of a and b
    selector: int = -1  # mma.sp: which lanes' metadata count; -1: dense

    @property
    def extents(self):
        m, rest = self.shape[1:].split("n")
        n, k = rest.split("k")
        return int(m), int(n), int(k)

    @property
    def name(self):
        sparse = ".sp" if self.sparse else ""
        return f"mma{sparse}.sync.aligned.{self.shape}.{self.order}.{self.d}.{self.a}.{self.b}.{self.d}{self.suffix}"

    @property
    def sparse(self):
        return self.selector >= 0

    @property
    def quad_pairs(self):
        """Four products, one for each eight lanes; their matrices are stacked here: A (32, 4), B (16, 8), C (32, 8)."""
        return self.shape == "m8n8k4" and self.a == "f16"


def layout(mma, which):
    """[lane][element] -> (row, column), as PTX ISA 9.0, 9.7.14.5 draws the fragments; elements from the lowest register
    and the lowest bits up."""
    m, n, k = mma.extents
    if mma.quad_pairs:
        return [quad_pair_layout(mma, which, lane) for lane in range(32)]
    if mma.sparse and which == "a":
        k //= 2
    lanes = []
    for lane in range(32):
        group, thread = lane >> 2, lane & 3
        elements = []
        if which in "cd":
            for r in range(m // 8):
                elements += [(group + 8 * r, 2 * thread), (group + 8 * r, 2 * thread + 1)]
        elif mma.a == "f64":
            if which == "a":
                elements = [(group + 8 * r, thread + 4 * s) for s in range(k // 4) for r in range(m // 8)]
            else:
                elements = [(thread + 4 * s, group) for s in range(k // 4)]
        else:
            per = 32 // BITS[mma.a]  # elements a register
            steps = k // (4 * per)
            if which == "a":
                elements = [(group + 8 * r, thread * per + i + 4 * per * s) for s in range(steps) for r in range(m // 8) for i in range(per)]
            else:
                elements = [(thread * per + i + 4 * per * s, group) for s in range(steps) for i in range(per)]
        lanes.append(elements)
    return lanes


def quad_pair_layout(mma, which, lane):
    """9.7.14.5.1: lanes 4q to 4q + 3 and 4q + 16 to 4q + 19 hold product q."""
    q, high, within = lane % 16 // 4, 4 * (lane // 16), lane % 4
    a_order, b_order = mma.order.split(".")
    if which == "a":
        places = [(i + high, within) if a_order == "col" else (within + high, i) for i in range(4)]
        return [(8 * q + row, column) for row, column in places]
    if which == "b":
        places = [(i, within + high) if b_order == "col" else (within, i + high) for i in range(4)]
        return [(4 * q + row, column) for row, column in places]
    if mma.d == "f16":
        return [(8 * q + within + high, i) for i in range(8)]
    return [(8 * q + (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)) for i in range(8)]


def to_fragment(mma, which, dtype, matrices):
    """[n, rows, columns] -> [n, register, lane] of uint32 (uint64 for f64)."""
    index = np.array(layout(mma, which))
    bits = encode(dtype, matrices)[:, index[:, :, 0], index[:, :, 1]]  # [n, lane, element]
    width = BITS[dtype]
    if width >= 32:
        return np.ascontiguousarray(bits.transpose(0, 2, 1)).astype(np.uint64 if width == 64 else np.uint32)
    per = 32 // width
    parts = bits.reshape(bits.shape[0], 32, -1, per) << (np.arange(per, dtype=np.uint64) * np.uint64(width))
    return np.ascontiguousarray(np.bitwise_or.reduce(parts, axis=3).transpose(0, 2, 1)).astype(np.uint32)


def from_fragment(mma, registers):
    """[n, register, lane] of the result -> [n, M, N]."""
    m, n, _ = mma.extents
    if mma.quad_pairs:
        m *= 4
    index = np.array(layout(mma, "d"))
    if mma.d == "f16":
        halves = np.stack([registers & 0xFFFF, registers >> 16], axis=2)  # [n, register, half, lane]
        registers = halves.reshape(registers.shape[0], -1, 32)
    out = np.zeros((registers.shape[0], m, n), np.uint64)
    out[:, index[:, :, 0], index[:, :, 1]] = registers.transpose(0, 2, 1)
    return out


def registers_of(mma, which):
    dtype = {"a": mma.a, "b": mma.b}.get(which, mma.d)
    return max(1, len(layout(mma, which)[0]) * BITS[dtype] // 32 // (2 if dtype == "f64" else 1))


def kernel_text(mma, entry):
    """One product a block: fragments at [block][register][lane]."""
    lines, names = [], {}
    for p, which in enumerate("abcd"):
        dtype = {"a": mma.a, "b": mma.b}.get(which, mma.d)
        count, size = registers_of(mma, which), 8 if dtype == "f64" else 4
        kind = "f64" if dtype == "f64" else "f32" if dtype == "f32" else "b32"
        names[which] = "{" + ", ".join(f"%{which}{r}" for r in range(count)) + "}"
        lines.append(f".reg .{kind} %{which}<{count}>; .reg .b64 %p{which};")
        lines.append(f"ld.param.u64 %p{which}, [p{p}]; mad.wide.u32 %p{which}, %at, {count * 32 * size}, %p{which};")
        lines.append(f"mad.wide.u32 %p{which}, %lane, {size}, %p{which};")
        if which != "d":
            lines += [f"ld.global.{kind} %{which}{r}, [%p{which}+{r * 32 * size}];" for r in range(count)]
    if mma.sparse:
        lines.append(".reg .b32 %e; .reg .b64 %pe; ld.param.u64 %pe, [p4]; mad.wide.u32 %pe, %at, 128, %pe;")
        lines.append("mad.wide.u32 %pe, %lane, 4, %pe; ld.global.b32 %e, [%pe];")
    more = f", %e, {mma.selector}" if mma.sparse else ""
    lines.append(f"{mma.name} {names['d']}, {names['a']}, {names['b']}, {names['c']}{more};")
    dtype, size = ("f64", 8) if mma.d == "f64" else ("f32" if mma.d == "f32" else "b32", 4)
    lines += [f"st.global.{dtype} [%pd+{r * 32 * size}], %d{r};" for r in range(registers_of(mma, "d"))]
    body = "\n    ".join(lines)
    parameters = ", ".join(f".param .u64 p{i}" for i in range(5 if mma.sparse else 4))
    return (
        f".visible .entry {entry}({parameters})\n{{\n"
        f"    .reg .b32 %at, %lane;\n    mov.u32 %at, %ctaid.x;\n    mov.u32 %lane, %tid.x;\n    {body}\n    ret;\n}}\n"
    )


class Gpu:
    """Products by the device, compiled on first use."""

    HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"
    BATCH = 8192

    def __init__(self, device):
        self.device, self.functions = device, {}

    def fragments(self, mma, a, b, c, metadata=None):
        """[n, register, lane] in, the result's registers out; metadata: [n, lane]."""
        if mma not in self.functions:
            module = self.device.load(self.HEADER + kernel_text(mma, "product"))
            self.functions[mma] = self.device.function(module, "product")
        parts = []
        for at in range(0, len(a), self.BATCH):
            chunk = [x[at : at + self.BATCH] for x in (a, b, c)]
            blank = np.zeros((len(chunk[0]), registers_of(mma, "d"), 32), np.uint64 if mma.d == "f64" else np.uint32)
            extra = [] if metadata is None else [metadata[at : at + self.BATCH].astype(np.uint32)]
            buffers = [np.ascontiguousarray(x).tobytes() for x in (*chunk, blank, *extra)]
            after = self.device.launch(self.functions[mma], (len(chunk[0]), 1, 1), (32, 1, 1), buffers)
            parts.append(np.frombuffer(after[3], blank.dtype).reshape(blank.shape))
        return np.concatenate(parts)

    def bits(self, mma, a, b, c, metadata=None):
        inputs = (to_fragment(mma, which, dtype, x) for which, dtype, x in (("a", mma.a, a), ("b", mma.b, b), ("c", mma.d, c)))
        registers = self.fragments(mma, *inputs, metadata)
        return from_fragment(mma, registers)

    def multiply(self, mma, a, b, c):
        return decode(mma.d, self.bits(mma, a, b, c))
