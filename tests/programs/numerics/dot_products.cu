// Stresses: dot products of bytes (dp4a, dp2a), the SIMD functions of bytes and halves, byte permutation,
// funnel shifts, bit reversal, counting and searching.

extern "C" __global__ void dot_products(const int* a, const int* b, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], y = b[i];
    int* o = out + i * 16;
    o[0] = __dp4a(x, y, i);
    o[1] = static_cast<int>(__dp4a(static_cast<unsigned>(x), static_cast<unsigned>(y), 5u));
    o[2] = __dp2a_lo(x, y, i) ^ __dp2a_hi(x, y, -i);
    o[3] = static_cast<int>(__vadd4(x, y));
    o[4] = static_cast<int>(__vabsdiffu4(x, y));
    o[5] = static_cast<int>(__vmaxs2(x, y) ^ __vminu4(x, y));
    o[6] = static_cast<int>(__vavgu4(x, y) + __vcmpgts4(x, y));
    o[7] = static_cast<int>(__vsads4(x, y) + __vaddss2(x, y));
    o[8] = static_cast<int>(__byte_perm(x, y, y));
    o[9] = static_cast<int>(__funnelshift_l(x, y, i) ^ __funnelshift_rc(x, y, i));
    o[10] = static_cast<int>(__brev(x)) ^ __popc(y);
    o[11] = __clz(x) * 100 + __ffs(y) + __clzll(static_cast<long long>(x) << 8);
    o[12] = __mulhi(x, y) ^ __mul24(x, y) ^ __sad(x, y, i);
    o[13] = __hadd(x, y) ^ __rhadd(x, y) ^ static_cast<int>(__uhadd(x, y));
    o[14] = max(min(x, y), -x) + abs(y) % 1000 + x / (y | 1);
    o[15] = static_cast<int>(__fns(static_cast<unsigned>(x), 0, 3)) + (x >> (i & 31)) + (y << (i & 15));
}
