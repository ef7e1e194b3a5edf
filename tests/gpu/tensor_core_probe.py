"""Measures how the tensor cores add: what they keep of addends, how they round, how many products go in one sum.

usage: tensor_core_probe.py OUT [--simulate]

After Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores" (PeerJ CS 2021). One row of A and one
column of B are used a probe. Writes OUT/tensor_core.json: the answers, and the raw numbers behind them; and
OUT/tensor_core_random.npz: random products with wide exponents and their bits, to fit a model to. --simulate puts
a model in the place of the device and says whether the probes find its parameters.
"""
import itertools
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tensor_core import SMALL, Mma, decode, encode  # noqa: E402

PRODUCTS = [
    Mma("m16n8k8", "f16", "f16", "f32"),
    Mma("m16n8k16", "f16", "f16", "f32"),
    Mma("m16n8k8", "f16", "f16", "f16"),
    Mma("m16n8k16", "f16", "f16", "f16"),
    Mma("m16n8k8", "bf16", "bf16", "f32"),
    Mma("m16n8k16", "bf16", "bf16", "f32"),
    Mma("m16n8k4", "tf32", "tf32", "f32"),
    Mma("m16n8k8", "tf32", "tf32", "f32"),
    Mma("m16n8k16", "e4m3", "e4m3", "f32"),
    Mma("m16n8k32", "e4m3", "e4m3", "f32"),
    Mma("m16n8k16", "e5m2", "e5m2", "f32"),
    Mma("m16n8k32", "e5m2", "e5m2", "f32"),
]
F64 = [Mma("m8n8k4", "f64", "f64", "f64"), Mma("m16n8k4", "f64", "f64", "f64"), Mma("m16n8k8", "f64", "f64", "f64"), Mma("m16n8k16", "f64", "f64", "f64")]
LEAST = {"f16": -24, "bf16": -100, "tf32": -100, "e4m3": -9, "e5m2": -16, "f64": -400}  # a power of two that a format holds
SCALE = {"f16": 12, "bf16": 0, "tf32": 0, "e4m3": 10, "e5m2": 12, "f64": 0}  # "1" is this power of two: room below it


class Model:
    """A tensor core: sums of `group` products and the accumulator, aligned to the largest exponent and cut at `bits`
    fraction bits below it, then cut (f32) or rounded (f16) to the result."""

    def __init__(self, group=16, bits=25):
        self.group, self.width = group, bits

    def bits(self, mma, a, b, c):
        products = a[:, :, :, None] * b[:, None, :, :]  # [n, M, K, N]
        exponent = self.exponent(a)[:, :, :, None] + self.exponent(b)[:, None, :, :]
        total = c.copy()
        for k in range(0, a.shape[2], self.group):
            terms = np.concatenate([products[:, :, k : k + self.group], total[:, :, None]], axis=2)
            powers = np.concatenate([exponent[:, :, k : k + self.group], self.exponent(total)[:, :, None]], axis=2)
            top = np.where(terms == 0, -10000, powers).max(axis=2)
            unit = np.exp2(np.clip(top - self.width, -1000, 1000).astype(float))
            total = np.trunc(terms / unit[:, :, None]).sum(axis=2) * unit
            if mma.d == "f32":
                near = total.astype(np.float32)
                total = np.where(np.abs(near) > np.abs(total), np.nextafter(near, np.float32(0)), near).astype(np.float64)
        return encode(mma.d, total)

    def multiply(self, mma, a, b, c):
        return decode(mma.d, self.bits(mma, a, b, c))

    @staticmethod
    def exponent(x):
        return np.where(x == 0, -10000, np.frexp(np.where(x == 0, 1, x))[1] - 1)


class Probe:
    """Collects sums given as (accumulator, {position: product}); products are powers of two times small factors."""

    def __init__(self, engine, mma):
        self.engine, self.mma = engine, mma
        self.k = mma.extents[2]

    def factors(self, value):
        """A representable pair whose product is the value: a = 2^i, b = value / 2^i."""
        if value == 0:
            return 0.0, 0.0
        half = int(np.floor(np.log2(abs(value)) / 2))
        return 2.0**half, value / 2.0**half

    def sums(self, cases):
        m, n, k = self.mma.extents
        scale = 2.0 ** SCALE[self.mma.a]
        a, b, c = np.zeros((len(cases), m, k)), np.zeros((len(cases), k, n)), np.zeros((len(cases), m, n))
        for i, (start, products) in enumerate(cases):
            c[i, 0, 0] = start * scale
            for position, value in products.items():
                half = 2.0 ** (SCALE[self.mma.a] // 2)
                x, y = (value[0] * half, value[1] * half) if isinstance(value, tuple) else self.factors(value * scale)
                a[i, 0, position], b[i, position, 0] = x, y
        return self.engine.multiply(self.mma, a, b, c)[:, 0, 0] / scale

    def smallest(self):
        return 2 * LEAST[self.mma.a] - SCALE[self.mma.a]

    def kept_bits(self, big, position_of_small=1, accumulator_is=None):
        """The largest j such that 2^-j survives beside big and -big in one sum."""
        depth = range(8, min(44, -self.smallest()))
        x, y = (big, 1.0) if not isinstance(big, tuple) else big
        cases = []
        for j in depth:
            small = 2.0**-j
            if accumulator_is == "small":
                cases.append((small, {0: (x, y), 2: (x, -y)}))
            elif accumulator_is == "big":
                cases.append((x * y, {0: small, 2: (x, -y)}))
            else:
                cases.append((0.0, {0: (x, y), position_of_small: small, 2: (x, -y)}))
        answer = self.sums(cases)
        return {"kept": max([j for j, v in zip(depth, answer) if v != 0], default=0), "raw": dict(zip(map(str, depth), answer.tolist()))}


def grouping(probe, kept):
    """Which positions are summed together: with +1 at i, -1 at j, 2^-(kept+2) at s the small one survives only where
    it is added after both have cancelled."""
    small, k = 2.0 ** -(kept + 2), probe.k
    if -(kept + 2) < probe.smallest():
        return {"group": None, "why": "no product of this format is small enough"}
    triples = list(itertools.permutations(range(k), 3))
    if len(triples) > 6000:
        triples = [t for t in triples if t[0] in (0, 1, k // 2) or t[2] == 0]
    answer = probe.sums([(0.0, {i: 1.0, j: -1.0, s: small}) for i, j, s in triples])
    survives = {t: bool(v != 0) for t, v in zip(triples, answer)}
    # s survives (0, j) exactly if it comes after j's group: count those to find the size of the first groups.
    after = [[s for s in range(k) if s not in (0, j) and survives[0, j, s]] for j in range(1, k)]
    with_accumulator = probe.sums([(1.0, {j: -1.0, s: small}) for j in range(k) for s in range(k) if s != j])
    pairs = [(j, s) for j in range(k) for s in range(k) if s != j]
    return {
        "survivors_after_plus_at_0_minus_at_j": {str(j): s for j, s in zip(range(1, k), after)},
        "survivors_after_accumulator_1_minus_at_j": {str(j): [s for (i, s), v in zip(pairs, with_accumulator) if i == j and v != 0] for j in range(k)},
        "group": next((min(s) for s in after if s), k),
    }


def rounding(probe, kept):
    """What happens to half a unit of the alignment, of either sign, and to the bits below the result."""
    unit = 2.0**-kept
    x = {}
    if -kept - 4 >= probe.smallest():
        names = ["+1.5u", "-1.5u", "+1.75u", "-1.75u", "+0.75u twice", "-0.75u twice"]
        cases = [(0.0, {0: 1.0, 1: s * f * unit, 2: -1.0}) for f in (1.5, 1.75) for s in (1, -1)]
        cases += [(0.0, {0: 1.0, 1: s * 0.75 * unit, 3: s * 0.75 * unit, 2: -1.0}) for s in (1, -1)]
        x["alignment, in units"] = dict(zip(names, (probe.sums(cases) / unit).tolist()))
    ulp = 2.0**-23 if probe.mma.d == "f32" else 2.0**-10
    fractions = [0.25, 0.5, 0.75, 1.5, 1.75]
    cases = [(s * 1.0, {0: s * f * ulp}) for s in (1, -1) for f in fractions]
    answer = probe.sums(cases)
    x["result of 1 + f ulp, in ulps above 1"] = {f"{s * f}": float((abs(v) - 1) / ulp) for (s, f), v in zip(itertools.product((1, -1), fractions), answer)}
    cases = [(1.0, {i: f * ulp for i in range(n)}) for n in (1, 2, 3, 4) for f in (0.25, 0.5)]
    x["1 + n times f ulp"] = {f"{n} x {f}": float((v - 1) / ulp) for (n, f), v in zip(itertools.product((1, 2, 3, 4), (0.25, 0.5)), probe.sums(cases))}
    cases = [(1.0, {0: 1.0, 1: f * ulp}) for f in (0.5, 1.0, 1.5, 2.0, 3.0)] + [(1.5, {0: 1.5, 1: 1.0, 2: 3 * ulp})]
    x["carry into the next binade, exact sum minus result, in ulps of 1"] = [
        float((c + sum(p.values()) - v) / ulp) for (c, p), v in zip(cases, probe.sums(cases))
    ]
    return x


def specials(probe):
    """Subnormals, infinities, NaN, overflow and signed zeros, as bits of the result."""
    m, n, k = probe.mma.extents
    d, a_type = probe.mma.d, probe.mma.a
    least = {"f16": 2.0**-24, "bf16": 2.0**-133, "tf32": 2.0**-136, "e4m3": 2.0**-9, "e5m2": 2.0**-16}[a_type]
    most = {"f16": 65504.0, "bf16": 2.0**127, "tf32": 2.0**127, "e4m3": 448.0, "e5m2": 57344.0}[a_type]
    c_least, c_most = (2.0**-149, float(np.finfo(np.float32).max)) if d == "f32" else (2.0**-24, 65504.0)
    inf, nan = np.inf, np.nan
    rows = {
        "subnormal operand times 1": (0.0, [(least, 1.0)]),
        "subnormal accumulator": (c_least, []),
        "subnormal accumulator plus product": (c_least, [(1.0, c_least) if d == "f16" and a_type == "f16" else (0.0, 0.0)]),
        "product of two least values": (0.0, [(least, least)]),
        "overflow of products": (0.0, [(most, most)] * 4),
        "negative overflow": (0.0, [(most, -most)] * 4),
        "largest accumulator plus 1/4 ulp of it": (c_most, [(2.0**51, 2.0**51)] if a_type in ("bf16", "tf32") else [(1.0, 4.0)] if d == "f16" else [(0.0, 0.0)]),
        "-0 accumulator, no product": (-0.0, []),
        "-0 accumulator, -0 products": (-0.0, [(-0.0, 1.0)] * k),
        "+0 accumulator, -0 products": (0.0, [(-0.0, 1.0)] * k),
        "1 - 1": (0.0, [(1.0, 1.0), (1.0, -1.0)]),
        "infinite accumulator": (inf, []),
        "NaN accumulator": (nan, []),
        "inf accumulator - inf": (inf, [(most, -most)] * k),
    }
    if a_type != "e4m3":
        rows |= {"inf * 1": (0.0, [(inf, 1.0)]), "inf * 0": (0.0, [(inf, 0.0)]), "inf - inf": (0.0, [(inf, 1.0), (inf, -1.0)])}
    a, b, c = np.zeros((len(rows), m, k)), np.zeros((len(rows), k, n)), np.zeros((len(rows), m, n))
    for i, (start, pairs) in enumerate(rows.values()):
        c[i, 0, 0] = start
        for position, (x, y) in enumerate(pairs):
            a[i, 0, position], b[i, position, 0] = x, y
    with np.errstate(all="ignore"):
        bits = probe.engine.bits(probe.mma, a, b, c)[:, 0, 0]
    return {name: f"0x{int(v):0{4 if d == 'f16' else 8}x}" for name, v in zip(rows, bits)}


def random_values(rng, dtype, shape, spread):
    if dtype in SMALL:
        finite = np.flatnonzero(np.isfinite(SMALL[dtype]))
        return SMALL[dtype][rng.choice(finite, shape)]
    digits = {"f16": 10, "bf16": 7, "tf32": 10, "f32": 23, "f64": 52}[dtype]
    mantissa = 1 + rng.integers(0, 1 << digits, shape) / float(1 << digits)
    return rng.choice([-1.0, 1.0], shape) * mantissa * np.exp2(rng.integers(-spread, spread + 1, shape).astype(float))


def random_products(engine, mma, store, count=48):
    """Inputs are kept too, as bits, so that a model can be fitted anywhere."""
    rng = np.random.default_rng(7)
    m, n, k = mma.extents
    for label, spread, c_spread in (("narrow", 2, 4), ("wide", 10 if mma.a != "f16" else 6, 14 if mma.d == "f16" else 20)):
        a, b = random_values(rng, mma.a, (count, m, k), spread), random_values(rng, mma.b, (count, k, n), spread)
        c = random_values(rng, mma.d, (count, m, n), min(c_spread, 10) if mma.d == "f16" else c_spread)
        key = f"{mma.name}.{label}"
        width = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
        bits = {"e4m3": 8, "e5m2": 8, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64}
        for name, dtype, values in (("a", mma.a, a), ("b", mma.b, b), ("c", mma.d, c)):
            store[f"{key}.{name}"] = encode(dtype, values).astype(width[bits[dtype]])
        store[f"{key}.d"] = engine.bits(mma, a, b, c).astype(width[bits[mma.d]])


def double_order(engine, mma):
    """The order of the fused multiply-adds: in which positions a one, cancelled, hides 2^-60."""
    probe = Probe(engine, mma)
    k = probe.k
    triples = list(itertools.permutations(range(k), 3))
    answer = probe.sums([(0.0, {i: 1.0, j: -1.0, s: 2.0**-60}) for i, j, s in triples])
    survives = [t for t, v in zip(triples, answer) if v != 0]
    ascending = all((s > max(i, j)) == ((i, j, s) in set(survives)) for i, j, s in triples)
    return {"small one survives exactly after both": ascending, "survivors": survives}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    simulate = "--simulate" in sys.argv
    if simulate:
        engine = Model(group=8, bits=25)
    else:
        from conformance_run import describe_device
        from cuda_driver import Device
        from tensor_core import Gpu

        engine = Gpu(Device())
    report, store = {"record": {} if simulate else dict(zip(("device", "driver"), describe_device()))}, {}
    for mma in PRODUCTS:
        probe, found = Probe(engine, mma), {}
        found["fraction bits kept below 1*1"] = probe.kept_bits(1.0)
        found["fraction bits kept below 1.5*1.5"] = probe.kept_bits((1.5, 1.5))
        found["fraction bits kept below an accumulator of 1"] = probe.kept_bits(1.0, accumulator_is="big")
        found["fraction bits kept of an accumulator below 1*1"] = probe.kept_bits(1.0, accumulator_is="small")
        kept = found["fraction bits kept below 1*1"]["kept"]
        found["grouping"] = grouping(probe, kept)
        found["rounding"] = rounding(probe, kept)
        if not simulate:
            found["specials"] = specials(probe)
        random_products(engine, mma, store)
        report[mma.name] = found
        print(mma.name, "keeps", kept, "bits, groups of", found["grouping"]["group"], flush=True)
    for mma in [] if simulate else F64:
        report[mma.name] = double_order(engine, mma)
        random_products(engine, mma, store, 24)
        print(mma.name, "in order:", report[mma.name]["small one survives exactly after both"], flush=True)
    (out / "tensor_core.json").write_text(json.dumps(report, indent=1))
    np.savez_compressed(out / "tensor_core_random.npz", **store)


if __name__ == "__main__":
    main()
