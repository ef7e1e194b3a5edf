// Stresses: every vote, match and reduction of a warp, under full and partial masks, shuffles with a width
// and with a source out of range.

extern "C" __global__ void warp_votes(const int* in, unsigned* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, x = in[i];
    unsigned* o = out + i * 12;
    int same;
    o[0] = __ballot_sync(0xffffffff, x > 500);
    o[1] = __any_sync(0xffffffff, x == 7) + 2 * __all_sync(0xffffffff, x >= 0) +
        4 * __uni_sync(0xffffffff, x & 1);
    o[2] = __match_any_sync(0xffffffff, x % 6);
    o[3] = __match_all_sync(0xffffffff, x / 2000, &same) + same;
    o[4] = __reduce_add_sync(0xffffffff, x) ^ __reduce_max_sync(0xffffffff, -x);
    o[5] = __reduce_or_sync(0xffffffff, 1u << (x & 31)) ^
        __reduce_xor_sync(0xffffffff, static_cast<unsigned>(x));
    o[6] = __shfl_sync(0xffffffff, x, lane + 3, 8);
    o[7] = __shfl_up_sync(0xffffffff, x, 5, 16) + __shfl_down_sync(0xffffffff, x, 9);
    o[8] = o[9] = o[10] = 0;
    if (lane % 3 != 1) {
        constexpr unsigned mine = 0x6db6db6d;  // lanes 0, 2, 3, 5, 6, ..., 30
        o[8] = __ballot_sync(mine, x & 2);
        o[9] = __reduce_min_sync(mine, static_cast<unsigned>(x));
        o[10] = __shfl_sync(mine, x, 30);
    }
    const long long wide = static_cast<long long>(x) << 33 | lane;
    o[11] = static_cast<unsigned>(__shfl_xor_sync(0xffffffff, wide, 17) >> 20);
}
