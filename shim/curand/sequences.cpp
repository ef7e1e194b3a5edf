// Steps as published; leaps by powers of the matrix of a step. Sequences begin 2^67 (XORWOW), 2^76 (MRG32k3a)
// and 2^66 (Philox) numbers apart.
#include "shim/curand/sequences.h"

#include <bitset>
#include <utility>

namespace wl::curand {
namespace {

// --- XORWOW: a step is linear in its 160 bits, beside the counter d.

constexpr uint32_t kStep = 362437;
constexpr size_t kBits = 160;
using Bits = std::bitset<kBits>;
using BitMatrix = std::vector<Bits>;  // what each bit becomes

Bits bits_of(const Xorwow& x) {
    Bits out;
    for (size_t k = 0; k < kBits; ++k) out[k] = (x.v[k / 32] >> (k % 32) & 1) != 0;
    return out;
}
void set_bits(Xorwow& x, const Bits& bits) {
    x.v = {};
    for (size_t k = 0; k < kBits; ++k) x.v[k / 32] |= uint32_t{bits[k]} << (k % 32);
}
Bits applied(const BitMatrix& m, const Bits& bits) {
    Bits out;
    for (size_t k = 0; k < kBits; ++k)
        if (bits[k]) out ^= m[k];
    return out;
}
BitMatrix squared(const BitMatrix& m) {
    BitMatrix out(kBits);
    for (size_t k = 0; k < kBits; ++k) out[k] = applied(m, m[k]);
    return out;
}
BitMatrix one_step() {
    BitMatrix out(kBits);
    for (size_t k = 0; k < kBits; ++k) {
        Xorwow x;
        x.v[k / 32] = uint32_t{1} << (k % 32);
        x.next();
        out[k] = bits_of(x);
    }
    return out;
}

void leap(Xorwow& x, uint64_t steps) {
    BitMatrix m = one_step();
    x.d += kStep * static_cast<uint32_t>(steps);
    for (; steps != 0; steps >>= 1, m = squared(m))
        if ((steps & 1) != 0) set_bits(x, applied(m, bits_of(x)));
}

// How cuRAND makes a state of a seed; 0 gives the published state (curand_kernel.h).
Xorwow seeded_xorwow(uint64_t seed) {
    const uint32_t low = 1099087573U * (static_cast<uint32_t>(seed) ^ 0xaad26b49U);
    const uint32_t high = 2591861531U * (static_cast<uint32_t>(seed >> 32) ^ 0xf7dcefddU);
    Xorwow out;
    out.v = {123456789U + low, 362436069U ^ low, 521288629U + high, 88675123U ^ high, 5783321U + low};
    out.d = 6615241U + high + low;
    return out;
}

void start_xorwow(Sequences& s) {
    BitMatrix apart = one_step();
    for (int k = 0; k < 67; ++k) apart = squared(apart);  // 2^67 steps leave d as it was
    Xorwow x = seeded_xorwow(s.settings.seed);
    leap(x, s.settings.offset / s.count);
    s.xorwow.resize(s.count);
    for (Xorwow& sequence : s.xorwow) sequence = x, set_bits(x, applied(apart, bits_of(x)));
    for (uint64_t k = 0; k < s.settings.offset % s.count; ++k) s.xorwow[k].next();
}

// --- MRG32k3a: two recurrences of order 3.

constexpr uint64_t kModulus1 = 4294967087, kModulus2 = 4294944443;
using Three = std::array<uint64_t, 3>;
using Matrix = std::array<Three, 3>;
constexpr Matrix kStep1{
    {{0, 1, 0}, {0, 0, 1}, {kModulus1 - 810728, 1403580, 0}}
};
constexpr Matrix kStep2{
    {{0, 1, 0}, {0, 0, 1}, {kModulus2 - 1370589, 0, 527612}}
};

Three applied(const Matrix& m, const Three& v, uint64_t modulus) {
    Three out{};
    for (size_t r = 0; r < 3; ++r)
        for (size_t c = 0; c < 3; ++c) out[r] = (out[r] + m[r][c] * v[c] % modulus) % modulus;
    return out;
}
Matrix squared(const Matrix& m, uint64_t modulus) {
    Matrix out{};
    for (size_t c = 0; c < 3; ++c) {
        const Three column = applied(m, {m[0][c], m[1][c], m[2][c]}, modulus);
        for (size_t r = 0; r < 3; ++r) out[r][c] = column[r];
    }
    return out;
}
void leap(Three& v, Matrix m, uint64_t modulus, uint64_t steps) {
    for (; steps != 0; steps >>= 1, m = squared(m, modulus))
        if ((steps & 1) != 0) v = applied(m, v, modulus);
}

Mrg seeded_mrg(uint64_t seed) {
    Mrg out;
    out.one = out.two = {12345, 12345, 12345};
    if (seed == 0) return out;
    const uint64_t x = static_cast<uint32_t>(seed) ^ 0x55555555U;
    const uint64_t y = static_cast<uint32_t>(seed >> 32) ^ 0xAAAAAAAAU;
    out.one = {x * 12345 % kModulus1, y * 12345 % kModulus1, x * 12345 % kModulus1};
    out.two = {y * 12345 % kModulus2, x * 12345 % kModulus2, y * 12345 % kModulus2};
    return out;
}

void start_mrg(Sequences& s) {
    Matrix apart1 = kStep1, apart2 = kStep2;
    for (int k = 0; k < 76; ++k) apart1 = squared(apart1, kModulus1), apart2 = squared(apart2, kModulus2);
    Mrg x = seeded_mrg(s.settings.seed);
    leap(x.one, kStep1, kModulus1, s.settings.offset / s.count);
    leap(x.two, kStep2, kModulus2, s.settings.offset / s.count);
    s.mrg.resize(s.count);
    for (Mrg& sequence : s.mrg) {
        sequence = x;
        x.one = applied(apart1, x.one, kModulus1), x.two = applied(apart2, x.two, kModulus2);
    }
    for (uint64_t k = 0; k < s.settings.offset % s.count; ++k) s.mrg[k].next();
}

uint64_t count_of(const Settings& settings) {
    switch (settings.kind) {
        case Kind::xorwow: return 4096;
        case Kind::mrg32k3a: return settings.legacy ? 4096 : 81920;
        case Kind::philox: return 65536;
        case Kind::sobol32:
        case Kind::sobol64: return 1;
    }
    return 1;
}

}  // namespace

uint32_t Xorwow::next() {
    const uint32_t t = v[0] ^ (v[0] >> 2);
    v = {v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
    d += kStep;
    return v[4] + d;
}

double Mrg::next() {
    one = applied(kStep1, one, kModulus1), two = applied(kStep2, two, kModulus2);
    const uint64_t a = one[2], b = two[2];
    return static_cast<double>(a > b ? a - b : a + kModulus1 - b);
}

Words philox(uint64_t key, uint64_t block, uint64_t sequence) {
    Words c{
        static_cast<uint32_t>(block),
        static_cast<uint32_t>(block >> 32),
        static_cast<uint32_t>(sequence),
        static_cast<uint32_t>(sequence >> 32)};
    auto low = static_cast<uint32_t>(key), high = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const uint64_t one = uint64_t{0xD2511F53} * c[0], two = uint64_t{0xCD9E8D57} * c[2];
        c = {
            static_cast<uint32_t>(two >> 32) ^ c[1] ^ low,
            static_cast<uint32_t>(two),
            static_cast<uint32_t>(one >> 32) ^ c[3] ^ high,
            static_cast<uint32_t>(one)};
        low += 0x9E3779B9, high += 0xBB67AE85;
    }
    return c;
}

Sequences started(const Settings& settings) {
    Sequences s;
    s.settings = settings;
    s.count = count_of(settings), s.position = settings.offset;
    if (settings.kind == Kind::xorwow) start_xorwow(s);
    if (settings.kind == Kind::mrg32k3a) start_mrg(s);
    if (settings.kind == Kind::philox) {
        const uint64_t turns = settings.offset / 4;
        s.blocks.assign(s.count, turns / s.count);
        for (uint64_t k = 0; k < turns % s.count; ++k) ++s.blocks[k];
    }
    return s;
}

}  // namespace wl::curand
